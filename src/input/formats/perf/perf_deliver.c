/* Passes records in time order to the model's builder. */
#include "input/formats/perf/perf_deliver.h"

#include "model/connections.h"
#include "input/formats/perf/perf_sample.h"
#include "input/symbols/jit.h"

void lode_perf_deliver_init(struct lode_perf_deliver *deliver, struct lode_perf_header *header,
			    struct lode_builder *builder, unsigned n_workers,
			    const struct lode_tap *tap)
{
	memset(deliver, 0, sizeof(*deliver));
	deliver->header = header;
	deliver->builder = builder;
	deliver->tap = tap;
	deliver->spaces = lode_spaces_new();
	deliver->first_ns = deliver->last_ns = INT64_MIN;
	deliver->jit.next_ns = INT64_MAX;
	lode_perf_stacks_init(&deliver->stacks, deliver->spaces, n_workers);
	lode_perf_command_init(&deliver->command);
	deliver->unwind.header = header;
	deliver->unwind.spaces = deliver->spaces;
	deliver->unwind.dsos = &deliver->dsos;
}

void lode_perf_deliver_release(struct lode_perf_deliver *deliver)
{
	lode_perf_unwind_release(&deliver->unwind);
	lode_perf_jit_release(&deliver->jit);
	lode_spaces_free(deliver->spaces);
	lode_perf_dsos_release(&deliver->dsos);
	lode_perf_stacks_release(&deliver->stacks);
	lode_perf_command_release(&deliver->command);
	lode_map_release(&deliver->executing);
	lode_vec_release(&deliver->n_samples);
	lode_vec_release(&deliver->paces);
	lode_vec_release(&deliver->twins);
}

static struct lode_losses *losses_of(struct lode_perf_deliver *deliver)
{
	return &lode_builder_stream(deliver->builder)->losses;
}

void lode_perf_deliver_batch(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch)
{
	const struct lode_perf_events *events = &deliver->header->events;

	/* Before the first record all events are known: descriptions come first. */
	if (!deliver->is_begun)
		deliver->has_model = !deliver->tap || deliver->tap->wants_model;
	if (!deliver->is_begun && !deliver->has_model)
		lode_builder_expect_switches(deliver->builder, false);
	else if (!deliver->is_begun &&
		 (events->has_switch_tracepoint || events->has_context_switch))
		lode_builder_expect_switches(deliver->builder, true);
	if (!deliver->is_begun && deliver->tap && deliver->tap->begin)
		deliver->tap->begin(deliver->tap->context,
				    &(struct lode_tap_about){.arch = deliver->header->arch,
							     .has_all_kinds = true});
	deliver->is_begun = true;
	while (deliver->n_samples.n < events->at.n)
		(void)lode_vec_append_zero(&deliver->n_samples);
	lode_perf_stacks_add(&deliver->stacks, batch->worker, &batch->fresh);
	for (int kind = 0; kind < LODE_N_LOSS_KINDS; kind++) {
		const struct lode_loss *loss = &batch->losses.by_kind[kind];

		if (loss->count)
			lode_loss_add(losses_of(deliver), (enum lode_loss_kind)kind, loss->count,
				      loss->offset, deliver->last_ns, "%s", loss->detail);
	}
	deliver->n_unknown += batch->n_unknown;
}

/* ---- Samples ---- */

/*
 * Sampled by frequency, a sample stands for the sampling interval. But perf finds the period that
 * gives the frequency from 1 on, by some samples within microseconds on each CPU: these stand for
 * the time since the one before, until the first interval that is at least half as long as it
 * should be.
 */
static int64_t weight_at_frequency(struct lode_perf_pace *pace, int64_t interval_ns,
				   uint64_t period, int64_t t_ns)
{
	int64_t gap = pace->last_ns && t_ns > pace->last_ns ? t_ns - pace->last_ns : 0;

	pace->last_ns = t_ns;
	if (period && period < LODE_PERF_STARTING_PERIOD)
		pace->is_starting = true;
	else if (gap >= interval_ns / 2)
		pace->is_starting = false;
	return pace->is_starting && gap < interval_ns ? gap : interval_ns;
}

