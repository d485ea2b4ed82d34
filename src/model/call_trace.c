/* All calls of a function trace in memory or on disk. */
#include "model/call_trace.h"

#include <errno.h>
#include <unistd.h>
#include <zstd.h>

#include "base/sorted.h"
#include "base/unnamed_file.h"

/* ---- Bytes of the blocks ---- */

enum { first_chunk_bytes = 4 << 10, last_chunk_bytes = 1 << 20 };

uint32_t lode_call_check(const uint8_t *data, size_t size)
{
	uint64_t h = size * 0x9e3779b97f4a7c15u, word;

	for (; size >= 8; data += 8, size -= 8) {
		memcpy(&word, data, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	word = 0;
	if (size)
		memcpy(&word, data, size);
	h = (h ^ word) * 0xff51afd7ed558ccdu;
	return (uint32_t)(h >> 32);
}

static void call_store_release(struct lode_call_store *store)
{
	int file = atomic_exchange(&store->file, 0);

	if (file)
		close(file - 1);
}

void lode_call_pieces_release(struct lode_call_pieces *pieces, struct lode_call_store *store)
{
	for (size_t i = 0; i < pieces->chunks.n; i++) {
		if (store && pieces->chunks.at[i].memory)
			atomic_fetch_sub(&store->in_memory, pieces->chunks.at[i].size);
		free(pieces->chunks.at[i].memory);
	}
	lode_vec_release(&pieces->chunks);
}

/* Two threads may get here at once: one file is kept. */
static int spill_file(struct lode_call_store *store, struct lode_error *err)
{
	int none = 0, file = atomic_load(&store->file), rc;

	if (file)
		return file - 1;
	rc = lode_unnamed_file_open(&file, err);
	if (rc < 0)
		return rc;
	if (atomic_compare_exchange_strong(&store->file, &none, file + 1))
		return file;
	close(file);
	return none - 1;
}

static int spill(struct lode_call_chunk *chunk, struct lode_call_store *store,
		 struct lode_error *err)
{
	int file = spill_file(store, err);
	int64_t offset;
	int rc;

	if (file < 0)
		return file;
	offset = atomic_fetch_add(&store->file_bytes, (long long)chunk->used);
	rc = lode_unnamed_file_write(file, chunk->memory, chunk->used, offset, err);
	if (rc < 0)
		return rc;
	chunk->file_offset = offset;
	free(chunk->memory);
	chunk->memory = NULL;
	atomic_fetch_sub(&store->in_memory, chunk->size);
	return LODE_OK;
}

/* Room for a piece; the chunk before is full and goes to the file if memory is short. */
static int new_chunk(struct lode_call_pieces *pieces, struct lode_call_store *store, size_t size,
		     struct lode_error *err)
{
	size_t n = pieces->chunks.at ? pieces->chunks.n : 0;
	size_t chunk_bytes = n ? pieces->chunks.at[n - 1].size * (size_t)2 : first_chunk_bytes;
	int rc;

	if (n && store->memory_bytes && atomic_load(&store->in_memory) > store->memory_bytes) {
		rc = spill(&pieces->chunks.at[n - 1], store, err);
		if (rc < 0)
			return rc;
	}
	if (chunk_bytes > last_chunk_bytes)
		chunk_bytes = last_chunk_bytes;
	if (chunk_bytes < size)
		chunk_bytes = size;
	atomic_fetch_add(&store->in_memory, chunk_bytes);
	lode_vec_append(&pieces->chunks,
			((struct lode_call_chunk){.memory = lode_alloc(chunk_bytes),
						  .size = (uint32_t)chunk_bytes}));
	return LODE_OK;
}

int lode_call_pieces_append(struct lode_call_piece *out, struct lode_call_pieces *pieces,
			    struct lode_call_store *store, const uint8_t *data, size_t size,
			    struct lode_error *err)
{
	struct lode_call_chunk *chunk = NULL;
	int rc;

	if (pieces->chunks.n)
		chunk = &pieces->chunks.at[pieces->chunks.n - 1];
	if (!chunk || chunk->size - chunk->used < size) {
		rc = new_chunk(pieces, store, size, err);
		if (rc < 0)
			return rc;
		chunk = &pieces->chunks.at[pieces->chunks.n - 1];
	}
	out->at = (uint64_t)(pieces->chunks.n - 1) << 32 | chunk->used;
	out->size = (uint32_t)size;
	out->check = lode_call_check(data, size);
	if (size)
		memcpy(chunk->memory + chunk->used, data, size);
	chunk->used += (uint32_t)size;
	return LODE_OK;
}

void lode_call_pieces_end(struct lode_call_pieces *pieces, struct lode_call_store *store)
{
	struct lode_call_chunk *last;
	uint8_t *full;

	lode_vec_fit(&pieces->chunks, pieces->chunks.n);
	if (!pieces->chunks.n)
		return;
	last = &pieces->chunks.at[pieces->chunks.n - 1];
	if (!last->memory || last->used == last->size)
		return;
	full = last->memory;
	last->memory = memcpy(lode_alloc(last->used + 1), full, last->used);
	free(full);
	atomic_fetch_sub(&store->in_memory, last->size - last->used);
	last->size = last->used;
}

static int read_file(struct lode_call_store *store, uint8_t *to, size_t size, int64_t offset,
		     struct lode_error *err)
{
	const char *path = atomic_load(&store->path);
	int file = atomic_load(&store->file) - 1;

	for (size_t done = 0; done < size;) {
		ssize_t n = pread(file, to + done, size - done, offset + (int64_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lode_fail_errno(err, errno, path, "reading calls");
		if (n == 0)
			return lode_fail(err, LODE_ERR_TRUNCATED, path, offset + (int64_t)done,
					 "the file ends where %zu bytes of calls should be", size);
		done += (size_t)n;
	}
	return LODE_OK;
}

int lode_call_pieces_read(const uint8_t **out, const struct lode_call_pieces *pieces,
			  struct lode_call_store *store, struct lode_call_piece piece,
			  lode_call_buffer *buffer, struct lode_error *err)
{
	int64_t offset = (int64_t)piece.at;
	int rc;

	if (!pieces->is_index) {
		const struct lode_call_chunk *chunk = &pieces->chunks.at[piece.at >> 32];

		if (chunk->memory) {
			*out = chunk->memory + (uint32_t)piece.at;
			return LODE_OK;
		}
		offset = chunk->file_offset + (uint32_t)piece.at;
	}
	lode_vec_reserve(buffer, piece.size ? piece.size : 1);
	*out = buffer->at;
	rc = read_file(store, buffer->at, piece.size, offset, err);
	if (rc == LODE_OK && lode_call_check(buffer->at, piece.size) != piece.check)
		return lode_fail(err, LODE_ERR_FORMAT, atomic_load(&store->path), offset,
				 "%u bytes of calls are damaged: their checksum is wrong",
				 piece.size);
	return rc;
}

/* ---- The trace ---- */

const char *lode_call_repair_words(enum lode_call_repair repair)
{
	static const char *const words[LODE_N_REPAIRS] = {
		[LODE_REPAIR_EXIT_ALONE] = "exits without entry, dropped",
		[LODE_REPAIR_NO_EXIT] = "entries without exit, ended with their caller",
		[LODE_REPAIR_CUT_AT_LOSS] = "calls open where events were lost, ended there",
		[LODE_REPAIR_CUT_AT_END] = "calls open at the end, ended there",
		[LODE_REPAIR_BACKWARDS] = "events earlier than the one before, moved up to it",
		[LODE_REPAIR_DUPLICATE] = "duplicate events, dropped once",
		[LODE_REPAIR_BAD_TIME] = "events at impossible times, dropped",
	};

	return words[repair];
}

void lode_call_trace_keep_blocks(struct lode_call_trace *trace, bool is_kept)
{
	trace->spares.keeps_blocks = is_kept;
	for (size_t i = 0; !is_kept && i < LODE_CALL_KEPT_BLOCKS; i++) {
		struct lode_call_kept *kept = atomic_exchange(&trace->spares.blocks[i], NULL);

		if (kept)
			lode_vec_release(&kept->calls);
		free(kept);
	}
}

struct lode_call_trace *lode_call_trace_new(void)
{
	struct lode_call_trace *trace = lode_alloc0(1, sizeof(*trace));

	lode_calltree_init(&trace->functions);
	return trace;
}

void lode_call_trace_free(struct lode_call_trace *trace)
{
	if (!trace)
		return;
	lode_vec_release_each(&trace->threads, it, lode_call_thread_free(*it));
	lode_vec_release(&trace->spreads);
	lode_vec_release(&trace->clocks);
	lode_calltree_release(&trace->functions);
	call_store_release(&trace->store);
	lode_call_trace_keep_blocks(trace, false);
	for (size_t i = 0; i < LODE_CALL_SPARES; i++)
		ZSTD_freeDCtx(atomic_exchange(&trace->spares.decompressors[i], NULL));
	if (trace->loader)
		(trace->loader->free)(trace->loader);
	free(trace->source);
	free(trace->format);
	free(trace->command);
	free(trace->host);
	free(trace);
}

struct ranked_thread {
	uint64_t n_calls;
	size_t index;
};

LODE_COMPARE(most_calls_first, struct ranked_thread,
	     LODE_ORDER(b->n_calls, a->n_calls) ?: LODE_ORDER(a->index, b->index))

void lode_call_trace_keep_threads(struct lode_call_trace *trace, size_t n)
{
	struct ranked_thread *ranked;
	size_t n_kept = 0;

	if (trace->threads.n <= n)
		return;
	ranked = lode_alloc(trace->threads.n * sizeof(*ranked));
	for (size_t i = 0; i < trace->threads.n; i++)
		ranked[i] = (struct ranked_thread){trace->threads.at[i]->n_calls, i};
	lode_sort(ranked, trace->threads.n, most_calls_first);
	for (size_t i = n; i < trace->threads.n; i++) {
		lode_call_thread_free(trace->threads.at[ranked[i].index]);
		trace->threads.at[ranked[i].index] = NULL;
	}
	free(ranked);
	for (size_t i = 0; i < trace->threads.n; i++)
		if (trace->threads.at[i])
			trace->threads.at[n_kept++] = trace->threads.at[i];
	trace->n_left_out += trace->threads.n - n_kept;
	trace->threads.n = n_kept;
}

struct lode_call_thread *lode_call_thread_new(int32_t pid, int32_t tid, unsigned block_bits)
{
	struct lode_call_thread *thread = lode_alloc0(1, sizeof(*thread));

	thread->pid = pid;
	thread->tid = tid;
	thread->name = LODE_NONE;
	thread->block_bits = block_bits;
	atomic_init(&thread->parts, LODE_CALL_ALL);
	lode_call_stacks_init(&thread->stacks);
	return thread;
}

void lode_call_thread_free(struct lode_call_thread *thread)
{
	if (!thread)
		return;
	lode_call_stacks_release(&thread->stacks);
	lode_call_pieces_release(&thread->pieces, NULL);
	lode_call_thread_forget_levels(thread);
	lode_vec_release(&thread->late);
	free(thread->repairs);
	free(thread);
}

void lode_call_thread_add_level(struct lode_call_thread *thread)
{
	thread->levels =
		lode_realloc_n(thread->levels, thread->n_levels + 1, sizeof(*thread->levels));
	memset(&thread->levels[thread->n_levels++], 0, sizeof(*thread->levels));
}

void lode_call_thread_forget_levels(struct lode_call_thread *thread)
{
	for (unsigned i = 0; i < thread->n_levels; i++)
		lode_vec_release(&thread->levels[i]);
	free(thread->levels);
	thread->levels = NULL;
	thread->n_levels = 0;
}

void lode_call_repaired(struct lode_call_thread *thread, enum lode_call_repair repair, uint64_t n)
{
	if (!thread->repairs)
		thread->repairs = lode_alloc0(LODE_N_REPAIRS, sizeof(*thread->repairs));
	thread->repairs[repair] += n;
}
