/* Builds a stream from records in time order (docs/model.md). */
#include "model/builder.h"

#include <limits.h>

#include "base/time_sum.h"

#include "model/connections.h"
#include "model/finish.h"
#include "model/rearmed.h"
#include "model/reason.h"
#include "model/schedule.h"

const struct lode_narrow lode_narrow_none = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .cpu = -1};

static const int64_t MAX_CLOCK_NS = (int64_t)1 << 61, MAX_SPAN_NS = (int64_t)1 << 50;
static const int64_t MAX_WEIGHT_NS = (int64_t)1 << 62;
static const int64_t MOST_LATE_NS = INT64_C(10000000000);

enum record_kind {
	RECORD_SWITCH,
	RECORD_WAKING,
	RECORD_SAMPLE,
	RECORD_OFFCPU,
	RECORD_BORN,
	RECORD_EXITING,
	RECORD_REPLACED,
	RECORD_LOST,
};

/* A record with its tids resolved, so that it can be held back while tids are reused. */
struct record {
	int64_t t_ns, weight_ns;
	uint32_t cpu, stack;
	lode_thread_id thread; /* prev, wakee, or the one it is about */
	lode_thread_id other;  /* next, waker */
	uint8_t kind;	       /* enum record_kind */
	uint8_t left;	       /* enum lode_left_state */
	bool is_disk_sleep, has_context, in_interrupt, in_hardirq;
};

struct lode_builder {
	struct lode_stream *stream;
	struct lode_narrow narrow;
	struct lode_schedule schedule;
	int64_t first_ns, last_ns; /* of the first and the latest record */
	int64_t shift_ns;	   /* added to times since the clock was set back */
	int64_t weight_ns;	   /* sum of all weights, so that no sum of costs can overflow */
	/* Until the first switch it is not known what samples mean: they are held back. */
	enum { SWITCHES_UNKNOWN, SWITCHES_NONE, SWITCHES_SEEN } switches;
	LODE_VEC(struct record) held;
	bool is_tracing;		 /* a sample, switch or waking was seen */
	struct lode_map syscall_reasons; /* nr -> enum lode_wait_reason */
};

struct lode_builder *lode_builder_new(const char *path, const char *format, const char *unit,
				      const struct lode_narrow *narrow)
{
	struct lode_builder *b = lode_alloc0(1, sizeof(*b));
	struct lode_stream *stream = lode_alloc0(1, sizeof(*stream));

	b->stream = stream;
	b->narrow = narrow ? *narrow : lode_narrow_none;
	b->last_ns = INT64_MIN;
	lode_calltree_init(&stream->tree);
	stream->path = lode_arena_strndup(&stream->arena, path, strlen(path));
	stream->format = lode_arena_strndup(&stream->arena, format, strlen(format));
	stream->unit = lode_arena_strndup(&stream->arena, unit, strlen(unit));
	stream->host = stream->kernel = stream->command = stream->arch = "";
	b->schedule.stream = stream;
	b->schedule.from_ns = b->narrow.from_ns;
	b->schedule.to_ns = b->narrow.to_ns;
	b->schedule.running_only = b->narrow.cpu >= 0;
	b->schedule.nowhere.current = LODE_NONE;
	b->schedule.silent.all_busy_ns = INT64_MAX;
	return b;
}

/* Frees what is the builder's alone. */
static void builder_release(struct lode_builder *b)
{
	lode_schedule_release(&b->schedule);
	lode_vec_release(&b->held);
	lode_map_release(&b->syscall_reasons);
	free(b);
}

void lode_builder_free(struct lode_builder *builder)
{
	if (!builder)
		return;
	lode_stream_free(builder->stream);
	builder_release(builder);
}

struct lode_stream *lode_builder_stream(struct lode_builder *builder)
{
	return builder->stream;
}

/* ---- Time ---- */

/* Ends that count from the start of the recording become times, now that the start is known. */
static void begin_builder(struct lode_builder *b, int64_t t_ns)
{
	struct lode_narrow *narrow = &b->narrow;

	if (narrow->is_from_offset)
		narrow->from_ns = lode_time_add(narrow->from_ns, t_ns);
	if (narrow->is_to_offset)
		narrow->to_ns = lode_time_add(narrow->to_ns, t_ns);
	b->schedule.from_ns = narrow->from_ns;
	b->schedule.to_ns = narrow->to_ns;
	b->first_ns = t_ns;
}

