/* The scheduler's state machine (docs/model.md). */
#include "model/schedule.h"

enum {
	MAX_CPUS = UINT16_MAX,	 /* the column `cpu` has 16 bits, and its last value is "unknown" */
	EARLY_WAKE_NS = 1000000, /* from the run queue to its switch a thread takes far less */
};

struct lode_sched_thread *lode_schedule_thread(struct lode_schedule *schedule,
					       lode_thread_id thread)
{
	while (schedule->threads.n <= thread) {
		struct lode_sched_thread *t = lode_vec_append_zero(&schedule->threads);

		t->cpu = LODE_CPU_NOWHERE;
		t->early_wake_ns = INT64_MIN;
	}
	return &schedule->threads.at[thread];
}

static struct lode_sched_cpu *make_cpu(struct lode_schedule *schedule, uint32_t cpu)
{
	if (cpu >= MAX_CPUS) {
		schedule->nowhere.current = LODE_NONE;
		schedule->nowhere.since_ns = INT64_MIN;
		schedule->nowhere.is_seen = true; /* so that nothing reaches back to the start */
		return &schedule->nowhere;
	}
	while (schedule->cpus.n <= cpu) {
		struct lode_sched_cpu *c = lode_vec_append_zero(&schedule->cpus);

		c->current = LODE_NONE;
		c->since_ns = INT64_MIN;
		lode_silent_idle(&schedule->silent, INT64_MIN);
	}
	return &schedule->cpus.at[cpu];
}

void lode_schedule_release(struct lode_schedule *schedule)
{
	for (size_t i = 0; i < schedule->cpus.n; i++) {
		lode_vec_release(&schedule->cpus.at[i].longest);
		lode_vec_release(&schedule->cpus.at[i].log.runs);
	}
	lode_vec_release(&schedule->cpus);
	lode_vec_release(&schedule->threads);
	lode_silent_release(&schedule->silent);
	lode_vec_release(&schedule->nowhere.longest);
	lode_vec_release(&schedule->nowhere.log.runs);
}

/* A thread that a record named: the builder has made it. */
static inline struct lode_sched_thread *sched_thread_at(struct lode_schedule *s, lode_thread_id id)
{
	return &s->threads.at[id];
}

static inline struct lode_sched_cpu *cpu_at(struct lode_schedule *s, uint32_t cpu)
{
	return cpu < s->cpus.n ? &s->cpus.at[cpu] : make_cpu(s, cpu);
}

static int32_t tid_of(const struct lode_schedule *s, lode_thread_id id)
{
	return s->stream->threads.at[id].tid;
}

static bool is_thread(lode_thread_id id)
{
	return id != LODE_NONE && id != LODE_IDLE;
}

static uint16_t cpu_column(uint32_t cpu)
{
	return cpu < MAX_CPUS ? (uint16_t)cpu : UINT16_MAX;
}

/* Losses outside of the window that is read do not count. */
static bool counts(const struct lode_schedule *s, int64_t t_ns)
{
	return t_ns >= s->from_ns && t_ns < s->to_ns;
}

/* ---- Events, staged ---- */

static size_t event_count(struct lode_schedule *s, lode_thread_id id)
{
	return s->stream->threads.at[id].events.n + sched_thread_at(s, id)->n_staged;
}

static void flush_schedule(struct lode_schedule *s, lode_thread_id id)
{
	struct lode_events *events = &s->stream->threads.at[id].events;
	struct lode_sched_thread *t = sched_thread_at(s, id);
	size_t n = t->n_staged, first = lode_events_extend(events, n);

#define WRITE(column)                  \
	for (size_t i = 0; i < n; i++) \
		events->column[first + i] = t->staged[i].column;
	WRITE(start_ns)
	WRITE(cost_ns)
	WRITE(stack)
	WRITE(other)
	WRITE(other_stack)
	WRITE(kind)
	WRITE(reason)
	WRITE(device)
	WRITE(flags)
	WRITE(cpu)
#undef WRITE
	t->n_staged = 0;
}

