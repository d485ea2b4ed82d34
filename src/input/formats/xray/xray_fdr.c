/* Reads XRay logs of flight data recorder mode. */
#include "input/formats/xray/xray_format.h"
#include "input/formats/xray/xray_index.h"
#include "input/formats/xray/xray_log.h"
#include "input/spool.h"
#include "base/bytes.h"
#include "base/pipeline.h"

/*
 * One buffer of a flight data recorder log, decoded: events with XRay's own function ids, and what
 * the buffer tells of the call stack around it.
 *
 *   before     main > read > [buffer:  > lock < lock < read > write > lock ]
 *   `exits`    read                    left here, entered before
 *   `opens`    write lock              entered here, not left
 *
 * By these one sees whether the buffer can follow the one before (`follow_stack`).
 */
struct block {
	LODE_VEC(struct lode_call_event) events; /* at[0] is room for the caller's; n counts it */
	LODE_VEC(uint32_t) exits, opens;
	const char *fault; /* what stopped decoding before the end, or NULL */
	size_t fault_at;   /* bytes into the buffer */
};

static const uint8_t event_kinds[XRAY_N_KINDS] = {
	[XRAY_ENTER] = LODE_CALL_ENTER,
	[XRAY_EXIT] = LODE_CALL_EXIT,
	[XRAY_TAIL_EXIT] = LODE_CALL_EXIT_TAIL,
	[XRAY_ENTER_ARGUMENT] = LODE_CALL_ENTER,
};

/* What records change while a buffer is decoded. */
struct state {
	const uint8_t *at, *end;
	uint64_t now; /* in ticks */
	unsigned version;
	const char *fault; /* stops the decoding; `ended`: without being one */
};

static const char ended[] = "";

/*
 * Custom and typed events carry data behind their record. Since version 5 (typed ones always) they
 * have a difference in ticks, which counts for the records that follow; before, their own time.
 */
static void skip_event(struct state *state, struct lode_bytes record, bool is_typed)
{
	int32_t size = lode_bytes_i32(&record);

	if (is_typed || state->version >= 5)
		state->now += (uint64_t)(int64_t)lode_bytes_i32(&record);
	if (size < 0 || size > state->end - state->at)
		state->fault = "an event with more data than the buffer has";
	else
		state->at += size;
}

static void metadata(struct state *state)
{
	struct lode_bytes record;

	if (state->end - state->at < XRAY_METADATA_BYTES) {
		state->fault = "the buffer ends inside a record";
		return;
	}
	record = lode_bytes_make(state->at, XRAY_METADATA_BYTES, 0);
	state->at += XRAY_METADATA_BYTES;
	switch (lode_bytes_u8(&record) >> 1) {
	case XRAY_NEW_CPU:
		lode_bytes_u16(&record);
		state->now = lode_bytes_u64(&record);
		break;
	case XRAY_TSC_WRAP:
		state->now = lode_bytes_u64(&record);
		break;
	case XRAY_CUSTOM_EVENT:
		skip_event(state, record, false);
		break;
	case XRAY_TYPED_EVENT:
		skip_event(state, record, true);
		break;
	case XRAY_END_OF_BUFFER:
		state->fault = state->version == 1 ? ended : "an end of buffer record";
		break;
	case XRAY_NEW_BUFFER:
	case XRAY_WALL_CLOCK:
	case XRAY_CALL_ARGUMENT:
	case XRAY_EXTENTS:
	case XRAY_PROCESS:
		break;
	default:
		state->fault = "a record of unknown kind";
	}
}

/*
 * The loop that everything waits for: one load, one multiplication or two and one store per event.
 * `is_ns`: a tick is a nanosecond.
 */
static inline __attribute__((always_inline)) size_t
decode(struct state *state, struct lode_call_event *out, struct lode_ticks ticks, bool is_ns)
{
	size_t n = 0;

	while (!state->fault && state->at < state->end) {
		const uint8_t *at = state->at, *end = state->end;
		uint64_t now = state->now;

		while (end - at >= XRAY_FUNCTION_BYTES) {
			uint32_t word, ticks_since;

			memcpy(&word, at, sizeof(word));
			memcpy(&ticks_since, at + sizeof(word), sizeof(ticks_since));
			if ((word & XRAY_IS_METADATA) || (word >> 1 & 7) >= XRAY_N_KINDS)
				break;
			if (!lode_ticks_is_near(&ticks, now + ticks_since) &&
			    !lode_ticks_move(&ticks, now + ticks_since))
				break;
			now += ticks_since;
			at += XRAY_FUNCTION_BYTES;
			out[n].t_ns = is_ns ? (int64_t)now : lode_ticks_near(&ticks, now);
			out[n].function = word >> 4;
			out[n].kind = event_kinds[word >> 1 & 7];
			n++;
		}
		state->at = at;
		state->now = now;
		if (at < end && (*at & XRAY_IS_METADATA))
			metadata(state);
		else if (end - at >= XRAY_FUNCTION_BYTES)
			state->fault = (*at >> 1 & 7) >= XRAY_N_KINDS
					       ? "a function record of unknown kind"
					       : "a time beyond any clock";
		else if (at < end)
			state->fault = "the buffer ends inside a record";
	}
	return n;
}

