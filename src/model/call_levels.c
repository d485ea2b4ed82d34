/* Completes a thread's blocks and the levels above them. */
#include "model/call_levels.h"

struct making {
	struct lode_call_thread *thread;
	struct lode_call_store *store;
	struct lode_call_sums *sums;
	struct lode_call_packer *packer;
	lode_call_buffer buffer;
	LODE_VEC(struct lode_call) calls;
	/* Of the level at hand: complete sums, whether they are kept or not. */
	struct lode_call_pieces passing;
	LODE_VEC(struct lode_call_piece) pieces;
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

/* A block's sums from its calls, where they were not worth keeping; late calls count as 0 here. */
static int add_calls(struct making *m, const struct lode_call_span *block, struct lode_error *err)
{
	const uint8_t *data;
	int rc = lode_call_pieces_read(&data, &m->thread->pieces, m->store, block->calls,
				       &m->buffer, err);

	if (rc < 0)
		return rc;
	lode_vec_reserve(&m->calls, block->n_calls);
	rc = lode_call_block_unpack(m->calls.at, block->n_calls, block->first_ns,
				    m->thread->stacks.at.n, data, block->calls.size, m->packer,
				    NULL, -1, err);
	for (size_t i = 0; i < block->n_calls && rc == LODE_OK; i++)
		lode_call_sums_add(m->sums, m->calls.at[i].stack, 1,
				   (uint64_t)m->calls.at[i].duration_ns);
	return rc;
}

/* Puts the sums at hand where the next level finds them and, if they pay, where readers do. */
static int keep_sums(struct making *m, struct lode_call_span *span, struct lode_call_piece *passing,
		     struct lode_call_pieces *to, struct lode_error *err)
{
	int rc;

	lode_call_sums_pack(m->packer, m->sums);
	rc = lode_call_pieces_append(passing, to, m->store, m->packer->packed.at,
				     m->packer->packed.n, err);
	span->sums = (struct lode_call_piece){0};
	if (rc < 0 || !lode_call_sums_pay(m->sums, span->n_calls))
		return rc;
	return lode_call_pieces_append(&span->sums, &m->thread->pieces, m->store,
				       m->packer->packed.at, m->packer->packed.n, err);
}

static int finish_block(struct making *m, const struct lode_call_pieces *early,
			struct lode_call_span *block, struct lode_error *err)
{
	struct lode_call_piece passing;
	int rc;

	lode_call_sums_clear(m->sums);
	rc = block->sums.size ? add_sums(m, early, block->sums, err) : add_calls(m, block, err);
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
	rc = keep_sums(m, block, &passing, &m->passing, err);
	if (rc == LODE_OK)
		lode_vec_append(&m->pieces, passing);
	return rc;
}

struct lode_call_span lode_call_span_over(const struct lode_call_span *parts, size_t n)
{
	struct lode_call_span over = parts[0];

	over.calls = (struct lode_call_piece){0};
	over.n_late = 0;
	over.longest = (struct lode_call){0};
	over.longest_index = 0;
	over.second_ns = 0;
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

/* The level above the one whose sums are passing by. */
static int make_level(struct making *m, unsigned level, struct lode_error *err)
{
	struct lode_call_thread *thread = m->thread;
	struct lode_call_pieces above = {0};
	size_t n_below = m->pieces.n, n_above = 0;
	int rc = LODE_OK;

	lode_call_thread_add_level(thread);
	for (size_t i = 0; i < n_below && rc == LODE_OK; i += LODE_CALL_FAN_OUT) {
		size_t n = n_below - i < LODE_CALL_FAN_OUT ? n_below - i : LODE_CALL_FAN_OUT;
		struct lode_call_span over =
			lode_call_span_over(&thread->levels[level - 1].at[i], n);

		lode_call_sums_clear(m->sums);
		for (size_t k = 0; k < n && rc == LODE_OK; k++)
			rc = add_sums(m, &m->passing, m->pieces.at[i + k], err);
		if (rc == LODE_OK)
			rc = keep_sums(m, &over, &m->pieces.at[n_above++], &above, err);
		lode_vec_append(&thread->levels[level], over);
	}
	lode_call_pieces_release(&m->passing, m->store);
	m->passing = above;
	m->pieces.n = n_above;
	return rc;
}

/* Calls whose outermost callers are not known. `sums` are those of all the thread's calls. */
static uint64_t count_cut(const struct lode_call_thread *thread, const struct lode_call_sums *sums)
{
	uint8_t *is_cut = lode_alloc0(thread->stacks.at.n, 1);
	uint64_t n = 0;

	for (uint32_t i = 1; i < thread->stacks.at.n; i++)
		is_cut[i] = is_cut[thread->stacks.at.at[i].caller] ||
			    lode_call_stacks_is_shared(&thread->stacks, i);
	for (size_t i = 0; i < sums->at.n; i++)
		if (is_cut[sums->at.at[i].stack])
			n += sums->at.at[i].n;
	free(is_cut);
	return n;
}

static void finish_thread(struct lode_call_thread *thread)
{
	const struct lode_call_span *top = lode_call_thread_top(thread);

	thread->n_stacks = (uint32_t)thread->stacks.at.n;
	for (size_t i = 0; i < thread->stacks.at.n; i++)
		if (thread->stacks.at.at[i].n_functions > thread->max_depth)
			thread->max_depth = thread->stacks.at.at[i].n_functions;
	if (!top)
		return;
	thread->first_ns = top->first_ns;
	thread->last_ns = top->top_end_ns; /* the first call has depth 0 */
}

/* There may be a million threads: what they do not fill goes back. */
static void give_back(struct lode_call_thread *thread, struct lode_call_store *store)
{
	for (unsigned i = 0; i < thread->n_levels; i++)
		lode_vec_fit(&thread->levels[i], thread->levels[i].n);
	lode_vec_fit(&thread->late, thread->late.n);
	lode_call_stacks_end(&thread->stacks);
	lode_call_pieces_end(&thread->pieces, store);
}

int lode_call_levels_make(struct lode_call_thread *thread, const struct lode_call_pieces *early,
			  struct lode_call_store *store, struct lode_call_sums *sums,
			  struct lode_call_packer *packer, struct lode_error *err)
{
	struct making m = {.thread = thread, .store = store, .sums = sums, .packer = packer};
	int rc = LODE_OK;

	lode_call_sums_reserve(sums, thread->stacks.at.n);
	for (size_t i = 0; thread->n_levels && i < thread->levels[0].n && rc == LODE_OK; i++)
		rc = finish_block(&m, early, &thread->levels[0].at[i], err);
	while (rc == LODE_OK && m.pieces.n > 1)
		rc = make_level(&m, thread->n_levels, err);
	finish_thread(thread);
	if (rc == LODE_OK && thread->stacks.at.n > LODE_CALL_MAX_STACKS)
		thread->n_cut = count_cut(thread, sums);
	give_back(thread, store);
	lode_call_pieces_release(&m.passing, store);
	lode_vec_release(&m.pieces);
	lode_vec_release(&m.calls);
	lode_vec_release(&m.buffer);
	return rc;
}
