/* Waits that were taken up again after a time-out. */
#include "model/rearmed.h"

#include "model/handed_over.h"
#include "model/idle_disk.h"

enum {
	ELSEWHERE = 10, /* what is done between two waits is at most this part of the first */
	JITTER = 8,	/* time-outs that differ by less than this part are alike */
	FRAMES = 3,	/* so many user frames tell a place, even if all are of one file */
	MS = 1000000,
	SLACK_PART = 1000, /* of its time-out, for which the kernel lets poll wait longer ... */
	SLACK_NS = 50000,  /* ... and for so long at least */
	EARLY_NS = 50000,  /* the time-out runs from the system call on, the wait from the switch */
	LATE_NS = 250000,  /* an idle CPU takes less to wake up and to switch to the thread */
};

/* A node's stack as a place to wait at, and the latest wait there. */
struct place {
	bool is_time_out; /* as the stack of a waking: the wait's own time-out, or a timer's signal
			   */
	uint32_t user;	  /* its node without kernel frames; itself when there are no others */
	uint32_t file;	  /* of its innermost frame that is of one */
	uint8_t n_frames; /* of files, up to FRAMES; FRAMES if they are of two files */
	bool is_of_files; /* waits for what happens to open files: its time-outs are of any length
			   */
	lode_thread_id thread; /* of what follows */
	uint32_t wait;
	int64_t ready_ns;  /* for which the thread had been ready before */
	int64_t before_ns; /* length of the wait that it took up; 0: of none */
};

struct resumption {
	uint32_t wait, next;
};

struct joining {
	struct lode_stream *stream;
	struct place *places; /* per node */
	LODE_VEC(struct resumption) found;
	bool *has_taken; /* per event of the thread: it has the ending of a later one */
};

/* ---- Places ---- */

/* Adds the frame that ends the stack to what is known of its caller's. */
static void count_frame(const struct lode_calltree *tree, struct place *place, uint32_t frame)
{
	uint32_t file = tree->frames.at[frame].module;

	/* Garbage addresses are in modules such as [unknown]. */
	if (*lode_frame_module(tree, frame) == '[')
		return;
	if (place->n_frames && file != place->file)
		place->n_frames = FRAMES;
	else if (place->n_frames < FRAMES)
		place->n_frames++;
	place->file = file;
}

/*
 * Does the function end a wait for no reason but the time? Other timers bring what was waited for:
 * work that was put off (delayed_work_timer_fn), the tick of a timerfd.
 */
static bool is_time_out(const char *function)
{
	return !strcmp(function, "hrtimer_wakeup") || !strcmp(function, "process_timeout") ||
	       !strcmp(function, "it_real_fn") || !strcmp(function, "posix_timer_fn");
}

/* poll and epoll_wait. Not select, with which programs sleep. */
static bool waits_for_files(const char *function)
{
	return !strcmp(function, "do_sys_poll") || !strcmp(function, "do_epoll_wait") ||
	       !strcmp(function, "ep_poll");
}

/* Per frame: is it such a function of the kernel? */
static bool *find_functions(const struct lode_calltree *tree, bool is_such(const char *function))
{
	bool *found = lode_alloc0(tree->frames.n, sizeof(*found));

	for (uint32_t i = 0; i < tree->frames.n; i++)
		found[i] = tree->frames.at[i].flags & LODE_FRAME_KERNEL &&
			   is_such(lode_frame_function(tree, i));
	return found;
}

static struct place *make_places(const struct lode_calltree *tree)
{
	struct place *places = lode_alloc0(tree->nodes.n, sizeof(*places));
	bool *time_outs = find_functions(tree, is_time_out);
	bool *of_files = find_functions(tree, waits_for_files);

	places[0].thread = LODE_NONE;
	/* Parents have smaller ids. */
	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		places[i] = places[node->parent];
		places[i].is_time_out |= time_outs[node->frame];
		places[i].is_of_files |= of_files[node->frame];
		if (tree->frames.at[node->frame].flags & LODE_FRAME_KERNEL)
			continue;
		places[i].user = i;
		count_frame(tree, &places[i], node->frame);
	}
	free(of_files);
	free(time_outs);
	return places;
}

/* ---- Which waits are taken up again ---- */

/*
 * Is it as long as a time-out of whole milliseconds, such as those of poll and epoll_wait, is on an
 * idle CPU? The kernel adds a thousandth, or 50 us if that is more (select_estimate_accuracy), and
 * a CPU that idles has nothing earlier to wake up for.
 */
static bool is_whole_ms(int64_t length)
{
	int64_t latest = length + EARLY_NS, by_slack = (latest - SLACK_NS) / MS,
		by_part = latest / (MS + MS / SLACK_PART);
	int64_t n = by_slack < by_part ? by_slack : by_part;
	int64_t slack = n * MS / SLACK_PART;

	return n > 0 && length - n * MS - (slack < SLACK_NS ? SLACK_NS : slack) <= LATE_NS;
}