/*
 * LIMIT: a recording spans 13 days, and begins within 73 years of the clock's zero. A time outside
 * of that is not a time; kept, sums of many threads' times would not fit int64_t.
 */
static bool is_time(const struct lode_builder *b, int64_t t_ns)
{
	if (b->last_ns == INT64_MIN || b->switches == SWITCHES_NONE)
		return t_ns > -MAX_CLOCK_NS && t_ns < MAX_CLOCK_NS;
	return t_ns < b->first_ns + MAX_SPAN_NS;
}

/*
 * A clock that was set back by far more than records are late goes on from the last record; one
 * that comes back is as it was.
 */
static int64_t mend_clock(struct lode_builder *b, int64_t t_ns)
{
	if (t_ns >= b->last_ns) {
		b->shift_ns = 0;
		return t_ns;
	}
	if (t_ns + b->shift_ns < b->last_ns - MOST_LATE_NS) {
		lode_loss_add(&b->stream->losses, LODE_LOSS_CLOCK_JUMP, 1, -1, b->last_ns,
			      "the clock is set back by %lld s: assumed to continue from the "
			      "previous record",
			      (long long)((b->last_ns - t_ns) / 1000000000));
		b->shift_ns = b->last_ns - t_ns;
	}
	return t_ns + b->shift_ns;
}

/* The record's time, moved to that of the record before when it cannot be right. */
static int64_t tick(struct lode_builder *b, int64_t t_ns)
{
	struct lode_losses *losses = &b->stream->losses;

	if (!is_time(b, t_ns)) {
		lode_loss_add(losses, LODE_LOSS_BAD_RECORD, 1, -1, b->last_ns,
			      "a record's time is %lld ns", (long long)t_ns);
		if (b->last_ns == INT64_MIN) {
			begin_builder(b, 0);
			b->last_ns = 0;
		}
		return b->last_ns;
	}
	if (b->is_tracing && t_ns > -MAX_CLOCK_NS &&
	    (b->shift_ns || t_ns < b->last_ns - MOST_LATE_NS))
		t_ns = mend_clock(b, t_ns);
	if (b->last_ns == INT64_MIN) {
		begin_builder(b, t_ns);
	} else if (t_ns < b->last_ns) {
		lode_loss_add(losses, LODE_LOSS_UNORDERED, 1, -1, b->last_ns,
			      "a record of %lld ns comes after one of %lld ns", (long long)t_ns,
			      (long long)b->last_ns);
		return b->last_ns;
	} else if (b->is_tracing && t_ns - b->last_ns >= LODE_SILENT_GAP_NS) {
		lode_silent_gap(&b->schedule.silent, b->last_ns, t_ns - b->last_ns);
	}
	b->last_ns = t_ns;
	return t_ns;
}

void lode_builder_window(const struct lode_builder *builder, struct lode_narrow *out)
{
	*out = builder->narrow;
}

void lode_builder_time(struct lode_builder *builder, int64_t t_ns)
{
	tick(builder, t_ns);
}

/* ---- Threads and names ---- */

static void set_comm(struct lode_builder *b, lode_thread_id id, const char *comm)
{
	struct lode_thread *thread = &b->stream->threads.at[id];

	if (!comm || !strcmp(comm, b->stream->tree.strings.text.at[thread->comm]))
		return;
	thread->comm = lode_strings_intern(&b->stream->tree.strings, comm, strlen(comm));
	/* perf starts its command under this name. */
	if (!strcmp(comm, "perf-exec"))
		thread->is_command = true;
}

static lode_thread_id thread_new(struct lode_builder *b, int32_t tid)
{
	lode_thread_id id = (lode_thread_id)b->stream->threads.n;
	struct lode_thread *thread = lode_vec_append_zero(&b->stream->threads);

	thread->pid = -1;
	thread->tid = tid;
	thread->parent = LODE_NONE;
	thread->born_ns = INT64_MIN;
	thread->died_ns = INT64_MAX;
	thread->exec_ns = INT64_MIN;
	thread->is_kernel = tid == 2;
	*lode_map_slot(&b->stream->thread_index, (uint32_t)tid) = id;
	lode_schedule_thread(&b->schedule, id);
	return id;
}

