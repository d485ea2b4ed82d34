/* Decodes a block of records, in many threads at once. */
#include "input/formats/perf/perf_decode.h"

#include <assert.h>

#include "model/builder.h"
#include "input/formats/perf/perf_abi.h"
#include "input/formats/perf/perf_sample.h"
#include "input/formats/perf/perf_unwind.h"

/* Per decoder call. */
struct step {
	struct lode_perf_decoder *decoder;
	const struct lode_perf_events *events;
	struct lode_perf_batch *batch;
	int64_t offset; /* of the record, for messages */
	uint64_t last_id;
	const struct lode_perf_event *last_event;
	int64_t run_ns;	    /* last time of the open run */
	uint32_t run_begin; /* first record of the open run */
	bool is_in_run;
	struct lode_perf_chain_request requests[LODE_PERF_CHAIN_REQUESTS];
	size_t n_requests; /* chains that their records still wait for */
};

static void clear_perf_batch(struct lode_perf_batch *batch)
{
	batch->records.n = batch->segments.n = batch->side.n = 0;
	batch->fresh.kernel.n = batch->fresh.user.n = batch->fresh.chains.n = 0;
	memset(&batch->losses, 0, sizeof(batch->losses));
	batch->n_unknown = 0;
	batch->max_ns = INT64_MIN;
	batch->n_open = 0;
}

void lode_perf_batch_free(struct lode_perf_batch *batch)
{
	if (!batch)
		return;
	lode_vec_release(&batch->records);
	lode_vec_release(&batch->segments);
	lode_vec_release(&batch->side);
	lode_vec_release(&batch->fresh.kernel);
	lode_vec_release(&batch->fresh.user);
	lode_vec_release(&batch->fresh.chains);
	free(batch);
}

static void close_run(struct step *step)
{
	struct lode_perf_batch *batch = step->batch;
	struct lode_perf_segment run = {LODE_PERF_SEG_RUN, step->run_begin,
					(uint32_t)batch->records.n};

	if (step->is_in_run)
		lode_vec_append(&batch->segments, run);
	step->is_in_run = false;
}

static void bad_record(struct step *step, const char *what)
{
	lode_loss_add(&step->batch->losses, LODE_LOSS_BAD_RECORD, 1, step->offset, 0, "%s", what);
}

/* The record just appended takes its place in time. */
static void place_in_time(struct step *step)
{
	struct lode_perf_batch *batch = step->batch;
	uint32_t last = (uint32_t)batch->records.n - 1;
	int64_t t_ns = batch->records.at[last].t_ns;

	if (t_ns == LODE_PERF_NO_TIME) {
		batch->records.n--;
		close_run(step);
		batch->records.n++;
		lode_vec_append(&batch->segments,
				((struct lode_perf_segment){LODE_PERF_SEG_EARLY, last, last + 1}));
		return;
	}
	if (!step->is_in_run || t_ns < step->run_ns) {
		batch->records.n--;
		close_run(step);
		batch->records.n++;
		step->is_in_run = true;
		step->run_begin = last;
	}
	step->run_ns = t_ns;
	if (t_ns > batch->max_ns && t_ns != INT64_MAX)
		batch->max_ns = t_ns;
}

static bool time_is_possible(const struct step *step, int64_t t_ns)
{
	return t_ns == LODE_PERF_NO_TIME || t_ns == INT64_MAX ||
	       (t_ns >= step->decoder->from_ns && t_ns <= step->decoder->to_ns);
}

/* ---- Samples ---- */

static int64_t field_value(const uint8_t *raw, struct lode_perf_field field)
{
	const uint8_t *p = raw + field.offset;

	switch (field.size) {
	case 1:
		return *p;
	case 2:
		return lode_perf_u16(p);
	case 4:
		return (int32_t)lode_perf_u32(p);
	case 8:
		return (int64_t)lode_perf_u64(p);
	default:
		return 0;
	}
}