/* Valid until the thread's next event. */
static struct lode_sched_event *append_schedule(struct lode_schedule *s, lode_thread_id id,
						enum lode_event_kind kind, int64_t start_ns,
						int64_t cost_ns, uint32_t stack)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);
	struct lode_sched_event *e;

	if (t->n_staged == LODE_SCHED_STAGED)
		flush_schedule(s, id);
	e = &t->staged[t->n_staged++];
	*e = (struct lode_sched_event){.start_ns = start_ns,
				       .cost_ns = cost_ns,
				       .stack = stack,
				       .other = LODE_NONE,
				       .kind = (uint8_t)kind,
				       .cpu = UINT16_MAX};
	return e;
}

/* Keeps the first `n` events of a thread. */
static void truncate_to(struct lode_schedule *s, lode_thread_id id, size_t n)
{
	struct lode_events *events = &s->stream->threads.at[id].events;
	struct lode_sched_thread *t = sched_thread_at(s, id);

	if (n < events->n) {
		events->n = n;
		t->n_staged = 0;
	} else {
		t->n_staged = (uint8_t)(n - events->n);
	}
}

/* To the window; what is cut is marked. May leave nothing. */
static void clip(const struct lode_schedule *s, int64_t *start_ns, int64_t *end_ns, unsigned *flags)
{
	if (*start_ns < s->from_ns) {
		*start_ns = s->from_ns;
		*flags |= LODE_EVENT_CUT_START;
	}
	if (*end_ns > s->to_ns) {
		*end_ns = s->to_ns;
		*flags |= LODE_EVENT_CUT_END;
	}
}

/* Writes an event, clipped to the window; NULL when nothing of it is inside. */
static struct lode_sched_event *emit(struct lode_schedule *s, lode_thread_id id,
				     enum lode_event_kind kind, int64_t start_ns, int64_t end_ns,
				     uint32_t stack, unsigned flags)
{
	struct lode_sched_event *e;

	if (kind != LODE_EVENT_RUNNING && s->running_only)
		return NULL;
	clip(s, &start_ns, &end_ns, &flags);
	if (end_ns <= start_ns)
		return NULL;
	e = append_schedule(s, id, kind, start_ns, end_ns - start_ns, stack);
	e->flags = (uint8_t)flags;
	e->cpu = cpu_column(sched_thread_at(s, id)->cpu);
	return e;
}

/* ---- CPUs ---- */

static void cpu_log_run(struct lode_sched_cpu *cpu, int64_t end_ns)
{
	struct lode_sched_run run = {cpu->current, cpu->since_ns, end_ns};
	int64_t length;

	if (!is_thread(run.thread) || end_ns <= run.start_ns)
		return;
	length = end_ns - run.start_ns;
	while (cpu->longest.n > 0) {
		const struct lode_sched_run *last = &cpu->longest.at[cpu->longest.n - 1];

		if (last->end_ns - last->start_ns >= length)
			break;
		cpu->longest.n--;
	}
	lode_vec_append(&cpu->longest, run);
}

/* The thread on the CPU from `t_ns` on; of several at one time, the last. */
static void cpu_log_start(struct lode_sched_cpu *cpu, lode_thread_id id, int64_t t_ns)
{
	struct lode_cpu_run run = {t_ns, id}, *last;

	last = cpu->log.runs.n ? &cpu->log.runs.at[cpu->log.runs.n - 1] : NULL;
	if (last && last->start_ns >= t_ns)
		last->thread = id;
	else if (!last || last->thread != id)
		lode_vec_append(&cpu->log.runs, run);
}

static void cpu_set(struct lode_schedule *s, struct lode_sched_cpu *cpu, lode_thread_id id,
		    int64_t t_ns)
{
	if (is_thread(cpu->current) != is_thread(id) && cpu != &s->nowhere)
		(is_thread(id) ? lode_silent_busy : lode_silent_idle)(&s->silent, t_ns);
	cpu_log_run(cpu, t_ns);
	cpu_log_start(cpu, id, t_ns);
	cpu->current = id;
	cpu->since_ns = t_ns;
	cpu->is_seen = true;
}

