/* Writes the index of a function trace. */
#include <zstd.h>

#include "base/atomic_file.h"
#include "model/call_cursor.h"
#include "store/timeline_file.h"
#include "base/varint.h"

struct writer {
	struct lode_atomic_file *file;
	struct lode_call_trace *trace;
	lode_byte_vec directory;
	lode_byte_vec part; /* spans or stacks of the thread at hand */
	lode_byte_vec packed;
	lode_byte_vec pending; /* of the file; not written yet */
	int64_t offset;	       /* of `pending` in the file */
	lode_call_buffer buffer;
	struct lode_error *err;
};

enum {
	pending_max = 1 << 20,
	part_level = 1, /* of zstd: there is much of it */
	directory_level = 3,
};

static void put_text_timeline_write(lode_byte_vec *to, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	lode_varint_put(to, n);
	for (size_t i = 0; i < n; i++)
		lode_vec_append(to, (uint8_t)text[i]);
}

static void put_u64(lode_byte_vec *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		lode_vec_append(to, (uint8_t)(value >> 8 * i));
}

static void put_u32(lode_byte_vec *to, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		lode_vec_append(to, (uint8_t)(value >> 8 * i));
}

static void put_signed(lode_byte_vec *to, int64_t value)
{
	lode_varint_put_delta(to, (uint64_t)value, 0);
}

static int flush_timeline_write(struct writer *w)
{
	int rc = lode_atomic_write_at(w->file, w->pending.at, w->pending.n, w->offset, w->err);

	w->offset += (int64_t)w->pending.n;
	w->pending.n = 0;
	return rc;
}

static int put_pending(struct writer *w, const uint8_t *data, size_t size)
{
	lode_vec_append_all(&w->pending, data, size);
	return w->pending.n >= pending_max ? flush_timeline_write(w) : LODE_OK;
}

/* Into w->packed; how many bytes. */
static size_t pack_timeline_write(struct writer *w, const lode_byte_vec *plain, int level)
{
	size_t bound = ZSTD_compressBound(plain->n), n;

	lode_vec_reserve(&w->packed, bound);
	n = ZSTD_compress(w->packed.at, bound, plain->at, plain->n, level);
	if (ZSTD_isError(n)) /* nothing but memory can fail here */
		lode_oom(bound);
	return n;
}

/* A piece goes behind the one before, so the spans need its size only. */
static int put_piece(struct writer *w, const struct lode_call_thread *thread,
		     struct lode_call_piece piece)
{
	const uint8_t *data;
	int rc = lode_call_pieces_read(&data, &thread->pieces, &w->trace->store, piece, &w->buffer,
				       w->err);

	if (rc < 0)
		return rc;
	lode_varint_put(&w->part, piece.size);
	put_u32(&w->part, piece.check);
	return put_pending(w, data, piece.size);
}

static int put_block(struct writer *w, const struct lode_call_thread *thread,
		     const struct lode_call_span *block, int64_t before_ns)
{
	lode_byte_vec *to = &w->part;
	int rc;

	lode_varint_put_delta(to,
			      (uint64_t)lode_call_recorded_ns(w->trace, thread, block->first_ns),
			      (uint64_t)before_ns);
	lode_varint_put(to, (uint64_t)block->max_duration_ns);
	lode_varint_put(to, (uint64_t)(block->max_gap_ns + 1));
	lode_varint_put(to, (uint64_t)(block->top_start_ns - block->first_ns));
	lode_varint_put(to, (uint64_t)(block->top_end_ns - block->top_start_ns));
	lode_varint_put(to, block->min_depth);
	lode_varint_put(to, block->open == LODE_NONE ? 0 : (uint64_t)block->open + 1);
	lode_varint_put(to, block->n_late);
	lode_varint_put(to, (uint64_t)(block->longest.duration_ns + 1));
	if (block->longest.duration_ns >= 0) {
		lode_varint_put(to, (uint64_t)(block->longest.start_ns - block->first_ns));
		lode_varint_put(to, block->longest.stack);
		lode_varint_put(to, block->longest_index);
		lode_varint_put(to, (uint64_t)(block->second_ns + 1));
	}
	rc = put_piece(w, thread, block->calls);
	return rc < 0 ? rc : put_piece(w, thread, block->sums);
}