/* Names of at most 15 bytes, each in 16 with a NUL behind. */
static uint32_t keep_names(struct step *step, const uint8_t *raw,
			   const struct lode_perf_field *fields, size_t n)
{
	uint32_t place = (uint32_t)step->batch->side.n;

	lode_vec_reserve(&step->batch->side, place + n * LODE_PERF_COMM_BYTES);
	for (size_t i = 0; i < n; i++) {
		uint8_t *to = step->batch->side.at + place + i * LODE_PERF_COMM_BYTES;
		size_t size = fields[i].size < LODE_PERF_COMM_BYTES ? fields[i].size
								    : LODE_PERF_COMM_BYTES;

		memset(to, 0, LODE_PERF_COMM_BYTES);
		memcpy(to, raw + fields[i].offset, size);
		to[LODE_PERF_COMM_BYTES - 1] = 0;
	}
	step->batch->side.n += n * LODE_PERF_COMM_BYTES;
	return place;
}

/*
 * prev_state: 0 is R. Since Linux 4.14 a preempted thread has only TASK_REPORT_MAX (0x100), before
 * only TASK_STATE_MAX (higher still). 0x10 and 0x20 are X and Z, 2 is D.
 */
static enum lode_left_state left_state(int64_t state, bool *is_disk)
{
	*is_disk = false;
	if ((state & 0xff) == 0)
		return LODE_LEFT_RUNNABLE;
	if (state & 0x30)
		return LODE_LEFT_DEAD;
	*is_disk = state & 2;
	return LODE_LEFT_SLEEPING;
}

/* Addresses that every host has: ::1 and 127.0.0.0/8 as IPv6 has it. */
static bool is_loopback(const uint8_t address[16])
{
	static const uint8_t v4[13] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127};
	static const uint8_t v6[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

	return !memcmp(address, v4, sizeof(v4)) || !memcmp(address, v6, sizeof(v6));
}

/* Hashes of address and port, own and peer's, in the place of a name. */
static void keep_ends(struct step *step, const struct lode_perf_payload *payload,
		      const uint8_t *raw, struct lode_perf_record *record)
{
	uint64_t ends[2];
	uint16_t ports[2];

	for (int i = 0; i < 2; i++) {
		uint8_t end[18];

		memcpy(end, raw + payload->address[i].offset, 16);
		memcpy(end + 16, raw + payload->port[i].offset, 2);
		ends[i] = lode_stable_hash(end, sizeof(end), 0);
		ports[i] = lode_perf_u16(end + 16);
		if (is_loopback(end))
			record->pids[1] |= LODE_PERF_IS_LOOPBACK;
	}
	if (ports[0] > ports[1])
		record->pids[1] |= LODE_PERF_ASKS;
	record->side = (uint32_t)step->batch->side.n;
	static_assert(sizeof(ends) == LODE_PERF_COMM_BYTES, "a name's place");
	lode_vec_append_all(&step->batch->side, (const uint8_t *)ends, sizeof(ends));
}

static void take_payload(struct step *step, const struct lode_perf_event *event, const uint8_t *raw,
			 struct lode_perf_record *record)
{
	const struct lode_perf_payload *payload = &event->payload;
	bool is_disk;
	int64_t flags;

	switch (event->class) {
	case LODE_PERF_SCHED_SWITCH:
		record->pids[0] = (int32_t)field_value(raw, payload->pid[0]);
		record->pids[1] = (int32_t)field_value(raw, payload->pid[1]);
		record->left = left_state(field_value(raw, payload->prev_state), &is_disk);
		record->is_disk = is_disk;
		record->side =
			keep_names(step, raw, payload->comm, lode_perf_record_names(event->class));
		break;
	case LODE_PERF_SCHED_WAKING:
	case LODE_PERF_SCHED_WAKEUP:
	case LODE_PERF_SCHED_WAKEUP_NEW:
		record->pids[0] = (int32_t)field_value(raw, payload->pid[0]);
		record->side =
			keep_names(step, raw, payload->comm, lode_perf_record_names(event->class));
		flags = field_value(raw, payload->common_flags);
		record->has_context = payload->common_flags.size != 0;
		record->in_hardirq = (flags & (LODE_TRACE_FLAG_HARDIRQ | LODE_TRACE_FLAG_NMI)) != 0;
		record->in_interrupt = record->in_hardirq || flags & LODE_TRACE_FLAG_SOFTIRQ;
		break;
	case LODE_PERF_SOCKET_SENT:
	case LODE_PERF_SOCKET_RECEIVED:
		record->value = (uint64_t)field_value(raw, payload->socket);
		record->pids[0] = (int32_t)field_value(raw, payload->amount);
		break;
	case LODE_PERF_SOCKET_STATE:
	case LODE_PERF_SOCKET_NAMED:
		record->value = (uint64_t)field_value(raw, payload->socket);
		record->pids[0] = (int32_t)field_value(raw, payload->amount);
		keep_ends(step, payload, raw, record);
		break;
	case LODE_PERF_SYS_ENTER:
		record->value = (uint64_t)field_value(raw, payload->nr);
		break;
	default:
		break;
	}
}