/* The thread with the longest run on `cpu` since `since_ns`, counting from there, or LODE_NONE. */
static lode_thread_id cpu_longest(const struct lode_sched_cpu *cpu, int64_t since_ns)
{
	const struct lode_sched_run *runs = cpu->longest.at, *clipped, *whole;
	size_t low = 0, high = cpu->longest.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (runs[mid].start_ns >= since_ns)
			high = mid;
		else
			low = mid + 1;
	}
	whole = low < cpu->longest.n ? &runs[low] : NULL;
	clipped = low > 0 && runs[low - 1].end_ns > since_ns ? &runs[low - 1] : NULL;
	if (!whole)
		return clipped ? clipped->thread : LODE_NONE;
	if (clipped && clipped->end_ns - since_ns >= whole->end_ns - whole->start_ns)
		return clipped->thread;
	return whole->thread;
}

/* ---- Closing what a thread did ---- */

/* Drops the samples that do not fit: an interval of n ns can be shared among n samples. */
static void share_run(struct lode_schedule *s, lode_thread_id id, int64_t start_ns, int64_t length,
		      unsigned flags)
{
	struct lode_events *events = &s->stream->threads.at[id].events;
	struct lode_sched_thread *t = sched_thread_at(s, id);
	size_t first = t->first_tile, n = event_count(s, id) - first;
	int64_t each, rest;

	if ((int64_t)n > length) {
		n = (size_t)length;
		truncate_to(s, id, first + n);
	}
	each = length / (int64_t)n;
	rest = length % (int64_t)n;
	for (size_t i = 0; i < n; i++) {
		size_t at = first + i;
		int64_t cost_ns = each + ((int64_t)i < rest);
		unsigned drop =
			(i > 0 ? LODE_EVENT_CUT_START : 0) | (i + 1 < n ? LODE_EVENT_CUT_END : 0);

		if (at < events->n) {
			events->start_ns[at] = start_ns;
			events->cost_ns[at] = cost_ns;
			events->flags[at] = (uint8_t)(flags & ~drop);
		} else {
			t->staged[at - events->n].start_ns = start_ns;
			t->staged[at - events->n].cost_ns = cost_ns;
			t->staged[at - events->n].flags = (uint8_t)(flags & ~drop);
		}
		start_ns += cost_ns;
	}
}

static void close_run(struct lode_schedule *s, lode_thread_id id, int64_t t_ns,
		      uint32_t leave_stack, unsigned flags)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);
	int64_t start_ns = t->since_ns, end_ns = t_ns;

	flags |= t->flags;
	if (event_count(s, id) == t->first_tile) {
		emit(s, id, LODE_EVENT_RUNNING, start_ns, end_ns, leave_stack,
		     flags | LODE_EVENT_UNSAMPLED);
		return;
	}
	clip(s, &start_ns, &end_ns, &flags);
	if (end_ns <= start_ns)
		truncate_to(s, id, t->first_tile);
	else
		share_run(s, id, start_ns, end_ns - start_ns, flags);
}

static void close_ready(struct lode_schedule *s, lode_thread_id id, int64_t t_ns,
			const struct lode_sched_cpu *cpu, unsigned flags)
{
	const struct lode_sched_thread *t = sched_thread_at(s, id);
	struct lode_sched_event *e =
		emit(s, id, LODE_EVENT_READY, t->since_ns, t_ns, t->stack, flags);

	if (e)
		e->other = cpu_longest(cpu, e->start_ns);
}