/* What a sample stands for where switches are not recorded: of counters its period, which is a
   count (model/counted_time.h). */
static int64_t weight_of(struct lode_perf_deliver *deliver, const struct lode_perf_event *event,
			 const struct lode_perf_record *record, int64_t t_ns)
{
	if ((event->is_time && record->value) || event->is_count)
		return record->value > INT64_MAX ? 0 : (int64_t)record->value;
	while (deliver->paces.n <= record->cpu)
		(void)lode_vec_append_zero(&deliver->paces);
	return event->period ? weight_at_frequency(&deliver->paces.at[record->cpu],
						   (int64_t)(1000000000u / event->period),
						   event->at_period ? record->value : 0, t_ns)
			     : 0;
}

/*
 * Where two events of one tracepoint take turns, with call chains and with stack dumps, both are on
 * for a moment: then each switch and waking comes twice, one right after the other on its CPU.
 */
static bool is_second_twin(struct lode_perf_deliver *deliver, const struct lode_perf_event *event,
			   const struct lode_perf_record *record)
{
	bool is_switch = event->class == LODE_PERF_SCHED_SWITCH;
	size_t slot = 2 * (size_t)record->cpu + is_switch;
	struct lode_perf_twin *last, own = {.tid = record->tid,
					    .event = record->event + 1u,
					    .in_interrupt = record->in_interrupt};

	if (!deliver->header->events.has_twins ||
	    (!is_switch && event->class != LODE_PERF_SCHED_WAKING))
		return false;
	while (deliver->twins.n <= slot)
		(void)lode_vec_append_zero(&deliver->twins);
	last = &deliver->twins.at[slot];
	own.pids[0] = record->pids[0];
	own.pids[1] = is_switch ? record->pids[1] : 0;
	if (last->event && last->event != own.event && last->tid == own.tid &&
	    last->pids[0] == own.pids[0] && last->pids[1] == own.pids[1] &&
	    last->in_interrupt == own.in_interrupt) {
		last->event = 0;
		return true;
	}
	*last = own;
	return false;
}

static void deliver_waking(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch,
			   const struct lode_perf_record *record, uint32_t cpu, int64_t t_ns,
			   uint32_t stack)
{
	struct lode_waking waking = {
		.t_ns = t_ns,
		.cpu = cpu,
		.waker_tid = record->tid,
		.wakee_tid = record->pids[0],
		.wakee_comm = (const char *)batch->side.at + record->side,
		.has_context = record->has_context,
		.in_interrupt = record->in_interrupt,
		.in_hardirq = record->in_hardirq,
		.stack = stack,
	};

	lode_builder_waking(deliver->builder, &waking);
}

static void deliver_switch(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch,
			   const struct lode_perf_record *record,
			   const struct lode_perf_event *event, uint32_t cpu, int64_t t_ns,
			   uint32_t stack)
{
	const char *names = (const char *)batch->side.at + record->side;
	struct lode_switch out = {
		.t_ns = t_ns,
		.cpu = cpu,
		.prev_pid = record->pids[0],
		.next_pid = record->pids[1],
		.left = (enum lode_left_state)record->left,
		.is_disk_sleep = record->is_disk,
		.prev_comm = names,
		.next_comm = names + LODE_PERF_COMM_BYTES,
		.stack = stack,
		.has_dump = event->sample_type & PERF_SAMPLE_STACK_USER,
	};

	lode_builder_switch(deliver->builder, &out);
}

/* The kernel's numbers of states: established, SYN sent, closed; others are not asked for. */
static bool act_of_state(int32_t state, enum lode_socket_act *act)
{
	*act = state == 1 ? LODE_SOCKET_UP : state == 2 ? LODE_SOCKET_CONNECTS : LODE_SOCKET_CLOSED;
	return state == 1 || state == 2 || state == 7;
}

