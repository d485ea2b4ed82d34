/* Windows that hold calls, found from the calls: empty ones cost nothing. */
#include "answers/timeline/window_walk.h"

#include "base/sorted.h"

#define NOWHERE ((int64_t)-1)

LODE_COMPARE_AT(compare_first, struct lode_call_thread, LODE_ORDER(a->first_ns, b->first_ns))

void lode_window_walk_init(struct lode_window_walk *walk, struct lode_call_trace *trace,
			   int64_t n_steps)
{
	*walk = (struct lode_window_walk){.trace = trace, .n_steps = n_steps, .known = NOWHERE};
	walk->ordered = lode_alloc0(trace->threads.n + 1, sizeof(*walk->ordered));
	for (size_t i = 0; i < trace->threads.n; i++)
		walk->ordered[i] = trace->threads.at[i];
	lode_sort(walk->ordered, trace->threads.n, compare_first);
	walk->cursors = lode_alloc0(LODE_WALK_CURSORS, sizeof(*walk->cursors));
	for (unsigned i = 0; i < LODE_WALK_CURSORS; i++)
		lode_call_cursor_init(&walk->cursors[i], trace, NULL);
}

void lode_window_walk_release(struct lode_window_walk *walk)
{
	for (unsigned i = 0; walk->cursors && i < LODE_WALK_CURSORS; i++)
		lode_call_cursor_release(&walk->cursors[i]);
	free(walk->cursors);
	free(walk->ordered);
	lode_vec_release(&walk->going);
	*walk = (struct lode_window_walk){0};
}

/* ---- Steps of the span ---- */

static __int128 length_of(const struct lode_window_walk *walk)
{
	return (__int128)walk->trace->last_ns - walk->trace->first_ns + 1;
}

/* Where step `i` begins. */
static int64_t border(const struct lode_window_walk *walk, int64_t i)
{
	return walk->trace->first_ns + (int64_t)(length_of(walk) * i / walk->n_steps);
}

/* The step with `t_ns`: the last one that begins there or before. */
static int64_t step_of(const struct lode_window_walk *walk, int64_t t_ns)
{
	/* The least i of which length * i / n, rounded down, exceeds t - first; then the one
	 * before.
	 */
	__int128 past = (__int128)t_ns - walk->trace->first_ns + 1;

	return (int64_t)((past * walk->n_steps + length_of(walk) - 1) / length_of(walk)) - 1;
}

/* ---- Threads ---- */

static struct lode_call_cursor *cursor_of(struct lode_window_walk *walk, size_t i)
{
	struct lode_call_cursor *cursor = &walk->cursors[i % LODE_WALK_CURSORS];

	if (cursor->thread != walk->going.at[i].thread)
		lode_call_cursor_move_for_times(cursor, walk->going.at[i].thread);
	return cursor;
}

/* The first call of a thread that begins at `t_ns` or later. */
static uint64_t find(struct lode_window_walk *walk, size_t i, int64_t t_ns)
{
	const struct lode_call_thread *thread = walk->going.at[i].thread;

	if (t_ns <= thread->first_ns)
		return 0;
	if (t_ns > thread->last_ns || thread->n_calls == 1)
		return thread->n_calls;
	return lode_call_find(cursor_of(walk, i), t_ns);
}

/* Threads whose first call is before the window's end come in. */
static void enter_threads(struct lode_window_walk *walk, int64_t end_ns)
{
	while (walk->n_entered < walk->trace->threads.n &&
	       walk->ordered[walk->n_entered]->first_ns < end_ns)
		lode_vec_append(&walk->going, ((struct lode_walk_thread){
						      .thread = walk->ordered[walk->n_entered++]}));
}

/* Places of all threads in the window at hand; how many calls that makes. */
static uint64_t look(struct lode_window_walk *walk)
{
	int64_t t0 = border(walk, walk->at), t1 = border(walk, walk->at + 1);
	int64_t t2 = border(walk, walk->at + 2);
	/* Places of the window before are this one's, but for the last step's. */
	size_t n_known = walk->known != NOWHERE && walk->at == walk->known + 1 ? walk->going.n : 0;
	size_t n_left = 0;
	uint64_t n = 0;

	enter_threads(walk, t2);
	for (size_t i = 0; i < walk->going.n; i++) {
		struct lode_walk_thread *t = &walk->going.at[i];

		t->from = i < n_known ? t->middle : find(walk, i, t0);
		t->middle = i < n_known ? t->to : find(walk, i, t1);
		t->to = find(walk, i, t2);
		n += t->to - t->from;
	}
	/* Whose last call has begun before the window goes. */
	for (size_t i = 0; i < walk->going.n; i++)
		if (walk->going.at[i].from < walk->going.at[i].thread->n_calls)
			walk->going.at[n_left++] = walk->going.at[i];
	walk->going.n = n_left;
	walk->known = walk->at;
	walk->n_visited++;
	return n;
}

/* The next call behind the window at hand, which is empty; INT64_MAX: none. */
static int64_t next_start(struct lode_window_walk *walk)
{
	int64_t first = INT64_MAX;

	if (walk->n_entered < walk->trace->threads.n)
		first = walk->ordered[walk->n_entered]->first_ns;
	for (size_t i = 0; i < walk->going.n; i++) {
		const struct lode_walk_thread *t = &walk->going.at[i];
		const struct lode_call *call;

		if (t->to == t->thread->n_calls)
			continue;
		call = lode_call_at(cursor_of(walk, i), t->to);
		if (call && call->start_ns < first)
			first = call->start_ns;
	}
	return first;
}

static int status(const struct lode_window_walk *walk, struct lode_error *err)
{
	for (unsigned i = 0; i < LODE_WALK_CURSORS; i++)
		if (walk->cursors[i].rc < 0) {
			if (err)
				*err = walk->cursors[i].err;
			return walk->cursors[i].rc;
		}
	return LODE_OK;
}

/* ---- The walk ---- */

int lode_window_walk_next(struct lode_window_walk *walk, struct lode_walk_window *window,
			  struct lode_error *err)
{
	while (walk->at + 2 <= walk->n_steps) {
		uint64_t n = look(walk);
		int rc = status(walk, err);
		int64_t start;

		if (rc < 0)
			return rc;
		if (n) {
			*window = (struct lode_walk_window){border(walk, walk->at),
							    border(walk, walk->at + 2), n};
			walk->at++;
			return 1;
		}
		start = next_start(walk);
		rc = status(walk, err);
		if (rc < 0)
			return rc;
		if (start == INT64_MAX)
			break;
		/* Nothing begins before the step with that call, and it is behind this window. */
		walk->at = step_of(walk, start) - 1;
	}
	walk->at = walk->n_steps;
	return 0;
}

void lode_window_walk_pass(struct lode_window_walk *walk, int64_t t_ns)
{
	int64_t at;

	if (t_ns > walk->trace->last_ns) {
		walk->at = walk->n_steps;
		return;
	}
	/* A window that ends where a step begins ends behind t only if the step does. */
	at = step_of(walk, t_ns) - 1;
	if (at > walk->at)
		walk->at = at;
}
