/* Reads the calls of one thread by index, by time, or as sums. */
#include "model/call_cursor.h"

#define NO_BLOCK ((size_t)-1)

/* ---- Blocks that are kept ---- */

static _Atomic(struct lode_call_kept *) *place_of(const struct lode_call_cursor *cursor,
						  size_t block)
{
	uint64_t key = lode_hash_u64((uint64_t)(uintptr_t)cursor->thread ^ (uint64_t)block << 40);

	return &cursor->trace->spares.blocks[key % LODE_CALL_KEPT_BLOCKS];
}

static void free_kept(struct lode_call_kept *kept)
{
	if (kept)
		lode_vec_release(&kept->calls);
	free(kept);
}

/* The current block, for the next read of it. */
static void leave_block(struct lode_call_cursor *cursor)
{
	struct lode_call_kept *kept;

	if (cursor->block == NO_BLOCK || cursor->rc < 0 || !cursor->thread)
		return;
	kept = lode_alloc0(1, sizeof(*kept));
	kept->thread = cursor->thread;
	kept->block = cursor->block;
	memcpy(&kept->calls, &cursor->calls, sizeof(kept->calls));
	memset(&cursor->calls, 0, sizeof(cursor->calls));
	free_kept(atomic_exchange(place_of(cursor, kept->block), kept));
	cursor->block = NO_BLOCK;
}

/* Whether `block` was kept: then its calls are at hand. */
static bool take_block(struct lode_call_cursor *cursor, size_t block)
{
	struct lode_call_kept *kept = atomic_exchange(place_of(cursor, block), NULL);

	if (!kept)
		return false;
	/* Room of a block, if nothing else: threads of one trace have blocks of one size. */
	lode_vec_release(&cursor->calls);
	memcpy(&cursor->calls, &kept->calls, sizeof(kept->calls));
	if (kept->thread == cursor->thread && kept->block == block) {
		free(kept);
		return true;
	}
	free(kept);
	return false;
}

/* ---- Where a cursor is ---- */

void lode_call_cursor_init(struct lode_call_cursor *cursor, struct lode_call_trace *trace,
			   const struct lode_call_thread *thread)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->trace = trace;
	cursor->block = NO_BLOCK;
	lode_call_packer_borrow(&cursor->packer, &trace->spares);
	if (thread)
		lode_call_cursor_move(cursor, thread);
}

void lode_call_cursor_release(struct lode_call_cursor *cursor)
{
	if (cursor->trace && cursor->trace->spares.keeps_blocks)
		leave_block(cursor);
	if (cursor->trace)
		lode_call_packer_give_back(&cursor->packer, &cursor->trace->spares);
	lode_call_packer_release(&cursor->packer);
	lode_vec_release(&cursor->buffer);
	lode_vec_release(&cursor->calls);
}

static void move(struct lode_call_cursor *cursor, const struct lode_call_thread *thread,
		 unsigned parts)
{
	if (cursor->trace->spares.keeps_blocks)
		leave_block(cursor);
	cursor->thread = thread;
	cursor->block = NO_BLOCK;
	lode_vec_reserve(&cursor->calls, (size_t)1 << thread->block_bits);
	if (cursor->rc == LODE_OK)
		cursor->rc = lode_call_thread_need(cursor->trace, thread, parts, &cursor->err);
}

void lode_call_cursor_move(struct lode_call_cursor *cursor, const struct lode_call_thread *thread)
{
	move(cursor, thread, LODE_CALL_ALL);
}

void lode_call_cursor_move_for_times(struct lode_call_cursor *cursor,
				     const struct lode_call_thread *thread)
{
	move(cursor, thread, LODE_CALL_SPANS);
}

/* Late calls have their durations elsewhere. */
static int patch_late(struct lode_call_cursor *cursor, const struct lode_call_span *block)
{
	const struct lode_call_late *late = cursor->thread->late.at + block->first_late;

	for (uint32_t i = 0; i < block->n_late; i++) {
		struct lode_call *call = &cursor->calls.at[late[i].index];

		if (late[i].index >= block->n_calls || call->start_ns != late[i].call.start_ns ||
		    call->stack != late[i].call.stack)
			return lode_fail(&cursor->err, LODE_ERR_FORMAT, cursor->trace->path,
					 (int64_t)block->calls.at,
					 "a block of calls and its late calls do not fit");
		call->duration_ns = late[i].call.duration_ns;
	}
	return LODE_OK;
}

static int unpack(struct lode_call_cursor *cursor, const struct lode_call_span *block)
{
	const uint8_t *data;
	int rc = lode_call_pieces_read(&data, &cursor->thread->pieces, &cursor->trace->store,
				       block->calls, &cursor->buffer, &cursor->err);

	if (rc == LODE_OK)
		rc = lode_call_block_unpack(cursor->calls.at, block->n_calls, block->first_ns,
					    cursor->thread->n_stacks, data, block->calls.size,
					    &cursor->packer, cursor->trace->path,
					    (int64_t)block->calls.at, &cursor->err);
	if (rc == LODE_OK && block->n_late)
		rc = patch_late(cursor, block);
	return rc;
}