static void deliver_socket(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch,
			   const struct lode_perf_record *record, enum lode_perf_class class,
			   uint32_t cpu, int64_t t_ns)
{
	struct lode_socket_record out = {
		.t_ns = t_ns,
		.cpu = cpu,
		.tid = record->tid,
		.act = class == LODE_PERF_SOCKET_SENT	    ? LODE_SOCKET_SENT
		       : class == LODE_PERF_SOCKET_RECEIVED ? LODE_SOCKET_RECEIVED
							    : LODE_SOCKET_NAMED,
		.socket = record->value,
		.n_bytes = record->pids[0],
	};
	uint64_t ends[2];

	if (class == LODE_PERF_SOCKET_STATE && !act_of_state(record->pids[0], &out.act)) {
		lode_builder_time(deliver->builder, t_ns);
		return;
	}
	if (lode_perf_record_names(class)) {
		memcpy(ends, batch->side.at + record->side, sizeof(ends));
		out.own = ends[0];
		out.peer = ends[1];
		out.is_loopback = record->pids[1] & LODE_PERF_IS_LOOPBACK;
		out.asks = record->pids[1] & LODE_PERF_ASKS;
	}
	lode_builder_socket(deliver->builder, &out);
}

/* Where in the side bytes the sample has what the tap wants; NULL: no sample has any. */
static const uint8_t *side_for_tap(const struct lode_perf_batch *batch,
				   const struct lode_perf_record *record,
				   const struct lode_perf_event *event)
{
	if (!batch->side.at)
		return NULL;
	return batch->side.at + record->side +
	       (size_t)lode_perf_record_names(event->class) * LODE_PERF_COMM_BYTES;
}

static bool is_inside(struct lode_perf_deliver *deliver, const struct lode_perf_record *record,
		      int64_t t_ns)
{
	if (!deliver->has_window)
		lode_builder_window(deliver->builder, &deliver->window);
	deliver->has_window = true;
	return t_ns >= deliver->window.from_ns && t_ns < deliver->window.to_ns &&
	       (deliver->window.cpu < 0 || deliver->window.cpu == record->cpu);
}

static void tap_event(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch,
		      const struct lode_perf_record *record, const struct lode_perf_event *event,
		      int64_t t_ns, uint32_t stack)
{
	const struct lode_perf_tap *tap = &event->tap;
	const uint8_t *side = side_for_tap(batch, record, event);
	struct lode_tap_event out;

	out.t_ns = t_ns;
	out.id = tap->id;
	out.pid = record->pid;
	out.tid = record->tid;
	out.cpu = record->cpu == UINT16_MAX ? UINT32_MAX : record->cpu;
	out.stack = stack;
	out.is_inside = is_inside(deliver, record, t_ns);
	out.has_context = event->payload.common_flags.size != 0;
	out.in_hardirq = record->context & (LODE_TRACE_FLAG_HARDIRQ | LODE_TRACE_FLAG_NMI);
	out.in_softirq = record->context & LODE_TRACE_FLAG_SOFTIRQ;
	out.found = tap->found;
	if (tap->n_fields)
		memcpy(out.values, side, tap->n_fields * sizeof(*out.values));
	out.text = tap->text.size ? (const char *)side + tap->n_fields * sizeof(*out.values) : NULL;
	deliver->tap->event(deliver->tap->context, &out);
}

/* The stack of a sample whose user part is a dump. */
static uint32_t unwound_stack(struct lode_perf_deliver *deliver,
			      const struct lode_perf_batch *batch,
			      const struct lode_perf_record *record,
			      const struct lode_perf_event *event, int64_t t_ns)
{
	const uint8_t *dump = side_for_tap(batch, record, event);
	bool is_cut;
	size_t n;

	if (record->is_tapped)
		dump += lode_perf_tap_bytes(&event->tap);
	n = lode_perf_unwind(&deliver->unwind, dump, event, record->pid, &is_cut);
	if (deliver->unwind.damaged)
		lode_loss_add(losses_of(deliver), LODE_LOSS_UNWIND, 1, -1, t_ns,
			      "stacks of %s end early or lack callers: its unwind table is damaged",
			      deliver->unwind.damaged);
	if (n == 0)
		return lode_perf_stacks_raw(&deliver->stacks, batch->worker, record->chain,
					    record->pid);
	return lode_perf_stacks_unwound(&deliver->stacks, batch->worker, record->chain, record->pid,
					deliver->unwind.addresses, n, is_cut);
}