static struct lode_sched_event *close_wait(struct lode_schedule *s, lode_thread_id id, int64_t t_ns,
					   unsigned flags)
{
	const struct lode_sched_thread *t = sched_thread_at(s, id);
	struct lode_sched_event *e =
		emit(s, id, LODE_EVENT_WAITING, t->since_ns, t_ns, t->stack, flags | t->flags);

	if (e)
		e->reason = t->hint;
	return e;
}

static void count_no_waker(struct lode_schedule *s, lode_thread_id id, int64_t since_ns,
			   int64_t t_ns)
{
	struct lode_losses *losses = &s->stream->losses;

	if (s->running_only || !counts(s, t_ns))
		return;
	lode_loss_add(losses, LODE_LOSS_NO_WAKER, 1, -1, t_ns,
		      "thread %d waited and ran again without a recorded waking", tid_of(s, id));
	losses->by_kind[LODE_LOSS_NO_WAKER].cost_ns +=
		t_ns - (since_ns > s->from_ns ? since_ns : s->from_ns);
}

/* Closes the off-CPU interval of a thread that is on `cpu` from `t_ns` on. */
static void close_off_cpu(struct lode_schedule *s, lode_thread_id id, int64_t t_ns,
			  const struct lode_sched_cpu *cpu, unsigned flags)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);

	switch (t->state) {
	case LODE_SCHED_WAITING:
		/* Woken on its way off the CPU: it never waited. */
		if (t->early_wake_ns != INT64_MIN) {
			close_ready(s, id, t_ns, cpu, flags | t->flags);
			break;
		}
		close_wait(s, id, t_ns, flags | LODE_EVENT_NO_WAKER);
		count_no_waker(s, id, t->since_ns, t_ns);
		lode_silent_wait(&s->silent, t->since_ns, t_ns, false);
		break;
	case LODE_SCHED_READY:
		close_ready(s, id, t_ns, cpu, flags | t->flags);
		break;
	case LODE_SCHED_GONE:
		/* It was not woken, so it had not slept. */
		close_ready(s, id, t_ns, cpu, LODE_EVENT_INFERRED | LODE_EVENT_PREEMPTED);
		break;
	default:
		break;
	}
}

static void start_run(struct lode_schedule *s, lode_thread_id id, uint32_t cpu, int64_t t_ns,
		      unsigned flags)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);

	t->state = LODE_SCHED_RUNNING;
	t->since_ns = t_ns;
	t->flags = (uint8_t)flags;
	t->cpu = cpu;
	t->early_wake_ns = INT64_MIN;
	t->first_tile = event_count(s, id);
}

/* `doubtful_ns`: time before `t_ns` that stands on it. */
static void contradiction(struct lode_schedule *s, lode_thread_id id, uint32_t cpu, int64_t t_ns,
			  int64_t doubtful_ns, const char *what)
{
	struct lode_losses *losses = &s->stream->losses;

	if (!counts(s, t_ns))
		return;
	lode_loss_add(losses, LODE_LOSS_CONTRADICTION, 1, -1, t_ns, "thread %d on CPU %u: %s",
		      tid_of(s, id), cpu, what);
	losses->by_kind[LODE_LOSS_CONTRADICTION].cost_ns += doubtful_ns;
}

/* A sign of life: after its exit record a thread runs on, if only for microseconds. */
static void note_alive(struct lode_schedule *s, lode_thread_id id, int64_t t_ns)
{
	struct lode_thread *thread = &s->stream->threads.at[id];

	if (sched_thread_at(s, id)->is_exiting && thread->died_ns < t_ns)
		thread->died_ns = t_ns;
}

/*
 * Until when a running thread runs if that is known to be over by `t_ns`. One that has had its exit
 * record and whose last switch is missing was gone as soon as it was last seen: otherwise it would
 * seem to run until another thread came or the recording ended.
 */
static int64_t last_moment(struct lode_schedule *s, lode_thread_id id, int64_t t_ns)
{
	const struct lode_sched_thread *t = sched_thread_at(s, id);
	int64_t died_ns;

	if (!t->is_exiting)
		return t_ns;
	note_alive(s, id, t->since_ns);
	died_ns = s->stream->threads.at[id].died_ns;
	return died_ns < t_ns ? died_ns : t_ns;
}

