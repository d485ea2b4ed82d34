#include "model/call_levels.h"

struct making {
	struct lode_call_thread *thread;
	struct lode_call_store *store;
	struct lode_call_sums *sums;
	struct lode_call_packer *packer;
	lode_call_buffer buffer;
};

static int add_sums(struct making *m, const struct lode_call_pieces *pieces,
		    struct lode_call_piece piece, struct lode_error *err)
{
	const uint8_t *data;
	int rc = lode_call_pieces_read(&data, pieces, m->store, piece, &m->buffer, err);

	if (rc < 0)
		return rc;
	return lode_call_sums_unpack(m->sums, m->thread->stacks.at.n, data, piece.size, NULL, -1,
				     err);
}

static int keep_sums(struct making *m, struct lode_call_piece *out, struct lode_error *err)
{
	lode_call_sums_pack(m->packer, m->sums);
	return lode_call_pieces_append(out, &m->thread->pieces, m->store, m->packer->packed.at,
				       m->packer->packed.n, err);
}

static int finish_block(struct making *m, const struct lode_call_pieces *early,
			struct lode_call_span *block, struct lode_error *err)
{
	int rc;

	lode_call_sums_clear(m->sums);
	rc = add_sums(m, early, block->sums, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < block->n_late; i++) {
		const struct lode_call *call = &m->thread->late.at[block->first_late + i].call;

		lode_call_sums_add(m->sums, call->stack, 0, (uint64_t)call->duration_ns);
		if (call->duration_ns > block->max_duration_ns)
			block->max_duration_ns = call->duration_ns;
		/* Nothing outside of it began after it: it is the last of the outermost. */
		if (lode_call_depth(m->thread, call->stack) == block->min_depth)
			block->top_end_ns = lode_call_end(call);
	}
	return keep_sums(m, &block->sums, err);
}

struct lode_call_span lode_call_span_over(const struct lode_call_span *parts, size_t n)
{
	struct lode_call_span over = parts[0];

	over.calls = (struct lode_call_piece){0};
	over.n_late = 0;
	for (size_t i = 1; i < n; i++) {
		const struct lode_call_span *part = &parts[i];

		over.n_calls += part->n_calls;
		if (part->max_duration_ns > over.max_duration_ns)
			over.max_duration_ns = part->max_duration_ns;
		if (part->min_depth > over.min_depth)
			continue;
		if (part->min_depth < over.min_depth || part->max_gap_ns > over.max_gap_ns)
			over.max_gap_ns = part->max_gap_ns;
		over.min_depth = part->min_depth;
		over.top_start_ns = part->top_start_ns;
		over.top_end_ns = part->top_end_ns;
	}
	return over;
}

static int make_level(struct making *m, unsigned level, struct lode_error *err)
{
	struct lode_call_thread *thread = m->thread;
	size_t n_below = thread->levels[level - 1].n;

	for (size_t i = 0; i < n_below; i += LODE_CALL_FAN_OUT) {
		const struct lode_call_span *parts = &thread->levels[level - 1].at[i];
		size_t n = n_below - i < LODE_CALL_FAN_OUT ? n_below - i : LODE_CALL_FAN_OUT;
		struct lode_call_span over = lode_call_span_over(parts, n);
		int rc = LODE_OK;

		lode_call_sums_clear(m->sums);
		for (size_t k = 0; k < n && rc == LODE_OK; k++)
			rc = add_sums(m, &thread->pieces, parts[k].sums, err);
		if (rc == LODE_OK)
			rc = keep_sums(m, &over.sums, err);
		if (rc < 0)
			return rc;
		lode_vec_append(&thread->levels[level], over);
	}
	return LODE_OK;
}

static void finish_thread(struct lode_call_thread *thread)
{
	const struct lode_call_span *top = lode_call_thread_top(thread);

	for (size_t i = 0; i < thread->stacks.at.n; i++)
		if (thread->stacks.at.at[i].n_functions > thread->max_depth)
			thread->max_depth = thread->stacks.at.at[i].n_functions;
	if (!top)
		return;
	thread->first_ns = top->first_ns;
	thread->last_ns = top->top_end_ns; /* the first call has depth 0 */
}

int lode_call_levels_make(struct lode_call_thread *thread, const struct lode_call_pieces *early,
			  struct lode_call_store *store, struct lode_call_sums *sums,
			  struct lode_call_packer *packer, struct lode_error *err)
{
	struct making m = {thread, store, sums, packer, {0}};
	int rc = LODE_OK;

	lode_call_sums_reserve(sums, thread->stacks.at.n);
	for (size_t i = 0; i < thread->levels[0].n && rc == LODE_OK; i++)
		rc = finish_block(&m, early, &thread->levels[0].at[i], err);
	thread->n_levels = thread->levels[0].n > 0;
	while (rc == LODE_OK && thread->n_levels && thread->levels[thread->n_levels - 1].n > 1) {
		rc = make_level(&m, thread->n_levels, err);
		thread->n_levels++;
	}
	finish_thread(thread);
	lode_vec_release(&m.buffer);
	return rc;
}