/* What the sample means to the model. */
static void deliver_to_model(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch,
			     const struct lode_perf_record *record,
			     const struct lode_perf_event *event, int64_t t_ns, uint32_t stack)
{
	uint32_t cpu = record->cpu == UINT16_MAX ? UINT32_MAX : record->cpu;
	struct lode_sample sample;

	switch (event->class) {
	case LODE_PERF_SCHED_SWITCH:
		deliver_switch(deliver, batch, record, event, cpu, t_ns, stack);
		break;
	case LODE_PERF_SCHED_WAKEUP:
		if (deliver->header->events.has_waking)
			break;
		deliver_waking(deliver, batch, record, cpu, t_ns, stack);
		break;
	case LODE_PERF_SCHED_WAKING:
	case LODE_PERF_SCHED_WAKEUP_NEW:
		deliver_waking(deliver, batch, record, cpu, t_ns, stack);
		break;
	case LODE_PERF_SOCKET_SENT:
	case LODE_PERF_SOCKET_RECEIVED:
	case LODE_PERF_SOCKET_STATE:
	case LODE_PERF_SOCKET_NAMED:
		deliver_socket(deliver, batch, record, event->class, cpu, t_ns);
		break;
	case LODE_PERF_DISK_REQUEST:
		lode_builder_disk_request(deliver->builder, t_ns, record->tid);
		break;
	case LODE_PERF_SYS_ENTER:
		lode_builder_syscall_enter(deliver->builder, t_ns, record->tid,
					   (int64_t)record->value, event->syscall);
		break;
	case LODE_PERF_SYS_EXIT:
		lode_builder_syscall_exit(deliver->builder, t_ns, record->tid);
		break;
	case LODE_PERF_CPU:
	case LODE_PERF_OFFCPU:
		sample = (struct lode_sample){t_ns, cpu, record->pid, record->tid, 0, stack};
		if (event->class == LODE_PERF_CPU) {
			sample.weight_ns = weight_of(deliver, event, record, t_ns);
			lode_builder_sample(deliver->builder, &sample);
		} else {
			sample.weight_ns = record->value > INT64_MAX ? 0 : (int64_t)record->value;
			lode_builder_offcpu(deliver->builder, &sample);
		}
		break;
	case LODE_PERF_OTHER:
		lode_builder_time(deliver->builder, t_ns);
		break;
	}
}

static void deliver_sample(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch,
			   const struct lode_perf_record *record, int64_t t_ns)
{
	const struct lode_perf_event *event = &deliver->header->events.at.at[record->event];
	uint32_t stack = 0;

	deliver->n_samples.at[record->event]++;
	deliver->n_all_samples++;
	if (is_second_twin(deliver, event, record))
		return;
	if (record->has_dump)
		stack = unwound_stack(deliver, batch, record, event, t_ns);
	else if (record->chain)
		stack = lode_perf_stacks_raw(&deliver->stacks, batch->worker, record->chain,
					     record->pid);
	if (deliver->has_model)
		deliver_to_model(deliver, batch, record, event, t_ns, stack);
	else
		lode_builder_time(deliver->builder, t_ns);
	if (record->is_tapped)
		tap_event(deliver, batch, record, event, t_ns, stack);
}

/* ---- Maps and names ---- */

/* The text at the end of a record, up to its NUL or the trailer. */
static const char *rest_text(struct lode_bytes *b)
{
	return lode_bytes_string(b);
}

