/* Last step of building a stream: nodes, reasons, devices, kernel threads. */
#include "model/finish.h"

#include "model/frame.h"
#include "model/go_idle.h"
#include "model/idle_disk.h"
#include "model/reason.h"
#include "model/schedule.h"
#include "model/tracers.h"
#include "model/unsampled.h"

/* ---- CPU limits ---- */

/*
 * Threads that the CPU limit of their cgroup took off the CPU (cpu.max, cfs_quota_us).
 *
 *   thread   |run|~~~~~~~~ off the run queue ~~~~~~~~|run|~~~~~~~~     time -->
 *   period   |20 ms used up                          |next period
 *
 * Since Linux 6.18 such a thread leaves its CPU in a task work on its way to user space, and no
 * other task work gives the CPU away. The switch says that it is runnable, but no free CPU would
 * have helped it: that is a wait for the next period, and no ready time.
 *
 * LIMIT: before 6.18 the stack of the switch is that of any preemption, and the time is ready time,
 * with `[idle]` for who ran instead if the CPU was free. The same holds for a thread that is woken
 * while its cgroup is throttled.
 */

/* What a function is to this. */
enum role {
	ANY_ROLE,
	TASK_WORK, /* of whatever kind, or the one that throttles */
	SCHEDULER,
};

/* What a stack ends with. */
enum stage {
	ELSEWHERE,
	IN_TASK_WORK,
	LEAVING, /* task work, and nothing but the scheduler behind it */
};

static bool is_function_among(const char *function, const char *const *names)
{
	while (*names && strcmp(function, *names) != 0)
		names++;
	return *names;
}

static enum role role_of(const struct lode_calltree *tree, uint32_t frame)
{
	static const char *const task_work[] = {"task_work_run", "throttle_cfs_rq_work", NULL};
	static const char *const scheduler[] = {
		"__schedule",
		"schedule",
		"__cond_resched",
		"preempt_schedule",
		"preempt_schedule_common",
		"preempt_schedule_thunk",
		NULL,
	};
	const char *function;

	if (!(tree->frames.at[frame].flags & LODE_FRAME_KERNEL))
		return ANY_ROLE;
	function = lode_frame_function(tree, frame);
	if (is_function_among(function, task_work))
		return TASK_WORK;
	return is_function_among(function, scheduler) ? SCHEDULER : ANY_ROLE;
}

static enum stage stage_of(enum role role, enum stage caller)
{
	if (role == TASK_WORK)
		return IN_TASK_WORK;
	return caller != ELSEWHERE && role == SCHEDULER ? LEAVING : ELSEWHERE;
}

/* Per node of `tree`: is it the stack of such a switch? The caller frees it. */
static bool *throttled_stacks(const struct lode_calltree *tree)
{
	bool *throttled = lode_alloc0(tree->nodes.n, sizeof(*throttled));
	uint8_t *stage = lode_alloc0(tree->nodes.n, sizeof(*stage));
	uint8_t *role = lode_alloc(tree->frames.n + 1);

	for (uint32_t frame = 0; frame < tree->frames.n; frame++)
		role[frame] = (uint8_t)role_of(tree, frame);
	/* Node 0 is the empty stack; parents have smaller ids. */
	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		stage[i] = (uint8_t)stage_of((enum role)role[node->frame],
					     (enum stage)stage[node->parent]);
		throttled[i] = stage[i] == LEAVING;
	}
	free(role);
	free(stage);
	return throttled;
}

/* ---- Resolving ---- */

struct resolver {
	struct lode_stream *stream;
	const uint32_t *node_of_raw;
	size_t n_raw;
	const uint32_t *event, *sample;		   /* per node: struct lode_tracers */
	const uint32_t *go_idle;		   /* per node, or NULL: go_idle.h */
	const struct lode_stack_meaning *meanings; /* per node */
	const bool *throttled;			   /* per node */
	const uint8_t *io;			   /* per node, or NULL: idle_disk.h */
};

static uint32_t node_of(const struct resolver *r, uint32_t raw)
{
	return raw < r->n_raw ? r->node_of_raw[raw] : 0;
}