/* Whether the stacks of an event are used. */
static bool is_used(const struct step *step, const struct lode_perf_event *event)
{
	if (event->tap.wants_stack)
		return true;
	if (step->events->tap && !step->events->tap->wants_model)
		return false;
	switch (event->class) {
	case LODE_PERF_OTHER:
	case LODE_PERF_SOCKET_SENT:
	case LODE_PERF_SOCKET_RECEIVED:
	case LODE_PERF_SOCKET_STATE:
	case LODE_PERF_SOCKET_NAMED:
	case LODE_PERF_DISK_REQUEST:
	case LODE_PERF_SYS_ENTER:
	case LODE_PERF_SYS_EXIT:
		return false;
	case LODE_PERF_SCHED_WAKEUP:
		return !step->events->has_waking;
	default:
		return true;
	}
}

/* What the tap wants, behind the record's names. */
static void keep_for_tap(struct step *step, const struct lode_perf_event *event,
			 const struct lode_perf_sample *sample, struct lode_perf_record *record)
{
	size_t place = step->batch->side.n, size = lode_perf_tap_bytes(&event->tap);

	record->is_tapped = true;
	if (event->payload.common_flags.size)
		record->context = (uint8_t)field_value(sample->raw, event->payload.common_flags);
	if (!lode_perf_record_names(event->class))
		record->side = (uint32_t)place;
	if (!size)
		return;
	lode_vec_reserve(&step->batch->side, place + size);
	lode_perf_tap_keep(&event->tap, sample->raw, sample->raw_bytes,
			   step->batch->side.at + place);
	step->batch->side.n += size;
}

/* Registers and stack for the unwinder: sizes first, all copied, behind what the record has. */
static void keep_dump(struct step *step, const struct lode_perf_event *event,
		      const struct lode_perf_sample *sample, struct lode_perf_record *record)
{
	struct lode_perf_dump head = {sample->regs_abi, sample->stack_bytes};
	size_t regs_bytes = (size_t)event->n_regs_user * 8, place = step->batch->side.n;
	size_t size = sizeof(head) + regs_bytes + sample->stack_bytes;

	if (!sample->regs || !sample->stack)
		return;
	if (!lode_perf_record_names(event->class) && !record->is_tapped)
		record->side = (uint32_t)place;
	lode_vec_reserve(&step->batch->side, place + size);
	memcpy(step->batch->side.at + place, &head, sizeof(head));
	memcpy(step->batch->side.at + place + sizeof(head), sample->regs, regs_bytes);
	memcpy(step->batch->side.at + place + sizeof(head) + regs_bytes, sample->stack,
	       sample->stack_bytes);
	step->batch->side.n += size;
	record->has_dump = true;
}

/* Looks up the chains that wait; their records are the batch's by now. */
static void answer_requests(struct step *step)
{
	lode_perf_chains_intern_all(step->decoder->chains, step->requests, step->n_requests,
				    &step->batch->fresh);
	for (size_t i = 0; i < step->n_requests; i++)
		step->batch->records.at[step->requests[i].record].chain = step->requests[i].chain;
	step->n_requests = 0;
}

static void request_chain(struct step *step, const struct lode_perf_sample *sample, uint16_t limit)
{
	struct lode_perf_chain_request *request = &step->requests[step->n_requests++];

	request->words = sample->chain;
	request->n = (uint32_t)sample->n_chain;
	request->max_stack = limit;
	request->record = (uint32_t)step->batch->records.n - 1;
	if (step->n_requests == LODE_PERF_CHAIN_REQUESTS)
		answer_requests(step);
}