/* As far as it is known by now: of what ran before the recording, nothing is. */
static bool is_command(const struct lode_perf_deliver *deliver, int32_t pid)
{
	const struct lode_stream *stream = lode_builder_stream(deliver->builder);
	uint32_t thread = lode_map_find(&stream->thread_index, (uint32_t)pid);

	return thread != LODE_NONE && stream->threads.at[thread].is_command;
}

/* A jitdump of which each function's time is known on the recording's clock. */
static void add_jitdump(struct lode_perf_deliver *deliver, int32_t pid, uint32_t dso)
{
	const struct lode_perf_unwind *unwind = &deliver->unwind;
	uint32_t code;

	if (!unwind->symboliser || !deliver->header->events.at.n ||
	    !deliver->header->events.at.at[0].is_monotonic)
		return;
	code = lode_perf_dsos_user(&deliver->dsos, "//anon", pid, NULL, 0);
	lode_perf_jit_add(&deliver->jit,
			  lode_perf_dsos_open(&deliver->dsos, dso, deliver->header,
					      unwind->symboliser, unwind->recording),
			  pid, code);
}

static void deliver_mmap(struct lode_perf_deliver *deliver, struct lode_bytes b, uint16_t misc,
			 bool is_mmap2)
{
	unsigned cpumode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	int32_t pid = lode_bytes_i32(&b);
	uint64_t start, size, page_offset, inode = 0;
	const uint8_t *build_id = NULL, *bytes;
	uint8_t build_id_size = 0;
	const char *path;
	uint32_t dso;

	(void)lode_bytes_u32(&b); /* tid */
	start = lode_bytes_u64(&b);
	size = lode_bytes_u64(&b);
	page_offset = lode_bytes_u64(&b);
	if (is_mmap2) {
		bytes = lode_bytes_take(&b, 24);
		if (bytes && misc & PERF_RECORD_MISC_MMAP_BUILD_ID && bytes[0] <= 20) {
			build_id_size = bytes[0];
			build_id = bytes + 4;
		} else if (bytes) {
			inode = lode_perf_u64(bytes + 8);
		}
		(void)lode_bytes_u64(&b); /* prot, flags */
	}
	path = rest_text(&b);
	if (b.overrun) {
		lode_loss_add(losses_of(deliver), LODE_LOSS_BAD_RECORD, 1, lode_bytes_offset(&b),
			      deliver->last_ns, "mapping without a name");
		return;
	}
	if (cpumode == PERF_RECORD_MISC_KERNEL || (cpumode != PERF_RECORD_MISC_USER && pid == -1)) {
		dso = lode_perf_dsos_kernel(&deliver->dsos, path, start, size, page_offset,
					    build_id, build_id_size);
		lode_spaces_mmap_kernel(deliver->spaces, start, size, page_offset, dso);
		lode_perf_stacks_kernel_changed(&deliver->stacks);
		return;
	}
	if (cpumode != PERF_RECORD_MISC_USER)
		return; /* of a guest */
	if (lode_map_find(&deliver->executing, (uint32_t)pid) == true) {
		lode_spaces_exec(deliver->spaces, pid);
		*lode_map_slot(&deliver->executing, (uint32_t)pid) = false;
	}
	dso = lode_perf_dsos_user(&deliver->dsos, path, pid, build_id, build_id_size);
	if (!(misc & PERF_RECORD_MISC_MMAP_DATA))
		lode_perf_dsos_mapped(&deliver->dsos, dso, page_offset, size);
	deliver->dsos.at.at[dso].is_of_command |= is_command(deliver, pid);
	if (!deliver->dsos.at.at[dso].inode)
		deliver->dsos.at.at[dso].inode = inode;
	if (deliver->dsos.at.at[dso].kind == LODE_DSO_JIT)
		page_offset = start;
	lode_spaces_mmap(deliver->spaces, pid, start, size, page_offset, dso);
	if (deliver->dsos.at.at[dso].kind == LODE_DSO_JIT)
		lode_perf_jit_mapped(&deliver->jit, deliver->spaces, pid, start, size);
	else if (lode_jit_dump_pid(path))
		add_jitdump(deliver, pid, dso);
}