/* Another thread is seen on `cpu`: the one before left without a recorded switch. */
static void displace(struct lode_schedule *s, uint32_t cpu_index, int64_t t_ns)
{
	struct lode_sched_cpu *cpu = cpu_at(s, cpu_index);
	lode_thread_id id = cpu->current;
	struct lode_sched_thread *t;

	if (!is_thread(id))
		return;
	t = sched_thread_at(s, id);
	t_ns = last_moment(s, id, t_ns);
	if (!cpu->is_uncertain)
		contradiction(s, id, cpu_index, t_ns, t_ns - cpu->since_ns,
			      "it left without a recorded switch");
	close_run(s, id, t_ns, 0, LODE_EVENT_INFERRED);
	t->state = t->is_exiting ? LODE_SCHED_DEAD : LODE_SCHED_GONE;
	t->since_ns = t_ns;
	t->stack = 0;
	t->hint = 0;
	t->flags = LODE_EVENT_INFERRED;
	cpu_set(s, cpu, LODE_NONE, t_ns);
}

/* A running thread is seen on another CPU: it goes on running there. */
static void move_schedule(struct lode_schedule *s, lode_thread_id id, uint32_t cpu_index,
			  int64_t t_ns)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);
	struct lode_sched_cpu *old = cpu_at(s, t->cpu);

	if (old->current == id) {
		if (!old->is_uncertain)
			contradiction(s, id, cpu_index, t_ns, t_ns - old->since_ns,
				      "it came from another CPU without a recorded switch");
		cpu_set(s, old, LODE_NONE, t_ns);
	}
	displace(s, cpu_index, t_ns);
	t->cpu = cpu_index;
	cpu_set(s, cpu_at(s, cpu_index), id, t_ns);
}

/* Since when a thread runs that is seen on `cpu` at `t_ns`, its switch-in not being recorded. */
static int64_t infer_switch_in(const struct lode_schedule *s, const struct lode_sched_thread *t,
			       const struct lode_sched_cpu *cpu, int64_t free_ns, int64_t t_ns)
{
	switch (t->state) {
	case LODE_SCHED_UNSEEN:
		/* No thread was seen here before, and this one nowhere: it ran since the start. */
		return cpu->is_seen ? t_ns : s->first_ns;
	case LODE_SCHED_READY:
		break;
	case LODE_SCHED_WAITING:
		if (t->early_wake_ns == INT64_MIN)
			return t_ns; /* nothing says when it was woken */
		break;
	default:
		return t_ns;
	}
	/* Runnable, so it got the CPU as soon as that was free. */
	return t->since_ns > free_ns ? t->since_ns : free_ns;
}

void lode_schedule_own(struct lode_schedule *schedule, lode_thread_id thread, uint32_t cpu_index,
		       int64_t t_ns)
{
	struct lode_sched_thread *t = sched_thread_at(schedule, thread);
	struct lode_sched_cpu *cpu;
	bool was_idle, from_start;
	int64_t free_ns, start_ns;
	unsigned flags;

	note_alive(schedule, thread, t_ns);
	if (t->state == LODE_SCHED_RUNNING) {
		if (t->cpu != cpu_index && cpu_index < MAX_CPUS)
			move_schedule(schedule, thread, cpu_index, t_ns);
		return;
	}
	if (t->state == LODE_SCHED_DEAD)
		return;
	cpu = cpu_at(schedule, cpu_index);
	was_idle = cpu->current == LODE_IDLE;
	displace(schedule, cpu_index, t_ns);
	free_ns = cpu == &schedule->nowhere ? t_ns : cpu->since_ns;
	from_start = t->state == LODE_SCHED_UNSEEN && !cpu->is_seen;
	start_ns = infer_switch_in(schedule, t, cpu, free_ns, t_ns);
	flags = from_start ? LODE_EVENT_CUT_START : LODE_EVENT_INFERRED;
	if (!from_start && !schedule->running_only && counts(schedule, t_ns)) {
		lode_loss_add(&schedule->stream->losses, LODE_LOSS_NO_SWITCH_IN, 1, -1, t_ns,
			      "thread %d runs without a recorded switch-in",
			      tid_of(schedule, thread));
		schedule->stream->losses.by_kind[LODE_LOSS_NO_SWITCH_IN].cost_ns += t_ns - start_ns;
	}
	if (was_idle && counts(schedule, t_ns))
		lode_loss_add(&schedule->stream->losses, LODE_LOSS_IDLE_GAP, 1, -1, t_ns,
			      "CPU %u went idle and became busy again without a switch", cpu_index);
	close_off_cpu(schedule, thread, start_ns, cpu, flags);
	start_run(schedule, thread, cpu_index, start_ns, flags);
	cpu_set(schedule, cpu, thread, start_ns);
}