/* The last record's chain: now, or when the next ones are looked up. */
static void find_chain(struct step *step, const struct lode_perf_event *event,
		       const struct lode_perf_sample *sample, unsigned cpumode)
{
	uint64_t words[2] = {PERF_CONTEXT_USER, sample->ip};
	struct lode_perf_batch *batch = step->batch;

	if (!is_used(step, event))
		return;
	if (event->sample_type & PERF_SAMPLE_CALLCHAIN) {
		request_chain(step, sample, event->max_stack);
		return;
	}
	/* Without callchains a sampled address is a stack of one frame. */
	if (event->class != LODE_PERF_CPU || !event->at_ip)
		return;
	if (cpumode == PERF_RECORD_MISC_KERNEL)
		words[0] = PERF_CONTEXT_KERNEL;
	else if (cpumode != PERF_RECORD_MISC_USER)
		return;
	batch->records.at[batch->records.n - 1].chain =
		lode_perf_chains_intern(step->decoder->chains, (const uint8_t *)words, 2,
					UINT16_MAX, &batch->fresh);
}

static const struct lode_perf_event *event_of(struct step *step, uint64_t id)
{
	if (!step->last_event || id != step->last_id) {
		step->last_event = lode_perf_events_find(step->events, id);
		step->last_id = id;
	}
	return step->last_event;
}

static void decode_sample(struct step *step, const uint8_t *p, size_t size)
{
	static const char short_payload[] = "tracepoint data are shorter than their format";
	uint16_t at_id = step->events->at_id;
	const struct lode_perf_event *event;
	struct lode_perf_record *record;
	struct lode_perf_sample sample;
	const char *wrong;

	if (size < (size_t)at_id + 8) {
		bad_record(step, "sample is too short for its event's id");
		return;
	}
	/* Without ids in the samples, all are of the first event. */
	event = at_id || step->events->at.n == 1 ? event_of(step, lode_perf_u64(p + at_id))
						 : step->events->at.at;
	if (!event) {
		bad_record(step, "sample of an event that the header does not describe");
		return;
	}
	wrong = lode_perf_sample_parse(&sample, event, p, size);
	if (!wrong && event->class >= LODE_PERF_SCHED_SWITCH &&
	    sample.raw_bytes < event->payload.need)
		wrong = short_payload;
	if (!wrong && !time_is_possible(step, sample.t_ns))
		wrong = "time is outside the recording's own time range";
	if (wrong) {
		bad_record(step, wrong);
		return;
	}
	record = lode_vec_append_zero(&step->batch->records);
	record->t_ns = sample.t_ns;
	record->pid = sample.pid;
	record->tid = sample.tid;
	record->cpu = sample.cpu < UINT16_MAX ? (uint16_t)sample.cpu : UINT16_MAX;
	record->event = (uint16_t)(event - step->events->at.at);
	record->kind = LODE_PERF_REC_SAMPLE;
	record->value = sample.period;
	if (event->class >= LODE_PERF_SCHED_SWITCH)
		take_payload(step, event, sample.raw, record);
	/* What the tap asks for makes no difference to the model. */
	if (event->tap.id != LODE_NONE && sample.raw_bytes < event->tap.need)
		bad_record(step, short_payload);
	else if (event->tap.id != LODE_NONE)
		keep_for_tap(step, event, &sample, record);
	find_chain(step, event, &sample, lode_perf_u16(p + 4) & PERF_RECORD_MISC_CPUMODE_MASK);
	if (step->decoder->want_dumps && event->regs_user && is_used(step, event))
		keep_dump(step, event, &sample, record);
	place_in_time(step);
}

/* ---- Other records ---- */

/* Those that say more than a time. */
static bool is_kept(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case LODE_PERF_HEADER_BUILD_ID:
	case LODE_PERF_THREAD_MAP:
		return true;
	default:
		return false;
	}
}

static bool is_known(uint32_t type)
{
	return (type >= PERF_RECORD_MMAP && type <= 22) ||
	       (type >= LODE_PERF_HEADER_ATTR && type <= LODE_PERF_COMPRESSED2 + 2);
}