static void deliver_comm(struct lode_perf_deliver *deliver, struct lode_bytes b, uint16_t misc,
			 int64_t t_ns)
{
	int32_t pid = lode_bytes_i32(&b), tid = lode_bytes_i32(&b);
	const char *comm = rest_text(&b);
	bool is_exec = misc & PERF_RECORD_MISC_COMM_EXEC;

	if (b.overrun)
		return;
	/*
	 * Until the first map of the new program, samples still show the old one's call of exec:
	 * its maps go only then.
	 */
	if (is_exec)
		*lode_map_slot(&deliver->executing, (uint32_t)pid) = true;
	lode_builder_comm(deliver->builder, t_ns, pid, tid, comm, is_exec);
	lode_perf_command_comm(&deliver->command, lode_builder_stream(deliver->builder), tid, comm,
			       is_exec);
}

static void deliver_fork(struct lode_perf_deliver *deliver, struct lode_bytes b, uint16_t misc,
			 int64_t t_ns, bool is_exit)
{
	int32_t pid = lode_bytes_i32(&b), parent_pid = lode_bytes_i32(&b);
	int32_t tid = lode_bytes_i32(&b), parent_tid = lode_bytes_i32(&b);

	if (b.overrun)
		return;
	if (is_exit) {
		if (t_ns == LODE_PERF_NO_TIME)
			return;
		lode_builder_exit(deliver->builder, t_ns, pid, tid);
		if (deliver->tap && deliver->tap->ended)
			deliver->tap->ended(deliver->tap->context, t_ns, tid);
		return;
	}
	/* What perf makes of a process that already lived brings that one's own maps. */
	if (pid != parent_pid && !(misc & PERF_RECORD_MISC_FORK_EXEC))
		lode_spaces_fork(deliver->spaces, pid, parent_pid);
	lode_perf_command_fork(&deliver->command, tid, parent_tid);
	lode_builder_fork(deliver->builder, t_ns, pid, tid, parent_pid, parent_tid);
	if (deliver->tap && deliver->tap->born)
		deliver->tap->born(deliver->tap->context, t_ns, pid, tid);
}