/* A wait for a lock, or for so many milliseconds in poll, whose waking was not recorded, on a CPU
   that idled: a thread that wakes another is at work on a CPU and recorded, but interrupts of idle
   CPUs may not be. */
static bool has_ended_untraced(const struct joining *j, const struct lode_events *e, uint32_t wait)
{
	return (e->reason[wait] == LODE_REASON_LOCK ||
		(e->reason[wait] == LODE_REASON_POLL && is_whole_ms(e->cost_ns[wait]))) &&
	       e->device[wait] == LODE_DEVICE_NONE && e->flags[wait] & LODE_EVENT_NO_WAKER &&
	       lode_came_from_idle(j->stream, e, wait);
}

static bool has_timed_out(const struct joining *j, const struct lode_events *e, uint32_t wait)
{
	if (e->other[wait] != LODE_NONE)
		return false;
	if (has_ended_untraced(j, e, wait))
		return true;
	/* A sleep whose waking was lost: what else than the clock ends it? */
	if (e->device[wait] == LODE_DEVICE_NONE)
		return e->reason[wait] == LODE_REASON_TIMER;
	return e->device[wait] == LODE_DEVICE_TIMER && j->places[e->other_stack[wait]].is_time_out;
}

static bool is_timed_out(const void *joining, const struct lode_events *e, uint32_t wait)
{
	return has_timed_out(joining, e, wait);
}

/* A poll that timed out has the timer for its reason, if its waking was recorded. */
static bool is_like_reason(uint8_t a, uint8_t b)
{
	return a == b || (a == LODE_REASON_TIMER && b == LODE_REASON_POLL) ||
	       (a == LODE_REASON_POLL && b == LODE_REASON_TIMER);
}

/* Could wait `next` belong to the loop whose time-outs were `before_ns` and that of `wait`? */
static bool fits_time_outs(const struct joining *j, const struct lode_events *e,
			   const struct place *latest, uint32_t next)
{
	double last_ns = (double)e->cost_ns[latest->wait], next_ns = (double)e->cost_ns[next];
	double before_ns = (double)latest->before_ns;

	if (has_timed_out(j, e, next))
		return next_ns * JITTER >= last_ns * (JITTER - 1);
	if (before_ns == 0 || before_ns > last_ns)
		before_ns = last_ns;
	return next_ns * before_ns * JITTER <= last_ns * last_ns * (JITTER + 1);
}

/* A thread that waits for its files again, at once and with whatever time-out is left of what it
   wants to do next, has waited for them all the time. */
static bool is_for_files(const struct joining *j, const struct lode_events *e, uint32_t wait,
			 uint32_t next)
{
	return j->places[e->stack[wait]].is_of_files && j->places[e->stack[next]].is_of_files;
}

/* Where the waking was not recorded. One wait for files can be so many milliseconds long by chance,
   as what it waited for came; of two in a row that is unlikely. */
static bool fits_untraced(const struct joining *j, const struct lode_events *e,
			  const struct place *latest, uint32_t next)
{
	if (is_for_files(j, e, latest->wait, next))
		return latest->before_ns > 0 || has_timed_out(j, e, next);
	return fits_time_outs(j, e, latest, next);
}

static bool is_taken_up(const struct joining *j, const struct lode_events *e,
			const struct place *latest, uint32_t next, int64_t ready_ns)
{
	uint32_t wait = latest->wait;
	int64_t elsewhere_ns =
		e->start_ns[next] - lode_event_end_ns(e, wait) - (ready_ns - latest->ready_ns);

	if (!has_timed_out(j, e, wait) || !is_like_reason(e->reason[wait], e->reason[next]) ||
	    elsewhere_ns > e->cost_ns[wait] / ELSEWHERE)
		return false;
	if (has_ended_untraced(j, e, wait))
		return fits_untraced(j, e, latest, next);
	return latest->n_frames == FRAMES || is_for_files(j, e, wait, next) ||
	       fits_time_outs(j, e, latest, next);
}

/* ---- Across the change from call chains to stack dumps ---- */

static bool is_named(const struct lode_calltree *tree, uint32_t node)
{
	const struct lode_frame *frame = &tree->frames.at[tree->nodes.at[node].frame];

	return !(frame->flags & LODE_FRAME_UNKNOWN) &&
	       *lode_frame_module(tree, tree->nodes.at[node].frame) != '[';
}

/*
 * Without frame pointers a chain lacks callers, and may have garbage outside of them: is what it
 * names of `dump`, in its order, and the function that waits the same?
 */
static bool is_chain_of(const struct lode_calltree *tree, uint32_t chain, uint32_t dump)
{
	if (!chain || !dump || tree->nodes.at[chain].frame != tree->nodes.at[dump].frame)
		return false;
	for (; chain; chain = tree->nodes.at[chain].parent) {
		if (!is_named(tree, chain))
			continue;
		while (dump && tree->nodes.at[dump].frame != tree->nodes.at[chain].frame)
			dump = tree->nodes.at[dump].parent;
		if (!dump)
			return false;
		dump = tree->nodes.at[dump].parent;
	}
	return true;
}