/* ---- Records ---- */

static void leave_schedule(struct lode_schedule *s, const struct lode_switch *record,
			   lode_thread_id id)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);
	struct lode_sched_cpu *cpu = cpu_at(s, t->cpu);

	if (t->state != LODE_SCHED_RUNNING)
		return;
	/* Where we had it: the record may not name its CPU. */
	if (cpu->current == id)
		cpu_set(s, cpu, LODE_NONE, record->t_ns);
	close_run(s, id, record->t_ns, record->stack, 0);
	t->since_ns = record->t_ns;
	t->stack = record->stack;
	t->flags = 0;
	t->cpu = record->cpu;
	switch (record->left) {
	case LODE_LEFT_RUNNABLE:
		t->state = LODE_SCHED_READY;
		t->flags = LODE_EVENT_PREEMPTED;
		break;
	case LODE_LEFT_SLEEPING:
		t->state = LODE_SCHED_WAITING;
		t->hint =
			(uint8_t)(t->syscall | (record->is_disk_sleep ? LODE_HINT_DISK_SLEEP : 0) |
				  (t->has_asked_disk ? LODE_HINT_ASKED_DISK : 0));
		t->has_asked_disk = false;
		/*
		 * A waking can be recorded between the moment at which a thread is taken off the
		 * run queue and its switch. Older ones found it still runnable and changed nothing.
		 */
		if (t->early_wake_ns < record->t_ns - EARLY_WAKE_NS)
			t->early_wake_ns = INT64_MIN;
		break;
	case LODE_LEFT_DEAD:
		t->state = LODE_SCHED_DEAD;
		s->stream->threads.at[id].died_ns = record->t_ns;
		break;
	}
}

static void enter_schedule(struct lode_schedule *s, lode_thread_id id, uint32_t cpu_index,
			   int64_t t_ns)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);
	struct lode_sched_cpu *cpu;

	if (t->state == LODE_SCHED_RUNNING) {
		move_schedule(s, id, cpu_index, t_ns);
		return;
	}
	cpu = cpu_at(s, cpu_index);
	if (t->state == LODE_SCHED_DEAD) {
		cpu_set(s, cpu, LODE_NONE, t_ns);
		return;
	}
	close_off_cpu(s, id, t_ns, cpu, 0);
	start_run(s, id, cpu_index, t_ns, 0);
	cpu_set(s, cpu, id, t_ns);
}

void lode_schedule_switch(struct lode_schedule *schedule, const struct lode_switch *record,
			  lode_thread_id prev, lode_thread_id next)
{
	struct lode_sched_cpu *cpu;

	if (is_thread(prev)) {
		lode_schedule_own(schedule, prev, record->cpu, record->t_ns);
		leave_schedule(schedule, record, prev);
	} else {
		cpu = cpu_at(schedule, record->cpu);
		if (prev == LODE_NONE && is_thread(next) && cpu->current == next)
			return; /* it is there already */
		displace(schedule, record->cpu, record->t_ns);
	}
	if (is_thread(next))
		enter_schedule(schedule, next, record->cpu, record->t_ns);
	else
		cpu_set(schedule, cpu_at(schedule, record->cpu), next, record->t_ns);
	cpu = cpu_at(schedule, record->cpu);
	cpu->is_uncertain = false;
}