static void deliver_ksymbol(struct lode_perf_deliver *deliver, struct lode_bytes b)
{
	uint64_t start = lode_bytes_u64(&b);
	uint32_t size = lode_bytes_u32(&b), dso;
	uint16_t flags;
	const char *name;

	(void)lode_bytes_u16(&b); /* BPF or out of line */
	flags = lode_bytes_u16(&b);
	name = rest_text(&b);
	if (b.overrun || !*name || flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return;
	dso = lode_perf_dsos_ksymbol(&deliver->dsos, name, start, size);
	lode_spaces_mmap_kernel(deliver->spaces, start, size, start, dso);
	lode_perf_stacks_kernel_changed(&deliver->stacks);
}

/* ---- The rest ---- */

/*
 * LOST_SAMPLES records have no time where perf writes them at its end: what each event has lost
 * (Linux 6.0, perf 6.1), of which LOST records have told most already.
 */
static void deliver_lost(struct lode_perf_deliver *deliver, struct lode_bytes b, bool has_id,
			 const struct lode_perf_record *record, int64_t t_ns)
{
	uint32_t cpu = record->cpu == UINT16_MAX ? UINT32_MAX : record->cpu;
	uint64_t n;

	if (has_id)
		(void)lode_bytes_u64(&b);
	n = lode_bytes_u64(&b);
	if (n == 0 || b.overrun)
		return;
	if (!has_id) {
		deliver->n_lost_samples += n;
	} else {
		deliver->n_lost += n;
		lode_loss_add(losses_of(deliver), LODE_LOSS_EVENTS, n, -1, t_ns,
			      "the recorder dropped %llu events on CPU %d", (unsigned long long)n,
			      record->cpu == UINT16_MAX ? -1 : record->cpu);
	}
	if (t_ns != LODE_PERF_NO_TIME)
		lode_builder_lost(deliver->builder, t_ns, cpu);
	if (deliver->tap && deliver->tap->lost && deliver->last_ns != INT64_MIN)
		deliver->tap->lost(deliver->tap->context,
				   t_ns == LODE_PERF_NO_TIME ? deliver->last_ns : t_ns, cpu);
}

void lode_perf_deliver_finish(struct lode_perf_deliver *deliver)
{
	uint64_t n = deliver->n_lost_samples;

	if (n <= deliver->n_lost)
		return;
	n -= deliver->n_lost;
	lode_loss_add(losses_of(deliver), LODE_LOSS_EVENTS, n, -1, deliver->last_ns,
		      "the recorder dropped %llu events", (unsigned long long)n);
}

/*
 * Where sched_switch was recorded, switch records tell who comes in after the idle thread: some
 * virtual machines run no tracepoint while a CPU idles, and write these records all the same.
 */
static void deliver_entry(struct lode_perf_deliver *deliver, struct lode_bytes b,
			  const struct lode_perf_record *record, uint32_t cpu, int64_t t_ns)
{
	int32_t prev_pid = lode_bytes_i32(&b), prev_tid = lode_bytes_i32(&b);
	struct lode_switch in = {.t_ns = t_ns,
				 .cpu = cpu,
				 .prev_pid = -1,
				 .next_pid = record->tid,
				 .left = LODE_LEFT_RUNNABLE};

	if (!b.overrun && prev_pid == 0 && prev_tid == 0 && record->tid > 0)
		lode_builder_switch(deliver->builder, &in);
}

/*
 * Switch records of perf_event_attr.context_switch. Without sched_switch they are all there is: a
 * CPU's are complete, so that the OUT records tell all; a thread's own say only that it leaves or
 * enters.
 */
static void deliver_context_switch(struct lode_perf_deliver *deliver, struct lode_bytes b,
				   uint16_t misc, bool is_cpu_wide,
				   const struct lode_perf_record *record, int64_t t_ns)
{
	bool is_out = misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct lode_switch out = {
		.t_ns = t_ns,
		.cpu = record->cpu == UINT16_MAX ? UINT32_MAX : record->cpu,
		.left = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? LODE_LEFT_RUNNABLE
								   : LODE_LEFT_SLEEPING,
	};

	if (t_ns == LODE_PERF_NO_TIME || !deliver->has_model)
		return;
	if (deliver->header->events.has_switch_tracepoint) {
		if (is_cpu_wide && !is_out)
			deliver_entry(deliver, b, record, out.cpu, t_ns);
		return;
	}
	if (is_cpu_wide) {
		if (!is_out)
			return;
		(void)lode_bytes_i32(&b);
		out.prev_pid = record->tid;
		out.next_pid = lode_bytes_i32(&b);
		if (b.overrun)
			return;
	} else if (is_out) {
		out.prev_pid = record->tid;
	} else {
		out.next_pid = record->tid;
		out.left = LODE_LEFT_RUNNABLE;
	}
	lode_builder_switch(deliver->builder, &out);
}

static void deliver_thread_map(struct lode_perf_deliver *deliver, struct lode_bytes b)
{
	uint64_t n = lode_bytes_u64(&b);

	for (uint64_t i = 0; i < n; i++) {
		int64_t pid = (int64_t)lode_bytes_u64(&b);

		lode_bytes_take(&b, 16);
		if (b.overrun)
			return;
		lode_perf_command_thread_map(&deliver->command,
					     pid < 0 || pid > INT32_MAX ? -1 : (int32_t)pid);
	}
}

static void deliver_other(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch,
			  const struct lode_perf_record *record, int64_t t_ns)
{
	const uint8_t *p = batch->side.at + record->side;
	size_t size = (size_t)record->value, head = LODE_PERF_RECORD_HEADER_BYTES;
	struct lode_bytes b = lode_bytes_make(p + head, size - head, batch->offset);
	uint16_t misc = lode_perf_u16(p + 4);
	uint32_t type = lode_perf_u32(p);

	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		deliver_mmap(deliver, b, misc, type == PERF_RECORD_MMAP2);
		break;
	case PERF_RECORD_COMM:
		deliver_comm(deliver, b, misc, t_ns);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		deliver_fork(deliver, b, misc, t_ns, type == PERF_RECORD_EXIT);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		deliver_lost(deliver, b, type == PERF_RECORD_LOST, record, t_ns);
		break;
	case PERF_RECORD_KSYMBOL:
		deliver_ksymbol(deliver, b);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		deliver_context_switch(deliver, b, misc, type == PERF_RECORD_SWITCH_CPU_WIDE,
				       record, t_ns);
		break;
	case LODE_PERF_HEADER_BUILD_ID:
		lode_perf_header_add_build_id(deliver->header,
					      lode_bytes_make(p, size, batch->offset));
		break;
	case LODE_PERF_THREAD_MAP:
		deliver_thread_map(deliver, b);
		break;
	default:
		break;
	}
}