/* Whether a disk ended the wait, though no waking was recorded (idle_disk.h). */
static bool is_of_idle_disk(const struct resolver *r, const struct lode_events *e, size_t i,
			    enum lode_wait_reason reason, bool has_asked_disk)
{
	unsigned io = r->io ? r->io[e->stack[i]] : LODE_IO_NONE;
	bool is_disk = io == LODE_IO_RING
			       ? has_asked_disk
			       : io && (reason == LODE_REASON_DISK || reason == LODE_REASON_FAULT);

	return is_disk && e->other[i] == LODE_NONE && e->device[i] == LODE_DEVICE_NONE &&
	       e->flags[i] & LODE_EVENT_NO_WAKER && !(e->flags[i] & LODE_EVENT_CUT_START) &&
	       lode_came_from_idle(r->stream, e, i);
}

static void resolve_wait(const struct resolver *r, lode_thread_id id, size_t i)
{
	struct lode_events *e = &r->stream->threads.at[id].events;
	const struct lode_stack_meaning *waiting = &r->meanings[e->stack[i]];
	const struct lode_stack_meaning *waker = &r->meanings[e->other_stack[i]];
	enum lode_wait_reason hint = e->reason[i] & ~(LODE_HINT_DISK_SLEEP | LODE_HINT_ASKED_DISK);
	bool has_asked_disk = e->reason[i] & LODE_HINT_ASKED_DISK;
	bool is_disk_sleep = e->reason[i] & LODE_HINT_DISK_SLEEP;
	bool is_untold = e->device[i] == LODE_HINT_UNTOLD;

	if (e->other[i] != LODE_NONE && lode_is_sender(waker)) {
		e->device[i] = LODE_DEVICE_NONE;
	} else if (e->device[i] == LODE_HINT_INTERRUPT ||
		   (is_untold && waker->marks & LODE_MARK_INTERRUPT)) {
		e->device[i] = (uint8_t)lode_device_of_waking(waker, waiting, hint);
		e->other[i] = LODE_NONE;
	} else if (is_untold) {
		e->device[i] = LODE_DEVICE_NONE;
		if (e->other[i] == LODE_NONE) {
			e->flags[i] |= LODE_EVENT_NO_WAKER;
			lode_loss_add(&r->stream->losses, LODE_LOSS_NO_WAKER, 1, -1,
				      lode_event_end_ns(e, i), "%d has no known waker",
				      r->stream->threads.at[id].tid);
			r->stream->losses.by_kind[LODE_LOSS_NO_WAKER].cost_ns += e->cost_ns[i];
		}
	}
	e->reason[i] = (uint8_t)lode_reason_of_wait(waiting, hint, is_disk_sleep,
						    (enum lode_device)e->device[i]);
	if (is_of_idle_disk(r, e, i, e->reason[i], has_asked_disk)) {
		e->device[i] = LODE_DEVICE_DISK;
		e->reason[i] = (uint8_t)lode_reason_of_wait(waiting, hint, is_disk_sleep,
							    LODE_DEVICE_DISK);
	}
	/* It began before the recording: all that is known is that a packet ended it. */
	if (!e->stack[i] && e->reason[i] == LODE_REASON_OTHER && e->other[i] != LODE_NONE &&
	    lode_is_sender(waker))
		e->reason[i] = LODE_REASON_NETWORK;
}

static void resolve_ready(const struct resolver *r, struct lode_events *e, size_t i)
{
	if (!(e->flags[i] & LODE_EVENT_PREEMPTED) || !r->throttled[e->stack[i]])
		return;
	e->kind[i] = LODE_EVENT_WAITING;
	e->reason[i] = LODE_REASON_TIMER;
	e->device[i] = LODE_DEVICE_CPU_LIMIT;
	e->other[i] = LODE_NONE;
	e->flags[i] &= (uint8_t)~LODE_EVENT_PREEMPTED;
}

/* Whether the wait, or the ready time behind it, is of a thread without a goroutine; its stack then
   says nothing else. */