/* Pairs entries and exits inside the buffer; see the header. */
static void find_seams(struct block *block)
{
	const struct lode_call_event *events = block->events.at + 1;
	size_t n = block->events.n - 1, depth = 0;
	uint32_t *stack;

	block->exits.n = 0;
	lode_vec_reserve(&block->opens, n + 1);
	stack = block->opens.at;
	for (size_t i = 0; i < n; i++) {
		uint32_t function = events[i].function;
		size_t found = depth;

		if (events[i].kind == LODE_CALL_ENTER) {
			stack[depth++] = function;
			continue;
		}
		while (found && stack[found - 1] != function)
			found--;
		if (found)
			depth = found - 1;
		else
			lode_vec_append(&block->exits, function);
	}
	block->opens.n = depth;
}

/* `version` of the log. The block's storage is used again. */
static void xray_block_decode(struct block *block, const uint8_t *bytes, size_t size,
			      unsigned version, const struct lode_ticks *ticks)
{
	struct state state = {.at = bytes, .end = bytes + size, .version = version};
	struct lode_call_event *out;

	lode_vec_reserve(&block->events, size / XRAY_FUNCTION_BYTES + 1);
	out = block->events.at + 1;
	block->events.n = 1 + (ticks->per_s == 1000000000 ? decode(&state, out, *ticks, true)
							  : decode(&state, out, *ticks, false));
	block->fault = state.fault == ended ? NULL : state.fault;
	block->fault_at = (size_t)(state.at - bytes);
	find_seams(block);
}

static void xray_block_release(struct block *block)
{
	lode_vec_release(&block->events);
	lode_vec_release(&block->exits);
	lode_vec_release(&block->opens);
}

/*
 * Flight data recorder logs: buffers in the order of the index, read and decoded side by side,
 * handed over one after another.
 */

struct item {
	const struct lode_xray_buffer *buffer;
	struct block block;
	LODE_VEC(uint8_t) bytes;
	struct lode_error read_error; /* status LODE_OK: none */
};

/* What is known of a thread behind the buffers that were taken. */
struct line {
	bool is_cut;		 /* events are missing before its next buffer */
	LODE_VEC(uint32_t) open; /* functions that are open: XRay's ids */
};

struct fdr {
	struct lode_xray_log *log;
	struct lode_spool spool;
	struct lode_xray_index index;
	size_t next;	    /* buffer to be made */
	struct line *lines; /* by thread of the index */
	uint64_t n_events;
	int64_t taken_bytes;
	struct lode_error *err;
};

static int make_xray_fdr(void *context, void *item)
{
	struct fdr *fdr = context;
	struct item *it = item;

	if (fdr->next == fdr->index.buffers.n)
		return LODE_PIPELINE_END;
	it->buffer = &fdr->index.buffers.at[fdr->next++];
	return LODE_PIPELINE_ITEM;
}

static void work_xray_fdr(void *context, void *item, unsigned worker)
{
	const struct fdr *fdr = context;
	struct item *it = item;
	ssize_t n;

	(void)worker;
	lode_vec_reserve(&it->bytes, it->buffer->size_bytes);
	it->read_error.status = LODE_OK;
	n = lode_spool_read(&fdr->spool, it->bytes.at, it->buffer->size_bytes, it->buffer->offset,
			    &it->read_error);
	it->bytes.n = n < 0 ? 0 : (size_t)n;
	xray_block_decode(&it->block, it->bytes.at, it->bytes.n, fdr->log->header.version,
			  &fdr->log->ticks);
}

/*
 * Does the buffer contradict what its thread had open? It does if it leaves a function that is not
 * open while others are: then buffers between the two were lost (the recorder had none free), and
 * it is unknown since when what is open was left. With nothing open the function was entered before
 * the log begins.
 */
static bool is_seamless(struct line *line, const struct block *block)
{
	for (size_t i = 0; i < block->exits.n; i++) {
		size_t depth = line->open.n;

		if (depth == 0)
			return true;
		while (depth && line->open.at[depth - 1] != block->exits.at[i])
			depth--;
		if (depth == 0)
			return false;
		line->open.n = depth - 1;
	}
	return true;
}