/* The waker's part of a wait that a recorded waking ended. */
static void name_waker(struct lode_schedule *s, lode_thread_id id, struct lode_sched_event *e,
		       const struct lode_waking *record, lode_thread_id waker)
{
	e->other_stack = record->stack;
	if (waker == LODE_IDLE)
		e->flags |= LODE_EVENT_FROM_IDLE;
	if ((record->has_context && record->in_interrupt) || waker == LODE_IDLE) {
		e->device = LODE_HINT_INTERRUPT;
		/* A softirq may be the thread's own doing: its stack tells. */
		if (waker != LODE_IDLE && !record->in_hardirq)
			e->other = waker;
		return;
	}
	e->other = waker;
	if (!record->has_context) {
		e->device = LODE_HINT_UNTOLD;
	} else if (waker == LODE_NONE) {
		e->flags |= LODE_EVENT_NO_WAKER;
		count_no_waker(s, id, e->start_ns, record->t_ns);
	}
}

static void wake(struct lode_schedule *s, const struct lode_waking *record, lode_thread_id waker,
		 lode_thread_id id)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);
	struct lode_sched_event *e;

	switch (t->state) {
	case LODE_SCHED_RUNNING:
		t->early_wake_ns = record->t_ns;
		return;
	case LODE_SCHED_READY:
	case LODE_SCHED_DEAD:
		return;
	case LODE_SCHED_UNSEEN:
		/* Not seen before, so it slept since the recording began. */
		t->since_ns = s->first_ns;
		t->flags = LODE_EVENT_CUT_START;
		break;
	default:
		break;
	}
	if (t->state == LODE_SCHED_GONE)
		t->hint = 0;
	else
		lode_silent_wait(&s->silent, t->since_ns, record->t_ns, true);
	e = close_wait(s, id, record->t_ns, 0);
	if (e)
		name_waker(s, id, e, record, waker);
	t->state = LODE_SCHED_READY;
	t->since_ns = record->t_ns;
	t->flags = 0;
	t->early_wake_ns = INT64_MIN;
}

void lode_schedule_waking(struct lode_schedule *schedule, const struct lode_waking *record,
			  lode_thread_id waker, lode_thread_id wakee)
{
	if (waker == LODE_NONE) {
		waker = cpu_at(schedule, record->cpu)->current;
		if (is_thread(waker))
			note_alive(schedule, waker, record->t_ns);
	} else if (waker == LODE_IDLE) {
		displace(schedule, record->cpu, record->t_ns);
	} else {
		lode_schedule_own(schedule, waker, record->cpu, record->t_ns);
	}
	if (is_thread(wakee))
		wake(schedule, record, waker, wakee);
}

void lode_schedule_sample(struct lode_schedule *schedule, const struct lode_sample *record,
			  lode_thread_id thread)
{
	if (thread == LODE_IDLE) {
		displace(schedule, record->cpu, record->t_ns);
		return;
	}
	if (thread == LODE_NONE)
		thread = cpu_at(schedule, record->cpu)->current;
	if (!is_thread(thread))
		return;
	lode_schedule_own(schedule, thread, record->cpu, record->t_ns);
	if (!counts(schedule, record->t_ns) ||
	    sched_thread_at(schedule, thread)->state != LODE_SCHED_RUNNING)
		return;
	append_schedule(schedule, thread, LODE_EVENT_RUNNING, record->t_ns, 0, record->stack)->cpu =
		cpu_column(record->cpu);
}

void lode_schedule_born(struct lode_schedule *schedule, lode_thread_id thread, int64_t t_ns)
{
	struct lode_sched_thread *t = sched_thread_at(schedule, thread);

	if (t->state != LODE_SCHED_UNSEEN)
		return;
	t->state = LODE_SCHED_READY;
	t->since_ns = t_ns;
}