static bool take_go_idle(const struct resolver *r, struct lode_events *e, size_t i)
{
	uint32_t idle = r->go_idle ? r->go_idle[e->stack[i]] : 0;

	if (!idle || e->kind[i] == LODE_EVENT_RUNNING || e->flags[i] & LODE_EVENT_PREEMPTED)
		return false;
	e->stack[i] = idle;
	if (e->kind[i] != LODE_EVENT_WAITING)
		return true;
	e->other_stack[i] = 0;
	e->other[i] = LODE_NONE;
	e->device[i] = LODE_DEVICE_NONE;
	e->reason[i] = LODE_REASON_IDLE;
	return true;
}

static void resolve_thread(const struct resolver *r, lode_thread_id id)
{
	struct lode_thread *thread = &r->stream->threads.at[id];
	struct lode_events *e = &thread->events;
	unsigned marks = 0;

	for (size_t i = 0; i < e->n; i++) {
		bool is_sample =
			e->kind[i] == LODE_EVENT_RUNNING && !(e->flags[i] & LODE_EVENT_UNSAMPLED);
		uint32_t node = node_of(r, e->stack[i]);

		e->stack[i] = is_sample ? r->sample[node] : r->event[node];
		e->other_stack[i] = r->event[node_of(r, e->other_stack[i])];
		marks |= r->meanings[e->stack[i]].marks;
		if (take_go_idle(r, e, i))
			continue;
		if (e->kind[i] == LODE_EVENT_WAITING)
			resolve_wait(r, id, i);
		else if (e->kind[i] == LODE_EVENT_READY)
			resolve_ready(r, e, i);
	}
	if (marks & LODE_MARK_KTHREAD && !(marks & LODE_MARK_USER))
		thread->is_kernel = true;
}

static void extend_stack_flags(struct lode_stream *stream,
			       const struct lode_stack_meaning *meanings)
{
	size_t n = stream->tree.nodes.n;

	if (stream->n_stack_flags < n) {
		stream->stack_flags =
			lode_realloc_n(stream->stack_flags, n, sizeof(*stream->stack_flags));
		memset(stream->stack_flags + stream->n_stack_flags, 0, n - stream->n_stack_flags);
		stream->n_stack_flags = n;
	}
	for (size_t i = 0; i < n; i++)
		if (meanings[i].marks & LODE_MARK_USER)
			stream->stack_flags[i] |= LODE_STACK_USER;
}

/* Stacks that were added behind the first `n` are like no other. */
static void extend_stack_like(struct lode_stream *stream, size_t n)
{
	if (!stream->stack_like)
		return;
	stream->stack_like = lode_realloc_n(stream->stack_like, stream->tree.nodes.n,
					    sizeof(*stream->stack_like));
	for (size_t i = n; i < stream->tree.nodes.n; i++)
		stream->stack_like[i] = (uint32_t)i;
}

void lode_stream_resolve(struct lode_stream *stream, uint32_t *node_of_raw, size_t n_raw)
{
	bool is_folded = strcmp(stream->format, "folded") == 0;
	size_t n_recorded = stream->tree.nodes.n;
	struct lode_tracers tracers;
	struct lode_stack_meaning *meanings;
	uint32_t *go_idle;
	bool *throttled;
	uint8_t *io;
	struct resolver r;

	lode_tracers_find(&tracers, &stream->tree);
	go_idle = lode_go_idle_stacks(&stream->tree);
	extend_stack_like(stream, n_recorded);
	meanings = lode_stack_meanings(&stream->tree);
	throttled = throttled_stacks(&stream->tree);
	io = stream->has_switches && stream->has_wakings ? lode_io_stacks(&stream->tree) : NULL;
	/* Folded stacks may be of samples or of switches. */
	r = (struct resolver){
		.stream = stream,
		.node_of_raw = node_of_raw,
		.n_raw = n_raw,
		.event = tracers.event,
		.sample = is_folded ? tracers.event : tracers.sample,
		.go_idle = go_idle,
		.meanings = meanings,
		.throttled = throttled,
		.io = io,
	};
	for (lode_thread_id id = 0; id < stream->threads.n; id++)
		resolve_thread(&r, id);
	for (size_t i = 0; i < n_raw; i++)
		node_of_raw[i] = tracers.event[node_of_raw[i]];
	if (stream->has_switches)
		lode_unsampled_place(stream);
	extend_stack_flags(stream, meanings);
	lode_tracers_release(&tracers);
	free(go_idle);
	free(throttled);
	free(io);
	free(meanings);
}
