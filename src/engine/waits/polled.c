/* Who may have held what a thread polled for. */
#include "engine/waits/polled.h"

#include "base/sorted.h"

enum {
	MAX_THREADS = 256, /* LIMIT: of a process that is looked into */
	MIN_WAITS = 3,	   /* of fewer it is not known that they polled */
	HOLDER_PART = 10,  /* a holder is at work but for such a part of the time */
};

/* When a thread polled. */
struct series {
	int64_t start_ns, last_try_ns, end_ns;
};

/* Sleeps whose waking was lost, too: what else than the clock ends them? */
static bool is_timed_out(const struct lode_events *e, uint32_t i)
{
	return e->kind[i] == LODE_EVENT_WAITING && e->other[i] == LODE_NONE &&
	       (e->device[i] == LODE_DEVICE_TIMER ||
		(e->device[i] == LODE_DEVICE_NONE && e->reason[i] == LODE_REASON_TIMER));
}

/* ---- Who was at work ---- */

static bool is_work(const struct lode_events *e, size_t i)
{
	return e->kind[i] != LODE_EVENT_WAITING || e->reason[i] == LODE_REASON_DISK ||
	       e->reason[i] == LODE_REASON_FAULT;
}

/* Per event of the thread, how long it was at work before. */
static const int64_t *work_of(struct lode_polled *p, const struct lode_stream *stream,
			      lode_thread_id thread)
{
	const struct lode_events *e = &stream->threads.at[thread].events;
	int64_t **work = &p->work_ns.at[thread];

	if (!*work) {
		*work = lode_alloc((e->n + 1) * sizeof(**work));
		(*work)[0] = 0;
		for (size_t i = 0; i < e->n; i++)
			(*work)[i + 1] = (*work)[i] + (is_work(e, i) ? e->cost_ns[i] : 0);
	}
	return *work;
}

/* How long a thread was at work before `t_ns`. */
static int64_t work_before(const struct lode_events *e, const int64_t *work_ns, int64_t t_ns)
{
	size_t i = lode_events_find(e, t_ns);

	if (i < e->n && e->start_ns[i] < t_ns && is_work(e, i))
		return work_ns[i] + t_ns - e->start_ns[i];
	return work_ns[i];
}

/* When a thread that was at work before the last try stopped, up to the end; INT64_MIN: it did not.
 */
static int64_t stop_of(const struct lode_thread *thread, const struct series *series)
{
	const struct lode_events *e = &thread->events;

	for (size_t i = lode_events_find(e, series->last_try_ns);
	     i < e->n && e->start_ns[i] <= series->end_ns; i++)
		if (!is_work(e, i) && e->start_ns[i] >= series->last_try_ns)
			return e->start_ns[i];
	if (thread->died_ns >= series->last_try_ns && thread->died_ns <= series->end_ns)
		return thread->died_ns;
	return INT64_MIN;
}

static lode_thread_id choose_holder(struct lode_polled *p, const struct lode_stream *stream,
				    lode_thread_id poller, const struct series *series,
				    const lode_thread_id *threads, size_t n)
{
	int64_t latest_ns = INT64_MIN, tried_ns = series->last_try_ns - series->start_ns;
	lode_thread_id holder = LODE_NONE;

	for (size_t i = 0; i < n; i++) {
		const struct lode_thread *thread = &stream->threads.at[threads[i]];
		const int64_t *work_ns;
		int64_t held_ns, stop_ns;

		if (threads[i] == poller || tried_ns <= 0)
			continue;
		work_ns = work_of(p, stream, threads[i]);
		held_ns = work_before(&thread->events, work_ns, series->last_try_ns) -
			  work_before(&thread->events, work_ns, series->start_ns);
		if (held_ns < tried_ns - tried_ns / HOLDER_PART)
			continue;
		stop_ns = stop_of(thread, series);
		if (stop_ns > latest_ns) {
			latest_ns = stop_ns;
			holder = threads[i];
		}
	}
	return holder;
}

/* ---- Series of waits ---- */

LODE_COMPARE_WITH(by_process, lode_thread_id, const struct lode_stream *stream,
		  LODE_ORDER(stream->threads.at[*a].pid, stream->threads.at[*b].pid)
			  ?: LODE_ORDER(*a, *b))

static void prepare(struct lode_polled *p, const struct lode_stream *stream)
{
	for (lode_thread_id i = 0; i < stream->threads.n; i++) {
		lode_vec_append(&p->by_pid, i);
		lode_vec_append(&p->work_ns, NULL);
		lode_vec_append(&p->holder_at, NULL);
	}
	lode_sort_r(p->by_pid.at, p->by_pid.n, by_process, (void *)stream);
}