/* `last`: the thread's latest wait with a chain; none any more once it cannot be taken up. */
static bool is_taken_up_by_dump(const struct joining *j, const struct lode_events *e,
				struct place *last, uint32_t next, int64_t ready_ns)
{
	bool is_found;

	if (last->thread == LODE_NONE || e->start_ns[next] < j->stream->dumps_ns)
		return false;
	is_found = is_taken_up(j, e, last, next, ready_ns) &&
		   is_chain_of(&j->stream->tree, last->user, j->places[e->stack[next]].user);
	if (is_found ||
	    e->start_ns[next] - lode_event_end_ns(e, last->wait) - ready_ns + last->ready_ns >
		    e->cost_ns[last->wait] / ELSEWHERE)
		last->thread = LODE_NONE;
	return is_found;
}

static void find_taken_up(struct joining *j, lode_thread_id thread)
{
	const struct lode_events *e = &j->stream->threads.at[thread].events;
	struct place chain = {.thread = LODE_NONE};
	int64_t ready_ns = 0;

	j->found.n = 0;
	for (uint32_t i = 0; i < e->n; i++) {
		struct place *place = &j->places[e->stack[i]];
		int64_t before_ns = 0;

		if (e->kind[i] == LODE_EVENT_READY)
			ready_ns += e->cost_ns[i];
		if (e->kind[i] != LODE_EVENT_WAITING)
			continue;
		if (place->user)
			place = &j->places[place->user];
		if (place->thread == thread && is_taken_up(j, e, place, i, ready_ns)) {
			before_ns = e->cost_ns[place->wait];
			lode_vec_append(&j->found, ((struct resumption){place->wait, i}));
			if (chain.wait == place->wait)
				chain.thread = LODE_NONE;
		} else if (is_taken_up_by_dump(j, e, &chain, i, ready_ns)) {
			before_ns = e->cost_ns[chain.wait];
			lode_vec_append(&j->found, ((struct resumption){chain.wait, i}));
		}
		place->thread = thread;
		place->wait = i;
		place->ready_ns = ready_ns;
		place->before_ns = before_ns;
		if (e->start_ns[i] < j->stream->dumps_ns)
			chain = *place;
	}
}

/* ---- What follows from it ---- */

static void take_ending(struct lode_events *e, uint32_t wait, uint32_t last)
{
	unsigned known = LODE_EVENT_NO_WAKER | LODE_EVENT_FROM_IDLE;

	e->other[wait] = e->other[last];
	e->other_stack[wait] = e->other_stack[last];
	e->device[wait] = e->device[last];
	e->reason[wait] = e->reason[last];
	e->flags[wait] = (uint8_t)((e->flags[wait] & ~known) | (e->flags[last] & known));
}

static void mark_rearmed(struct lode_events *e, uint32_t wait)
{
	uint32_t behind = wait + 1;

	e->flags[wait] |= LODE_EVENT_REARMED;
	if (e->kind[behind] == LODE_EVENT_READY &&
	    e->start_ns[behind] == lode_event_end_ns(e, wait))
		e->flags[behind] |= LODE_EVENT_REARMED;
}

/* Is it known what `last` ended by, or at least that it was not its time-out? */
static bool has_an_end(const struct joining *j, const struct lode_events *e, uint32_t wait,
		       uint32_t last)
{
	int64_t longer_ns = e->cost_ns[last] - e->cost_ns[wait];

	if (j->has_taken[last])
		return true;

	if (e->device[last] == LODE_DEVICE_TIMER || e->reason[last] == LODE_REASON_TIMER ||
	    e->flags[last] & LODE_EVENT_CUT_END || has_ended_untraced(j, e, last))
		return false;
	return e->other[last] != LODE_NONE || e->device[last] != LODE_DEVICE_NONE ||
	       llabs(longer_ns) > e->cost_ns[wait] / JITTER;
}

void lode_stream_join_rearmed(struct lode_stream *stream)
{
	struct joining j = {.stream = stream};

	if (!stream->has_switches)
		return;
	j.places = make_places(&stream->tree);
	lode_stream_find_holders(stream, is_timed_out, &j);
	for (lode_thread_id thread = 0; thread < stream->threads.n; thread++) {
		struct lode_events *e = &stream->threads.at[thread].events;

		find_taken_up(&j, thread);
		j.has_taken = lode_alloc0(e->n, sizeof(*j.has_taken));
		/* The last first: what it ends by goes from one to the one before. */
		for (size_t i = j.found.n; i-- > 0;) {
			uint32_t wait = j.found.at[i].wait, next = j.found.at[i].next;

			j.has_taken[wait] = has_an_end(&j, e, wait, next);
			if (j.has_taken[wait])
				take_ending(e, wait, next);
			mark_rearmed(e, wait);
		}
		free(j.has_taken);
	}
	lode_vec_release(&j.found);
	free(j.places);
}