/* Whose trailer a record carries: by id, else the first event's. */
static const struct lode_perf_event *trailer_event(struct step *step, const uint8_t *p, size_t size)
{
	uint16_t back_id = step->events->back_id;
	const struct lode_perf_event *event = NULL;

	if (back_id && size >= (size_t)back_id + LODE_PERF_RECORD_HEADER_BYTES)
		event = event_of(step, lode_perf_u64(p + size - back_id));
	return event ? event : step->events->at.at;
}

static void decode_other(struct step *step, uint32_t type, const uint8_t *p, size_t size)
{
	const struct lode_perf_event *event;
	struct lode_perf_record record = {.t_ns = LODE_PERF_NO_TIME,
					  .pid = -1,
					  .tid = -1,
					  .cpu = UINT16_MAX,
					  .kind = LODE_PERF_REC_TIME};
	uint32_t place = (uint32_t)step->batch->side.n, trailer = 0;

	step->batch->n_unknown += !is_known(type);
	if (type < LODE_PERF_USER_TYPE_START && is_known(type) && step->events->at.n) {
		event = trailer_event(step, p, size);
		trailer = event->trailer_bytes;
		if (size < LODE_PERF_RECORD_HEADER_BYTES + (size_t)trailer) {
			bad_record(step, "record is shorter than its trailer");
			return;
		}
		record.event = (uint16_t)(event - step->events->at.at);
		if (event->back_time)
			record.t_ns = lode_perf_time(lode_perf_u64(p + size - event->back_time));
		/* perf writes them at its end, with 0 for all that it does not know. */
		if (type == PERF_RECORD_LOST_SAMPLES && record.t_ns == 0)
			record.t_ns = LODE_PERF_NO_TIME;
		if (event->back_tid) {
			record.pid = (int32_t)lode_perf_u32(p + size - event->back_tid);
			record.tid = (int32_t)lode_perf_u32(p + size - event->back_tid + 4);
		}
		if (event->back_cpu && lode_perf_u32(p + size - event->back_cpu) < UINT16_MAX)
			record.cpu = (uint16_t)lode_perf_u32(p + size - event->back_cpu);
		if (!time_is_possible(step, record.t_ns)) {
			bad_record(step, "time is outside of the recording's own first and last");
			return;
		}
	}
	if (is_kept(type)) {
		record.kind = LODE_PERF_REC_OTHER;
		record.side = place;
		record.value = size - trailer;
		lode_vec_reserve(&step->batch->side, place + size);
		memcpy(step->batch->side.at + place, p, size);
		step->batch->side.n += size;
	} else if (record.t_ns == LODE_PERF_NO_TIME) {
		return;
	}
	lode_vec_append(&step->batch->records, record);
	place_in_time(step);
}

void lode_perf_decode(struct lode_perf_decoder *decoder, const struct lode_perf_block *block,
		      struct lode_perf_batch *batch)
{
	struct step step;
	const uint8_t *p = block->data, *end = block->data + block->size_bytes;
	uint32_t type;
	uint16_t size;

	/* The requests are not cleared. */
	step.decoder = decoder;
	step.events = decoder->events;
	step.batch = batch;
	step.last_id = 0;
	step.last_event = NULL;
	step.is_in_run = false;
	step.n_requests = 0;
	clear_perf_batch(batch);
	batch->worker = decoder->worker;
	batch->offset = block->offset;
	/* The splitter has checked that every record is whole and at least a header long. */
	for (; p < end; p += size) {
		type = lode_perf_u32(p);
		size = lode_perf_u16(p + 6);
		/* Callchains are passed over here: a tracepoint's data behind them, and the next
		   record, are on no line that was touched yet. */
		__builtin_prefetch(p + (size > 64 ? size - 64 : 0));
		__builtin_prefetch(p + size);
		__builtin_prefetch(p + size + 64);
		step.offset =
			block->is_expanded ? block->offset : block->offset + (p - block->data);
		if (type == PERF_RECORD_SAMPLE) {
			if (decoder->events->at.n)
				decode_sample(&step, p, size);
			else
				bad_record(&step, "sample before any event is described");
		} else if (type == LODE_PERF_FINISHED_ROUND) {
			close_run(&step);
			lode_vec_append(&batch->segments,
					((struct lode_perf_segment){LODE_PERF_SEG_ROUND, 0, 0}));
		} else {
			decode_other(&step, type, p, size);
		}
	}
	answer_requests(&step);
	close_run(&step);
}