static lode_thread_id find_holder(struct lode_polled *p, const struct lode_stream *stream,
				  lode_thread_id thread, const struct series *series)
{
	int32_t pid = stream->threads.at[thread].pid;
	size_t first = 0, high = p->by_pid.n, end;

	while (first < high) {
		size_t mid = first + (high - first) / 2;

		if (stream->threads.at[p->by_pid.at[mid]].pid < pid)
			first = mid + 1;
		else
			high = mid;
	}
	for (end = first; end < p->by_pid.n && stream->threads.at[p->by_pid.at[end]].pid == pid;)
		end++;
	if (end - first > MAX_THREADS)
		return LODE_NONE;
	return choose_holder(p, stream, thread, series, p->by_pid.at + first, end - first);
}

/* The stack without kernel frames; itself when there are no others. */
static uint32_t place_of(const struct lode_calltree *tree, uint32_t stack)
{
	uint32_t user = stack;

	while (user && tree->frames.at[tree->nodes.at[user].frame].flags & LODE_FRAME_KERNEL)
		user = tree->nodes.at[user].parent;
	return user ? user : stack;
}

/* Per wait, the next one at its place, if that takes it up; and which waits are such. */
static void find_next(const struct lode_stream *stream, const struct lode_events *e, uint32_t *next,
		      bool *is_next)
{
	struct lode_map latest = {0}; /* by place */

	for (uint32_t i = 0; i < e->n; i++) {
		uint32_t *at;

		next[i] = LODE_NONE;
		if (e->kind[i] != LODE_EVENT_WAITING)
			continue;
		at = lode_map_slot(&latest, place_of(&stream->tree, e->stack[i]));
		if (*at != LODE_NONE && is_timed_out(e, *at) && e->flags[*at] & LODE_EVENT_REARMED)
			is_next[next[*at] = i] = true;
		*at = i;
	}
	lode_map_release(&latest);
}

/* Is the series of `n` waits from `first` to `last` one of polls that led to something? */
static bool has_polled(const struct lode_events *e, uint32_t first, uint32_t last, size_t n,
		       struct series *series)
{
	size_t run = last;

	while (run < e->n && e->kind[run] != LODE_EVENT_RUNNING)
		run++;
	if (run == e->n || n < MIN_WAITS || !is_timed_out(e, last) ||
	    e->flags[last] & LODE_EVENT_REARMED)
		return false;
	*series = (struct series){e->start_ns[first], e->start_ns[last], e->start_ns[run]};
	return true;
}

/* All series of a thread, whose waits get their holders. */
static uint32_t *find_holders(struct lode_polled *p, const struct lode_stream *stream,
			      lode_thread_id thread)
{
	const struct lode_events *e = &stream->threads.at[thread].events;
	uint32_t *next = lode_alloc(e->n * sizeof(*next)), last, after;
	bool *is_next = lode_alloc0(e->n, sizeof(*is_next));
	struct series series;
	size_t n;

	find_next(stream, e, next, is_next);
	for (uint32_t i = 0; i < e->n; i++) {
		lode_thread_id holder = LODE_NONE;

		if (is_next[i])
			continue;
		for (last = i, n = 1; next[last] != LODE_NONE; n++)
			last = next[last];
		if (has_polled(e, i, last, n, &series))
			holder = find_holder(p, stream, thread, &series);
		/* From here on `next` is its holder. */
		for (last = i; last != LODE_NONE; last = after) {
			after = next[last];
			next[last] = holder;
		}
	}
	free(is_next);
	return next;
}

lode_thread_id lode_polled_holder(struct lode_polled *polled, const struct lode_stream *stream,
				  lode_thread_id thread, uint32_t event)
{
	const struct lode_events *e = &stream->threads.at[thread].events;
	uint32_t **holder_at, wait = event;

	if (e->kind[event] == LODE_EVENT_READY && e->flags[event] & LODE_EVENT_REARMED && wait > 0)
		wait--;
	if (!is_timed_out(e, wait))
		return LODE_NONE;
	if (polled->by_pid.n == 0)
		prepare(polled, stream);
	holder_at = &polled->holder_at.at[thread];
	if (!*holder_at)
		*holder_at = find_holders(polled, stream, thread);
	return (*holder_at)[wait];
}

void lode_polled_release(struct lode_polled *polled)
{
	lode_vec_release_each(&polled->work_ns, it, free(*it));
	lode_vec_release_each(&polled->holder_at, it, free(*it));
	lode_vec_release(&polled->by_pid);
}
