/* All calls of a function trace in memory or on disk. */
#include "model/call_trace.h"

#include <zstd.h>

#include "base/sorted.h"

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
	for (size_t i = 0; i < trace->threads.n; i++)
		lode_call_thread_free(trace->threads.at[i]);
	lode_vec_release(&trace->threads);
	lode_vec_release(&trace->spreads);
	lode_vec_release(&trace->clocks);
	lode_calltree_release(&trace->functions);
	lode_call_store_release(&trace->store);
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
