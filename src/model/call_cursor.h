/*
 * Reading the calls of one thread of a trace: by index, by time, or summed over any range, without
 * unpacking more than two blocks.
 *
 * Calls are in order of start, callers before callees. A cursor keeps the block it looked at last;
 * one per thread of ours. Errors (an index that is damaged or cannot be read) are given as usual,
 * and stay: a cursor that failed fails again.
 *
 * A cursor is the only way to calls: it gives out those whose checksums are right and whose stacks
 * and times the thread has, and none after a failure.
 */
#pragma once

#include "model/call_block.h"
#include "model/call_sums.h"
#include "model/call_trace.h"

struct lode_call_cursor {
	struct lode_call_trace *trace; /* its calls do not change; its store keeps files open */
	const struct lode_call_thread *thread;
	struct lode_call_packer packer;
	lode_call_buffer buffer;
	LODE_VEC(struct lode_call) calls; /* of block `block` */
	size_t block;
	int rc;
	struct lode_error err; /* why, when rc < 0 */
};

/* `thread` NULL: at none yet. */
void lode_call_cursor_init(struct lode_call_cursor *cursor, struct lode_call_trace *trace,
			   const struct lode_call_thread *thread);
void lode_call_cursor_release(struct lode_call_cursor *cursor);
/* To another thread of the same trace. */
void lode_call_cursor_move(struct lode_call_cursor *cursor, const struct lode_call_thread *thread);
/* The same for times alone: of an index, the thread's stacks are not read. Calls have the numbers
   of their stacks, which must not be looked into or summed by. */
void lode_call_cursor_move_for_times(struct lode_call_cursor *cursor,
				     const struct lode_call_thread *thread);

/* Calls of a thread in their order, valid until the cursor reads on. */
struct lode_call_run {
	const struct lode_call *at;
	uint64_t first; /* index of at[0] in the thread */
	size_t n;
};

/* The calls of the block with call `index`, which is below the thread's n_calls; none on failure.
 */
int lode_call_cursor_block(struct lode_call_run *out, struct lode_call_cursor *cursor,
			   uint64_t index) __attribute__((warn_unused_result));
/* The calls from *from on that are in one block and before `to`, and moves *from behind them. 0: it
   has reached `to`. */
int lode_call_cursor_next(struct lode_call_run *out, struct lode_call_cursor *cursor,
			  uint64_t *from, uint64_t to);

/* Call `index`, below the thread's n_calls. Valid until the next call. NULL: cursor->rc. */
static inline const struct lode_call *lode_call_at(struct lode_call_cursor *cursor, uint64_t index)
{
	struct lode_call_run run;

	if (index >> cursor->thread->block_bits == cursor->block)
		return &cursor->calls.at[index & (((uint64_t)1 << cursor->thread->block_bits) - 1)];
	return lode_call_cursor_block(&run, cursor, index) == LODE_OK ? &run.at[index - run.first]
								      : NULL;
}

/* Index of the first call that starts at `t_ns` or later; of no use on failure (cursor->rc). */
uint64_t lode_call_find(struct lode_call_cursor *cursor, int64_t t_ns);

typedef LODE_VEC(struct lode_call) lode_call_vec;

/* The calls before call `index` that end behind `t_ns` (its start, or an earlier time), outermost
   first. With index = lode_call_find(t): what is open at t. */
int lode_call_open_at(lode_call_vec *out, struct lode_call_cursor *cursor, uint64_t index,
		      int64_t t_ns);

/* Adds the calls [from, to) to `sums`, reserved for the thread's stacks. */
int lode_call_sum_range(struct lode_call_sums *sums, struct lode_call_cursor *cursor, uint64_t from,
			uint64_t to);

/*
 * Adds what lies of any call within [t0, t1): whole calls, and the parts of those that begin before
 * or end behind. Counts the calls that overlap it.
 */
int lode_call_sum_window(struct lode_call_sums *sums, struct lode_call_cursor *cursor, int64_t t0,
			 int64_t t1);

/* Adds one span's sums, which it must have. */
int lode_call_sum_span(struct lode_call_sums *sums, struct lode_call_cursor *cursor,
		       const struct lode_call_span *span);

/* Appends the calls of [from, to) that are longer than `longer_ns`, in order. Passes over what has
   none. */
int lode_call_find_long(lode_call_vec *out, struct lode_call_cursor *cursor, uint64_t from,
			uint64_t to, int64_t longer_ns);