/* Another block than the one at hand. */
static void bring_block(struct lode_call_cursor *cursor, size_t block)
{
	const struct lode_call_thread *thread = cursor->thread;
	uint64_t n_left = thread->n_calls - ((uint64_t)block << thread->block_bits);
	bool is_kept = false;

	if (cursor->trace->spares.keeps_blocks) {
		leave_block(cursor);
		is_kept = take_block(cursor, block);
		lode_vec_reserve(&cursor->calls, (size_t)1 << thread->block_bits);
	}
	cursor->calls.n = (size_t)1 << thread->block_bits;
	if (n_left < cursor->calls.n)
		cursor->calls.n = (size_t)n_left;
	if (!is_kept)
		cursor->rc = unpack(cursor, &thread->levels[0].at[block]);
	cursor->block = cursor->rc == LODE_OK ? block : NO_BLOCK;
}

int lode_call_cursor_block(struct lode_call_run *out, struct lode_call_cursor *cursor,
			   uint64_t index)
{
	size_t block = (size_t)(index >> cursor->thread->block_bits);

	if (cursor->rc == LODE_OK && block != cursor->block)
		bring_block(cursor, block);
	if (cursor->rc < 0) {
		*out = (struct lode_call_run){0};
		return cursor->rc;
	}
	*out = (struct lode_call_run){.at = cursor->calls.at,
				      .first = (uint64_t)block << cursor->thread->block_bits,
				      .n = cursor->calls.n};
	return LODE_OK;
}

int lode_call_cursor_next(struct lode_call_run *out, struct lode_call_cursor *cursor,
			  uint64_t *from, uint64_t to)
{
	uint64_t skipped;
	int rc = *from < to ? lode_call_cursor_block(out, cursor, *from) : cursor->rc;

	if (*from >= to || rc < 0)
		return rc;
	skipped = *from - out->first;
	out->at += skipped;
	out->first += skipped;
	out->n -= skipped;
	if (out->n > to - *from)
		out->n = (size_t)(to - *from);
	*from += out->n;
	return 1;
}

uint64_t lode_call_find(struct lode_call_cursor *cursor, int64_t t_ns)
{
	const lode_call_level blocks = lode_call_blocks(cursor->thread);
	struct lode_call_run run;
	size_t from = 0, to = blocks.n;

	/* The last block that starts before t, then in it. */
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (blocks.at[middle].first_ns < t_ns)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == 0)
		return 0;
	if (lode_call_cursor_block(&run, cursor,
				   (uint64_t)(from - 1) << cursor->thread->block_bits) < 0)
		return 0;
	from = 0;
	to = run.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (run.at[middle].start_ns < t_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return run.first + from;
}

/* What is open when a block begins, outermost first. */
static void open_before(lode_call_vec *out, const struct lode_call_thread *thread, size_t block)
{
	uint32_t late = thread->levels[0].at[block].open, depth = 0;

	for (uint32_t i = late; i != LODE_NONE; i = thread->late.at[i].caller)
		depth++;
	lode_vec_reserve(out, depth);
	out->n = depth;
	for (; late != LODE_NONE; late = thread->late.at[late].caller)
		out->at[--depth] = thread->late.at[late].call;
}

int lode_call_open_at(lode_call_vec *out, struct lode_call_cursor *cursor, uint64_t index,
		      int64_t t_ns)
{
	const struct lode_call_thread *thread = cursor->thread;
	struct lode_call_run run;

	out->n = 0;
	if (index == 0 || !thread->n_calls)
		return cursor->rc;
	/* Of the block with the call before: `index` may be one behind the last. */
	if (lode_call_cursor_block(&run, cursor, index - 1) < 0)
		return cursor->rc;
	/* Calls that have ended are not callers of those that have not. */
	open_before(out, thread, (size_t)(run.first >> thread->block_bits));
	while (out->n && lode_call_end(&out->at[out->n - 1]) <= t_ns)
		out->n--;
	for (size_t i = 0; run.first + i < index; i++)
		if (lode_call_end(&run.at[i]) > t_ns)
			lode_vec_append(out, run.at[i]);
	return LODE_OK;
}

int lode_call_sum_span(struct lode_call_sums *sums, struct lode_call_cursor *cursor,
		       const struct lode_call_span *span)
{
	const uint8_t *data;

	if (cursor->rc == LODE_OK)
		cursor->rc =
			lode_call_pieces_read(&data, &cursor->thread->pieces, &cursor->trace->store,
					      span->sums, &cursor->buffer, &cursor->err);
	if (cursor->rc == LODE_OK)
		cursor->rc = lode_call_sums_unpack(sums, cursor->thread->n_stacks, data,
						   span->sums.size, cursor->trace->path,
						   (int64_t)span->sums.at, &cursor->err);
	return cursor->rc;
}