void lode_schedule_exiting(struct lode_schedule *schedule, lode_thread_id thread, int64_t t_ns)
{
	struct lode_sched_thread *t = sched_thread_at(schedule, thread);

	if (t->state != LODE_SCHED_UNSEEN && !schedule->running_only)
		lode_schedule_own(schedule, thread, LODE_CPU_NOWHERE, t_ns);
	t->is_exiting = true;
}

void lode_schedule_later(struct lode_schedule *schedule, lode_thread_id thread, uint32_t cpu,
			 int64_t t_ns)
{
	if (thread == LODE_NONE)
		thread = cpu_at(schedule, cpu)->current;
	if (is_thread(thread))
		note_alive(schedule, thread, t_ns);
}

void lode_schedule_lost(struct lode_schedule *schedule, uint32_t cpu)
{
	for (uint32_t i = 0; i < schedule->cpus.n; i++)
		if (i == cpu || cpu >= MAX_CPUS)
			schedule->cpus.at[i].is_uncertain = true;
}

/* Closes what a thread does at `t_ns` without knowing what comes next. */
static void cut(struct lode_schedule *s, lode_thread_id id, int64_t t_ns, unsigned flags)
{
	struct lode_sched_thread *t = sched_thread_at(s, id);
	struct lode_sched_cpu *cpu = cpu_at(s, t->cpu);
	int64_t last_ns;

	switch (t->state) {
	case LODE_SCHED_RUNNING:
		last_ns = last_moment(s, id, t_ns);
		if (s->stream->threads.at[id].died_ns <= t_ns)
			flags = LODE_EVENT_INFERRED;
		if (cpu->current == id)
			cpu_set(s, cpu, LODE_NONE, last_ns);
		close_run(s, id, last_ns, 0, flags);
		break;
	case LODE_SCHED_READY:
		close_ready(s, id, t_ns, cpu, flags | t->flags);
		note_alive(s, id, t_ns);
		break;
	case LODE_SCHED_WAITING:
		if (t->early_wake_ns != INT64_MIN)
			close_ready(s, id, t_ns, cpu, flags | t->flags);
		else
			close_wait(s, id, t_ns, flags);
		note_alive(s, id, t_ns);
		break;
	case LODE_SCHED_GONE:
		/* Off its CPU for good, as far as the recording goes: it slept. */
		close_wait(s, id, t_ns, flags | LODE_EVENT_NO_WAKER);
		break;
	default:
		break;
	}
	t->state = LODE_SCHED_DEAD;
}

void lode_schedule_replaced(struct lode_schedule *schedule, lode_thread_id thread, int64_t t_ns)
{
	if (sched_thread_at(schedule, thread)->state != LODE_SCHED_DEAD)
		cut(schedule, thread, t_ns, LODE_EVENT_INFERRED);
}

void lode_schedule_close(struct lode_schedule *schedule, int64_t end_ns)
{
	for (uint32_t i = 0; i < schedule->cpus.n; i++) {
		struct lode_sched_cpu *cpu = &schedule->cpus.at[i];

		if (is_thread(cpu->current))
			cpu_log_run(cpu, last_moment(schedule, cpu->current, end_ns));
	}
	for (uint32_t i = 0; i < schedule->threads.n; i++) {
		cut(schedule, i, end_ns, LODE_EVENT_CUT_END);
		flush_schedule(schedule, i);
	}
	for (uint32_t i = 0; i < schedule->cpus.n; i++) {
		struct lode_sched_cpu *cpu = &schedule->cpus.at[i];

		if (cpu->current != LODE_NONE)
			cpu_log_start(cpu, LODE_NONE, end_ns);
		lode_vec_append(&schedule->stream->cpus, cpu->log);
		cpu->log = (struct lode_cpu){0};
	}
}