static void put_late(lode_byte_vec *to, const struct lode_call_trace *trace,
		     const struct lode_call_thread *thread)
{
	int64_t before = 0;

	lode_varint_put(to, thread->late.n);
	for (size_t i = 0; i < thread->late.n; i++) {
		const struct lode_call_late *late = &thread->late.at[i];

		int64_t start = lode_call_recorded_ns(trace, thread, late->call.start_ns);

		lode_varint_put_delta(to, (uint64_t)start, (uint64_t)before);
		lode_varint_put(to, (uint64_t)late->call.duration_ns);
		lode_varint_put(to, late->call.stack);
		lode_varint_put(to, late->caller == LODE_NONE ? 0 : i - late->caller);
		lode_varint_put(to, late->index);
		before = start;
	}
}

static void put_stacks(lode_byte_vec *to, const struct lode_call_thread *thread)
{
	for (uint32_t i = 1; i < thread->stacks.at.n; i++) {
		const struct lode_call_stack *stack = &thread->stacks.at.at[i];
		uint32_t n_callers = thread->stacks.at.at[stack->caller].n_functions;

		lode_varint_put(to, i - stack->caller);
		lode_varint_put(to, stack->function);
		lode_varint_put(to, stack->n_functions - n_callers - 1);
	}
}

static int put_spans(struct writer *w, const struct lode_call_thread *thread)
{
	int64_t before = 0;
	int rc = LODE_OK;

	put_late(&w->part, w->trace, thread);
	for (size_t i = 0; i < thread->levels[0].n && rc == LODE_OK; i++) {
		rc = put_block(w, thread, &thread->levels[0].at[i], before);
		before = lode_call_recorded_ns(w->trace, thread, thread->levels[0].at[i].first_ns);
	}
	for (unsigned level = 1; level < thread->n_levels; level++)
		for (size_t i = 0; i < thread->levels[level].n && rc == LODE_OK; i++)
			rc = put_piece(w, thread, thread->levels[level].at[i].sums);
	return rc;
}

/* Packs w->part behind what is pending, and tells the directory of it. */
static int put_part(struct writer *w)
{
	size_t n = pack_timeline_write(w, &w->part, part_level);

	lode_varint_put(&w->directory, n);
	put_u32(&w->directory, lode_call_check(w->packed.at, n));
	w->part.n = 0;
	return put_pending(w, w->packed.at, n);
}

/* Pieces of an index are copied as they are: what their checksums do not show is found by reading
   them. */
static int check_pieces(struct writer *w, const struct lode_call_thread *thread)
{
	struct lode_call_cursor cursor;
	struct lode_call_sums sums = {0};
	struct lode_call_run run;
	int rc = LODE_OK;

	lode_call_cursor_init(&cursor, w->trace, thread);
	lode_call_sums_reserve(&sums, thread->n_stacks);
	for (uint64_t at = 0; at < thread->n_calls && rc == LODE_OK; at = run.first + run.n)
		rc = lode_call_cursor_block(&run, &cursor, at);
	for (unsigned level = 0; level < thread->n_levels; level++)
		for (size_t i = 0; i < thread->levels[level].n && rc == LODE_OK; i++) {
			if (thread->levels[level].at[i].sums.size)
				rc = lode_call_sum_span(&sums, &cursor,
							&thread->levels[level].at[i]);
			sums.at.n = 0;
		}
	if (rc < 0 && w->err)
		*w->err = cursor.err;
	lode_call_sums_release(&sums);
	lode_call_cursor_release(&cursor);
	return rc;
}

static int put_thread(struct writer *w, const struct lode_call_thread *thread)
{
	lode_byte_vec *to = &w->directory;
	int64_t start;
	int rc = lode_call_thread_need(w->trace, thread, LODE_CALL_ALL, w->err);

	if (rc == LODE_OK && thread->pieces.is_index)
		rc = check_pieces(w, thread);
	if (rc < 0)
		return rc;
	put_signed(to, thread->pid);
	put_signed(to, thread->tid);
	put_text_timeline_write(to, lode_call_thread_name(w->trace, thread));
	lode_varint_put(to, thread->n_calls);
	lode_varint_put(to, thread->n_events);
	for (unsigned i = 0; i < LODE_N_REPAIRS; i++)
		lode_varint_put(to, lode_call_repairs(thread, (enum lode_call_repair)i));
	put_signed(to, lode_call_recorded_ns(w->trace, thread, thread->first_ns));
	lode_varint_put(to, (uint64_t)(thread->last_ns - thread->first_ns));
	lode_varint_put(to, thread->max_depth);
	lode_varint_put(to, thread->n_stacks - 1);
	lode_varint_put(to, thread->block_bits);
	start = w->offset + (int64_t)w->pending.n;
	rc = put_spans(w, thread);
	lode_varint_put(to, (uint64_t)(w->offset + (int64_t)w->pending.n - start));
	if (rc == LODE_OK)
		rc = put_part(w);
	put_stacks(&w->part, thread);
	return rc == LODE_OK ? put_part(w) : rc;
}