/* The widest span with sums that begins with call `from` and ends before `to`, or NULL. */
static const struct lode_call_span *widest(const struct lode_call_thread *thread, uint64_t from,
					   uint64_t to)
{
	const struct lode_call_span *found = NULL;
	uint64_t width = (uint64_t)1 << thread->block_bits;

	for (unsigned level = 0; level < thread->n_levels; level++, width *= LODE_CALL_FAN_OUT) {
		const struct lode_call_span *span;

		if (from % width)
			break;
		span = &thread->levels[level].at[from / width];
		if (from + span->n_calls > to)
			break;
		if (span->sums.size)
			found = span;
	}
	return found;
}

int lode_call_sum_range(struct lode_call_sums *sums, struct lode_call_cursor *cursor, uint64_t from,
			uint64_t to)
{
	while (from < to && cursor->rc == LODE_OK) {
		const struct lode_call_span *span = widest(cursor->thread, from, to);
		struct lode_call_run run;

		if (span) {
			lode_call_sum_span(sums, cursor, span);
			from += span->n_calls;
			continue;
		}
		if (lode_call_cursor_next(&run, cursor, &from, to) < 0)
			break;
		for (size_t i = 0; i < run.n; i++)
			lode_call_sums_add(sums, run.at[i].stack, 1,
					   (uint64_t)run.at[i].duration_ns);
	}
	return cursor->rc;
}

int lode_call_sum_window(struct lode_call_sums *sums, struct lode_call_cursor *cursor, int64_t t0,
			 int64_t t1)
{
	uint64_t from = lode_call_find(cursor, t0), to = lode_call_find(cursor, t1);
	lode_call_vec open = {0};

	lode_call_open_at(&open, cursor, from, t0);
	for (size_t i = 0; i < open.n; i++) {
		int64_t end = lode_call_end(&open.at[i]);

		lode_call_sums_add(sums, open.at[i].stack, 1,
				   (uint64_t)((end < t1 ? end : t1) - t0));
	}
	if (to > from) {
		lode_call_sum_range(sums, cursor, from, to);
		lode_call_open_at(&open, cursor, to, t1);
		for (size_t i = 0; i < open.n; i++)
			if (open.at[i].start_ns >= t0)
				lode_call_sums_add(sums, open.at[i].stack, 0,
						   (uint64_t)(t1 - lode_call_end(&open.at[i])));
	}
	lode_vec_release(&open);
	return cursor->rc;
}

/* Long calls of a block, from call `from` to `to`, of which at most one is not late. */
static void find_known_long(lode_call_vec *out, const struct lode_call_thread *thread,
			    const struct lode_call_span *block, uint64_t from, uint64_t to,
			    int64_t longer_ns)
{
	const struct lode_call_late *late = thread->late.at + block->first_late;
	bool is_left = block->longest.duration_ns > longer_ns;

	for (uint32_t i = 0; i <= block->n_late; i++) {
		uint32_t index = i < block->n_late ? late[i].index : UINT32_MAX;
		uint64_t at = block->first_call + block->longest_index;

		if (is_left && block->longest_index < index) {
			is_left = false;
			if (at >= from && at < to)
				lode_vec_append(out, block->longest);
		}
		at = block->first_call + index;
		if (i < block->n_late && at >= from && at < to &&
		    late[i].call.duration_ns > longer_ns)
			lode_vec_append(out, late[i].call);
	}
}

int lode_call_find_long(lode_call_vec *out, struct lode_call_cursor *cursor, uint64_t from,
			uint64_t to, int64_t longer_ns)
{
	while (from < to && cursor->rc == LODE_OK) {
		const struct lode_call_thread *thread = cursor->thread;
		uint64_t width = (uint64_t)1 << thread->block_bits;
		const struct lode_call_span *span = &thread->levels[0].at[from / width];
		struct lode_call_run run;

		if (span->max_duration_ns <= longer_ns) {
			/* As far as nothing long begins; what lies before `from` counts too little
			   to matter. */
			for (unsigned level = 1; level < thread->n_levels; level++) {
				const struct lode_call_span *over =
					&thread->levels[level]
						 .at[from / (width * LODE_CALL_FAN_OUT)];

				if (over->max_duration_ns > longer_ns)
					break;
				width *= LODE_CALL_FAN_OUT;
				span = over;
			}
			from = span->first_call + span->n_calls;
			continue;
		}
		if (span->second_ns <= longer_ns) {
			find_known_long(out, thread, span, from, to, longer_ns);
			from = span->first_call + span->n_calls;
			continue;
		}
		if (lode_call_cursor_next(&run, cursor, &from, to) < 0)
			break;
		for (size_t i = 0; i < run.n; i++)
			if (run.at[i].duration_ns > longer_ns)
				lode_vec_append(out, run.at[i]);
	}
	return cursor->rc;
}