/*
 * Where switches were recorded, everything has its place in time: a sample without a time (perf's
 * --per-thread takes such of all but tracepoints) has none.
 */
static void leave_out_timeless(struct lode_perf_deliver *deliver,
			       const struct lode_perf_batch *batch,
			       const struct lode_perf_record *record)
{
	deliver->n_samples.at[record->event]++;
	deliver->n_all_samples++;
	lode_loss_add(losses_of(deliver), LODE_LOSS_UNDECODABLE, 1, batch->offset, 0,
		      "samples of %s have no time (perf record -T adds it)",
		      deliver->header->events.at.at[record->event].name);
}

/* The builder counts what is older than the record before it; without a builder it is done here. */
static void count_unordered(struct lode_perf_deliver *deliver, const struct lode_perf_batch *batch,
			    int64_t t_ns)
{
	lode_loss_add(losses_of(deliver), LODE_LOSS_UNORDERED, 1, batch->offset, t_ns,
		      "a record is %lld ns older than the one before it",
		      (long long)(deliver->last_ns - t_ns));
}

void lode_perf_deliver_record(void *context, const struct lode_perf_batch *batch,
			      const struct lode_perf_record *record)
{
	struct lode_perf_deliver *deliver = context;
	int64_t t_ns = record->t_ns;

	if (record->kind == LODE_PERF_REC_SAMPLE && t_ns == LODE_PERF_NO_TIME &&
	    deliver->header->events.has_switch_tracepoint) {
		leave_out_timeless(deliver, batch, record);
		return;
	}
	if (t_ns == LODE_PERF_NO_TIME || t_ns == INT64_MAX) {
		/* A sample without a time is of now; other records were so from the beginning. */
		if (record->kind == LODE_PERF_REC_SAMPLE)
			t_ns = deliver->last_ns == INT64_MIN ? 0 : deliver->last_ns;
		else
			t_ns = LODE_PERF_NO_TIME;
	} else {
		if (deliver->first_ns == INT64_MIN)
			deliver->first_ns = t_ns;
		if (t_ns > deliver->last_ns)
			deliver->last_ns = t_ns;
		else if (t_ns < deliver->last_ns && !deliver->has_model)
			count_unordered(deliver, batch, t_ns);
		if (t_ns >= deliver->jit.next_ns)
			lode_perf_jit_advance(&deliver->jit, deliver->spaces, t_ns);
	}
	switch ((enum lode_perf_kind)record->kind) {
	case LODE_PERF_REC_SAMPLE:
		deliver_sample(deliver, batch, record, t_ns);
		break;
	case LODE_PERF_REC_OTHER:
		deliver_other(deliver, batch, record, t_ns);
		break;
	case LODE_PERF_REC_TIME:
		if (t_ns != LODE_PERF_NO_TIME)
			lode_builder_time(deliver->builder, t_ns);
		break;
	}
}