static void follow_stack(struct fdr *fdr, const struct item *it)
{
	struct lode_losses *losses = fdr->log->sink->losses;
	struct line *line = &fdr->lines[it->buffer->thread];

	if (!line->is_cut && !is_seamless(line, &it->block)) {
		line->is_cut = true;
		lode_loss_add(losses, LODE_LOSS_EVENTS, 1, it->buffer->offset,
			      it->block.events.at[1].t_ns,
			      "offset 0x%llx: buffers of thread %d are missing before this one",
			      (unsigned long long)it->buffer->offset, it->buffer->tid);
	}
	if (line->is_cut)
		line->open.n = 0;
	for (size_t i = 0; i < it->block.opens.n; i++)
		lode_vec_append(&line->open, it->block.opens.at[i]);
}

static int hand_over(struct fdr *fdr, struct item *it)
{
	struct lode_xray_log *log = fdr->log;
	struct lode_call_event *events = it->block.events.at;
	size_t n = it->block.events.n, first = 1;
	struct line *line = &fdr->lines[it->buffer->thread];
	uint32_t thread = lode_xray_thread(log, it->buffer->pid, it->buffer->tid);

	for (size_t i = 1; i < n; i++)
		events[i].function = lode_xray_function(log, events[i].function);
	if (line->is_cut) {
		events[0] = (struct lode_call_event){.t_ns = events[1].t_ns, .kind = LODE_CALL_CUT};
		first = 0;
		line->is_cut = false;
	}
	fdr->n_events += n - 1;
	return log->sink->events(log->sink->context, thread, events + first, n - first, fdr->err);
}

static int take_xray_fdr(void *context, void *item)
{
	struct fdr *fdr = context;
	struct item *it = item;
	struct lode_losses *losses = fdr->log->sink->losses;
	const struct lode_call_options *options = fdr->log->options;
	int rc = LODE_OK;

	if (it->read_error.status != LODE_OK) {
		if (fdr->err)
			*fdr->err = it->read_error;
		return it->read_error.status;
	}
	if (it->block.events.n > 1) {
		follow_stack(fdr, it);
		rc = hand_over(fdr, it);
	}
	if (it->block.fault) {
		int64_t offset = it->buffer->offset + (int64_t)it->block.fault_at;

		lode_loss_add(losses, LODE_LOSS_BAD_RECORD, 1, offset, 0,
			      "offset 0x%llx: %s: the rest of the buffer is skipped",
			      (unsigned long long)offset, it->block.fault);
		fdr->lines[it->buffer->thread].is_cut = true;
	}
	fdr->taken_bytes += it->buffer->size_bytes;
	if (options->progress)
		options->progress(options->progress_context, fdr->taken_bytes,
				  fdr->spool.size_bytes);
	return rc;
}

static int run_xray_fdr(struct fdr *fdr, struct lode_error *err)
{
	unsigned n_threads = fdr->log->options->n_threads;
	struct lode_pipeline pipeline = {.make = make_xray_fdr,
					 .work = work_xray_fdr,
					 .take = take_xray_fdr,
					 .context = fdr,
					 .item_bytes = sizeof(struct item)};
	struct item *items;
	int rc;

	if (n_threads == 0)
		n_threads = 1;
	pipeline.n_items = n_threads == 1 ? 1 : 2 * (size_t)n_threads;
	items = lode_alloc0(pipeline.n_items, sizeof(*items));
	pipeline.items = items;
	fdr->lines = lode_alloc0(fdr->index.n_threads, sizeof(*fdr->lines));
	fdr->err = err;
	rc = lode_pipeline_run(&pipeline, n_threads);
	for (size_t i = 0; i < pipeline.n_items; i++) {
		xray_block_release(&items[i].block);
		lode_vec_release(&items[i].bytes);
	}
	free(items);
	for (size_t i = 0; i < fdr->index.n_threads; i++)
		lode_vec_release(&fdr->lines[i].open);
	free(fdr->lines);
	if (rc == LODE_OK && fdr->n_events == 0)
		rc = lode_fail(err, LODE_ERR_FORMAT, fdr->log->path, XRAY_HEADER_BYTES,
			       "no function entry or exit in any of its %zu buffers",
			       fdr->index.buffers.n);
	return rc;
}

int lode_xray_read_fdr(struct lode_xray_log *log, struct lode_input *input, struct lode_error *err)
{
	struct lode_losses *losses = log->sink->losses;
	struct fdr fdr = {.log = log};
	int rc = lode_spool_open(&fdr.spool, input, err);

	if (rc < 0)
		return rc;
	if (fdr.spool.fault.status != LODE_OK)
		lode_loss_add(losses, LODE_LOSS_TRUNCATED, 1, fdr.spool.size_bytes, 0, "%s",
			      fdr.spool.fault.message);
	rc = lode_xray_index_build(&fdr.index, &log->header, &fdr.spool, losses, err);
	if (rc == LODE_OK)
		rc = run_xray_fdr(&fdr, err);
	lode_xray_index_release(&fdr.index);
	lode_spool_close(&fdr.spool);
	return rc;
}