/* Its latest thread, made when the tid is new or its last thread has ended. */
static lode_thread_id thread_of(struct lode_builder *b, int32_t tid)
{
	uint32_t id = lode_map_find(&b->stream->thread_index, (uint32_t)tid);

	if (id == LODE_NONE || b->schedule.threads.at[id].state == LODE_SCHED_DEAD)
		return thread_new(b, tid);
	return id;
}

/* What a tid in a scheduling record means: idle, unknown, or a thread. */
static lode_thread_id party_of(struct lode_builder *b, int32_t tid)
{
	return tid == 0 ? LODE_IDLE : tid < 0 ? LODE_NONE : thread_of(b, tid);
}

static void set_pid(struct lode_builder *b, lode_thread_id id, int32_t pid)
{
	if (pid > 0)
		b->stream->threads.at[id].pid = pid;
}

/* ---- Delivering records to the state machine, or holding them back ---- */

static void deliver(struct lode_builder *b, const struct record *r)
{
	struct lode_schedule *s = &b->schedule;

	switch ((enum record_kind)r->kind) {
	case RECORD_SWITCH:
		lode_schedule_switch(s,
				     &(struct lode_switch){.t_ns = r->t_ns,
							   .cpu = r->cpu,
							   .left = (enum lode_left_state)r->left,
							   .is_disk_sleep = r->is_disk_sleep,
							   .stack = r->stack},
				     r->thread, r->other);
		break;
	case RECORD_WAKING:
		lode_schedule_waking(s,
				     &(struct lode_waking){.t_ns = r->t_ns,
							   .cpu = r->cpu,
							   .has_context = r->has_context,
							   .in_interrupt = r->in_interrupt,
							   .in_hardirq = r->in_hardirq,
							   .stack = r->stack},
				     r->other, r->thread);
		break;
	case RECORD_SAMPLE:
		lode_schedule_sample(s,
				     &(struct lode_sample){.t_ns = r->t_ns,
							   .cpu = r->cpu,
							   .weight_ns = r->weight_ns,
							   .stack = r->stack},
				     r->thread);
		break;
	case RECORD_OFFCPU:
		break; /* the switches hold this time */
	case RECORD_BORN:
		lode_schedule_born(s, r->thread, r->t_ns);
		break;
	case RECORD_EXITING:
		lode_schedule_exiting(s, r->thread, r->t_ns);
		break;
	case RECORD_REPLACED:
		lode_schedule_replaced(s, r->thread, r->t_ns);
		break;
	case RECORD_LOST:
		lode_schedule_lost(s, r->cpu);
		break;
	}
}

/* A sample of a stream without switches: an event with the sample's weight. */
static void weigh(struct lode_builder *b, const struct record *r)
{
	bool is_wait = r->kind == RECORD_OFFCPU;
	lode_thread_id id = r->thread;
	struct lode_events *events;
	size_t i;

	if ((r->kind != RECORD_SAMPLE && !is_wait) || id == LODE_IDLE || r->weight_ns <= 0 ||
	    r->t_ns < b->narrow.from_ns || r->t_ns >= b->narrow.to_ns)
		return;
	if (r->weight_ns > MAX_WEIGHT_NS - b->weight_ns) {
		lode_loss_add(&b->stream->losses, LODE_LOSS_BAD_RECORD, 1, -1, r->t_ns,
			      "a sample's weight is %lld", (long long)r->weight_ns);
		return;
	}
	b->weight_ns += r->weight_ns;
	if (id == LODE_NONE)
		id = thread_of(b, -1);
	events = &b->stream->threads.at[id].events;
	i = lode_events_append(events, is_wait ? LODE_EVENT_WAITING : LODE_EVENT_RUNNING, r->t_ns,
			       r->weight_ns, r->stack);
	events->cpu[i] = r->cpu < UINT16_MAX ? (uint16_t)r->cpu : UINT16_MAX;
	if (is_wait)
		events->flags[i] = LODE_EVENT_NO_WAKER;
}

static void take_builder(struct lode_builder *b, const struct record *r)
{
	if (b->switches == SWITCHES_NONE) {
		weigh(b, r);
		return;
	}
	if (b->switches == SWITCHES_UNKNOWN) {
		lode_vec_append(&b->held, *r);
		return;
	}
	if (r->t_ns < b->narrow.to_ns)
		deliver(b, r);
	else if (r->kind == RECORD_SWITCH || r->kind == RECORD_SAMPLE)
		lode_schedule_later(&b->schedule, r->thread, r->cpu, r->t_ns);
	else if (r->kind == RECORD_WAKING)
		lode_schedule_later(&b->schedule, r->other, r->cpu, r->t_ns);
}

