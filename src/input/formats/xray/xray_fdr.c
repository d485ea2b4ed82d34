/* Reads XRay logs of flight data recorder mode. */
#include "base/pipeline.h"
#include "input/spool.h"
#include "input/formats/xray/xray_block.h"
#include "input/formats/xray/xray_format.h"
#include "input/formats/xray/xray_index.h"
#include "input/formats/xray/xray_log.h"

/*
 * Flight data recorder logs: buffers in the order of the index, read and decoded side by side,
 * handed over one after another.
 */

struct item {
	const struct lode_xray_buffer *buffer;
	struct lode_xray_block block;
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
	lode_xray_block_decode(&it->block, it->bytes.at, it->bytes.n, fdr->log->header.version,
			       &fdr->log->ticks);
}

/*
 * Does the buffer contradict what its thread had open? It does if it leaves a function that is not
 * open while others are: then buffers between the two were lost (the recorder had none free), and
 * nobody knows since when what is open was left. With nothing open the function was entered before
 * the log begins.
 */
static bool is_seamless(struct line *line, const struct lode_xray_block *block)
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
		lode_xray_block_release(&items[i].block);
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