static void put_losses(lode_byte_vec *to, const struct lode_losses *losses)
{
	for (unsigned i = 0; i < LODE_N_LOSS_KINDS; i++) {
		const struct lode_loss *loss = &losses->by_kind[i];

		lode_varint_put(to, loss->count);
		if (!loss->count)
			continue;
		put_signed(to, loss->offset);
		put_signed(to, loss->first_ns);
		put_signed(to, loss->last_ns);
		put_signed(to, loss->cost_ns);
		put_text_timeline_write(to, loss->detail);
	}
}

static int put_all(struct writer *w)
{
	const struct lode_call_trace *trace = w->trace;
	lode_byte_vec *to = &w->directory;
	uint64_t ticks;
	int rc = LODE_OK;

	put_text_timeline_write(to, trace->source);
	put_text_timeline_write(to, trace->format);
	put_text_timeline_write(to, trace->command);
	put_text_timeline_write(to, trace->host);
	memcpy(&ticks, &trace->ticks_per_ns, sizeof(ticks));
	put_u64(to, ticks);
	lode_varint_put(to, LODE_N_LOSS_KINDS);
	put_losses(to, &trace->losses);
	lode_varint_put(to, trace->functions.frames.n);
	for (uint32_t i = 0; i < trace->functions.frames.n; i++) {
		const struct lode_call_spread *spread = &trace->spreads.at[i];

		put_text_timeline_write(to, lode_frame_module(&trace->functions, i));
		put_text_timeline_write(to, lode_frame_function(&trace->functions, i));
		lode_varint_put(to, spread->n);
		lode_varint_put(to, spread->total_ns);
		lode_varint_put(to, (uint64_t)spread->min_ns);
		lode_varint_put(to, (uint64_t)spread->median_ns);
		lode_varint_put(to, (uint64_t)spread->p99_ns);
		lode_varint_put(to, (uint64_t)spread->max_ns);
	}
	lode_varint_put(to, LODE_N_REPAIRS);
	lode_varint_put(to, trace->threads.n);
	for (size_t i = 0; i < trace->threads.n && rc == LODE_OK; i++)
		rc = put_thread(w, trace->threads.at[i]);
	return rc == LODE_OK ? flush_timeline_write(w) : rc;
}

/* The directory behind the threads, then the header before them. */
static int put_ends(struct writer *w, int64_t *size)
{
	static const uint8_t magic[8] = "LODETML";
	size_t n = pack_timeline_write(w, &w->directory, directory_level);
	lode_byte_vec header = {0};
	int rc;

	for (size_t i = 0; i < sizeof(magic); i++)
		lode_vec_append(&header, magic[i]);
	put_u64(&header, LODE_TIMELINE_VERSION | (uint64_t)LODE_CALL_FAN_OUT << 32);
	put_u64(&header, (uint64_t)w->offset);
	put_u64(&header, n);
	put_u64(&header, lode_call_check(w->packed.at, n));
	put_u64(&header, lode_call_check(header.at, header.n));
	rc = lode_atomic_write_at(w->file, w->packed.at, n, w->offset, w->err);
	if (rc == LODE_OK)
		rc = lode_atomic_write_at(w->file, header.at, header.n, 0, w->err);
	if (size)
		*size = w->offset + (int64_t)n;
	lode_vec_release(&header);
	return rc;
}

int lode_timeline_save(const char *path, struct lode_call_trace *trace, int64_t *size,
		       struct lode_error *err)
{
	struct writer w = {.trace = trace, .offset = LODE_TIMELINE_HEADER_BYTES, .err = err};
	int rc = lode_atomic_open_private(&w.file, path, err);

	if (rc < 0)
		return rc;
	rc = put_all(&w);
	if (rc == LODE_OK)
		rc = put_ends(&w, size);
	if (rc == LODE_OK)
		rc = lode_atomic_commit(w.file, err);
	else
		lode_atomic_abandon(w.file);
	lode_vec_release(&w.directory);
	lode_vec_release(&w.part);
	lode_vec_release(&w.packed);
	lode_vec_release(&w.pending);
	lode_vec_release(&w.buffer);
	return rc;
}