static void first_switch(struct lode_builder *b)
{
	b->switches = SWITCHES_SEEN;
	b->stream->has_switches = true;
	for (size_t i = 0; i < b->held.n; i++)
		take_builder(b, &b->held.at[i]);
	lode_vec_release(&b->held);
}

void lode_builder_expect_switches(struct lode_builder *builder, bool has_switches)
{
	if (builder->switches == SWITCHES_UNKNOWN && builder->held.n == 0)
		builder->switches = has_switches ? SWITCHES_SEEN : SWITCHES_NONE;
}

/*
 * The first record that events send. Mappings and names may be older by far: who ran where back
 * then is not known.
 */
static void trace_begins(struct lode_builder *b, int64_t t_ns)
{
	if (b->is_tracing)
		return;
	b->is_tracing = true;
	b->schedule.first_ns = t_ns;
}

static bool is_other_cpu(const struct lode_builder *b, uint32_t cpu)
{
	return b->narrow.cpu >= 0 && cpu != (uint32_t)b->narrow.cpu;
}

/* ---- Records ---- */

void lode_builder_comm(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid,
		       const char *comm, bool is_exec)
{
	lode_thread_id id;

	if (t_ns > 0)
		t_ns = tick(builder, t_ns);
	if (tid <= 0)
		return;
	id = thread_of(builder, tid);
	set_pid(builder, id, pid);
	if (is_exec && t_ns > 0)
		builder->stream->threads.at[id].exec_ns = t_ns;
	set_comm(builder, id, comm);
}

void lode_builder_fork(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid,
		       int32_t parent_pid, int32_t parent_tid)
{
	struct record r = {.kind = RECORD_BORN, .cpu = LODE_CPU_NOWHERE};
	struct lode_thread *thread;
	lode_thread_id parent, id;

	if (t_ns > 0)
		r.t_ns = tick(builder, t_ns);
	if (tid <= 0)
		return;
	parent = parent_tid > 0 ? thread_of(builder, parent_tid) : LODE_NONE;
	if (t_ns > 0) {
		id = lode_map_find(&builder->stream->thread_index, (uint32_t)tid);
		if (id != LODE_NONE) {
			r.kind = RECORD_REPLACED;
			r.thread = id;
			take_builder(builder, &r);
			r.kind = RECORD_BORN;
		}
		r.thread = id = thread_new(builder, tid);
		builder->stream->threads.at[id].born_ns = r.t_ns;
		take_builder(builder, &r);
	} else {
		id = thread_of(builder, tid);
	}
	set_pid(builder, id, pid);
	thread = &builder->stream->threads.at[id];
	if (parent == LODE_NONE || parent == id)
		return;
	thread->parent = parent;
	thread->is_kernel |= parent_pid == 2;
	thread->is_command = builder->stream->threads.at[parent].is_command;
	if (!thread->comm)
		thread->comm = builder->stream->threads.at[parent].comm;
}

void lode_builder_exit(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid)
{
	struct record r = {.kind = RECORD_EXITING, .cpu = LODE_CPU_NOWHERE};

	r.t_ns = tick(builder, t_ns);
	if (tid <= 0)
		return;
	r.thread = lode_map_find(&builder->stream->thread_index, (uint32_t)tid);
	if (r.thread == LODE_NONE)
		return;
	set_pid(builder, r.thread, pid);
	if (builder->stream->threads.at[r.thread].died_ns == INT64_MAX)
		builder->stream->threads.at[r.thread].died_ns = r.t_ns;
	take_builder(builder, &r);
}

void lode_builder_switch(struct lode_builder *builder, const struct lode_switch *record)
{
	struct record r = {.kind = RECORD_SWITCH,
			   .t_ns = tick(builder, record->t_ns),
			   .cpu = record->cpu,
			   .stack = record->stack,
			   .left = (uint8_t)record->left,
			   .is_disk_sleep = record->is_disk_sleep};
	const struct lode_silent_record same = {
		record->t_ns, record->cpu, 0, {record->prev_pid, record->next_pid}};

	/* No thread leaves a CPU twice at one time. Some recordings have one such pair. */
	if (lode_silent_is_twin(&builder->schedule.silent.switches, &same))
		return;
	trace_begins(builder, r.t_ns);
	if (!builder->stream->has_switches)
		first_switch(builder);
	/* Both kinds may be on for a moment. */
	if (!record->has_dump)
		builder->stream->dumps_ns = 0;
	else if (!builder->stream->dumps_ns)
		builder->stream->dumps_ns = r.t_ns;
	if (is_other_cpu(builder, record->cpu))
		return;
	r.thread = party_of(builder, record->prev_pid);
	r.other = record->next_pid == record->prev_pid ? r.thread
						       : party_of(builder, record->next_pid);
	if (record->prev_pid > 0)
		set_comm(builder, r.thread, record->prev_comm);
	if (record->next_pid > 0)
		set_comm(builder, r.other, record->next_comm);
	lode_silent_switch(&builder->schedule.silent, r.thread, r.other);
	take_builder(builder, &r);
}

void lode_builder_waking(struct lode_builder *builder, const struct lode_waking *record)
{
	struct record r = {.kind = RECORD_WAKING,
			   .t_ns = tick(builder, record->t_ns),
			   .cpu = record->cpu,
			   .stack = record->stack,
			   .has_context = record->has_context,
			   .in_interrupt = record->in_interrupt,
			   .in_hardirq = record->in_hardirq};

	const struct lode_silent_record same = {
		record->t_ns, record->cpu, record->stack, {record->waker_tid, record->wakee_tid}};

	lode_silent_is_twin(&builder->schedule.silent.wakings, &same);
	trace_begins(builder, r.t_ns);
	builder->stream->has_wakings = true;
	if (is_other_cpu(builder, record->cpu) || record->wakee_tid <= 0 ||
	    builder->switches == SWITCHES_NONE)
		return;
	r.thread = thread_of(builder, record->wakee_tid);
	set_comm(builder, r.thread, record->wakee_comm);
	r.other = party_of(builder, record->waker_tid);
	take_builder(builder, &r);
}

static void take_sample(struct lode_builder *b, const struct lode_sample *record,
			enum record_kind kind)
{
	struct record r = {.kind = (uint8_t)kind,
			   .t_ns = tick(b, record->t_ns),
			   .cpu = record->cpu,
			   .stack = record->stack,
			   .weight_ns = record->weight_ns};
	const struct lode_silent_record same = {
		record->t_ns, record->cpu, record->stack, {record->pid, record->tid}};
	struct lode_silent *silent = &b->schedule.silent;

	if (kind == RECORD_SAMPLE) {
		if (lode_silent_is_twin(&silent->samples, &same))
			silent->samples.repeated_ns += record->weight_ns;
		silent->has_idle |= record->tid == 0;
	}
	trace_begins(b, r.t_ns);
	if (is_other_cpu(b, record->cpu))
		return;
	r.thread = party_of(b, record->tid);
	if (record->tid > 0)
		set_pid(b, r.thread, record->pid);
	take_builder(b, &r);
}

void lode_builder_sample(struct lode_builder *builder, const struct lode_sample *record)
{
	builder->stream->has_samples = true;
	take_sample(builder, record, RECORD_SAMPLE);
}

void lode_builder_offcpu(struct lode_builder *builder, const struct lode_sample *record)
{
	take_sample(builder, record, RECORD_OFFCPU);
}

void lode_builder_drop_weights(struct lode_builder *builder)
{
	for (size_t i = 0; i < builder->held.n; i++)
		if (builder->held.at[i].kind == RECORD_SAMPLE)
			builder->held.at[i].weight_ns = 0;
}

void lode_builder_lost(struct lode_builder *builder, int64_t t_ns, uint32_t cpu)
{
	struct record r = {.kind = RECORD_LOST, .t_ns = tick(builder, t_ns), .cpu = cpu};

	take_builder(builder, &r);
	if (builder->stream->connections)
		lode_connections_lost(builder->stream->connections, r.t_ns, cpu);
}

/* ---- Sockets ---- */

void lode_builder_socket(struct lode_builder *builder, const struct lode_socket_record *record)
{
	struct lode_stream *stream = builder->stream;
	struct lode_socket_record r = *record;

	r.t_ns = tick(builder, record->t_ns);
	if (builder->narrow.cpu >= 0 || r.tid < 0)
		return;
	if (!stream->connections)
		stream->connections = lode_alloc0(1, sizeof(*stream->connections));
	/* The idle thread and interrupts in it change states of sockets, and move no bytes. */
	lode_connections_add(stream->connections, &r, r.tid ? thread_of(builder, r.tid) : 0);
}

void lode_builder_disk_request(struct lode_builder *builder, int64_t t_ns, int32_t tid)
{
	(void)tick(builder, t_ns);
	if (tid > 0 && builder->narrow.cpu < 0)
		lode_schedule_thread(&builder->schedule, thread_of(builder, tid))->has_asked_disk =
			true;
}

/* ---- System calls ---- */

void lode_builder_syscall_enter(struct lode_builder *builder, int64_t t_ns, int32_t tid, int64_t nr,
				const char *name)
{
	uint32_t *reason;
	lode_thread_id id;

	t_ns = tick(builder, t_ns);
	builder->stream->has_syscalls = true;
	if (tid <= 0 || builder->narrow.cpu >= 0)
		return;
	id = thread_of(builder, tid);
	reason = lode_map_slot(&builder->syscall_reasons, (uint64_t)nr);
	if (*reason == LODE_NONE)
		*reason = name ? lode_reason_of_syscall(name) : LODE_REASON_NONE;
	if (builder->switches == SWITCHES_SEEN && t_ns < builder->narrow.to_ns)
		lode_schedule_own(&builder->schedule, id, LODE_CPU_NOWHERE, t_ns);
	lode_schedule_thread(&builder->schedule, id)->syscall = (uint8_t)*reason;
}

void lode_builder_syscall_exit(struct lode_builder *builder, int64_t t_ns, int32_t tid)
{
	lode_thread_id id;

	t_ns = tick(builder, t_ns);
	builder->stream->has_syscalls = true;
	if (tid <= 0 || builder->narrow.cpu >= 0)
		return;
	id = thread_of(builder, tid);
	if (builder->switches == SWITCHES_SEEN && t_ns < builder->narrow.to_ns)
		lode_schedule_own(&builder->schedule, id, LODE_CPU_NOWHERE, t_ns);
	lode_schedule_thread(&builder->schedule, id)->syscall = LODE_REASON_NONE;
}

/* ---- The end ---- */

static void close_stream(struct lode_builder *b)
{
	struct lode_stream *stream = b->stream;
	int64_t t0 = b->first_ns, t1 = b->last_ns;

	if (b->last_ns == INT64_MIN)
		t0 = t1 = 0;
	if (t1 > b->narrow.to_ns)
		t1 = b->narrow.to_ns;
	if (t0 < b->narrow.from_ns)
		t0 = b->narrow.from_ns;
	if (t0 > t1)
		t0 = t1;
	stream->t0_ns = t0;
	stream->t1_ns = t1;
	stream->is_one_cpu = b->narrow.cpu >= 0;
	stream->is_part = b->narrow.from_ns != INT64_MIN || b->narrow.to_ns != INT64_MAX;
	stream->part_t0_ns = b->narrow.from_ns;
	stream->part_t1_ns = b->narrow.to_ns;
	if (b->switches == SWITCHES_SEEN) {
		lode_schedule_close(&b->schedule, t1);
	} else {
		b->switches = SWITCHES_NONE;
		for (size_t i = 0; i < b->held.n; i++)
			weigh(b, &b->held.at[i]);
	}
	for (size_t i = 0; i < stream->threads.n; i++) {
		struct lode_thread *thread = &stream->threads.at[i];

		if (thread->pid < 0)
			thread->pid = thread->tid;
		if (thread->tid < 0 && !thread->comm)
			thread->comm =
				lode_strings_intern(&stream->tree.strings, LODE_THREAD_EXITED,
						    sizeof(LODE_THREAD_EXITED) - 1);
	}
	if (!stream->n_cpus)
		stream->n_cpus = (uint32_t)b->schedule.cpus.n;
	lode_silent_judge(&b->schedule.silent, stream, b->schedule.cpus.n);
}

struct lode_stream *lode_builder_finish(struct lode_builder *builder, uint32_t *node_of_raw,
					size_t n_raw)
{
	struct lode_stream *stream = builder->stream;

	close_stream(builder);
	builder_release(builder);
	lode_stream_resolve(stream, node_of_raw, n_raw);
	lode_connections_link(stream);
	lode_stream_join_rearmed(stream);
	return stream;
}
