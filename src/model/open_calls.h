/*
 * The calls of a thread that are open at a time which only moves on: from one time to the next,
 * only those that end or begin in between are looked at, however deep the stack is.
 *
 *   main      |------------------------------------|
 *   step         |-----|  |----------------|
 *   leaf          |-|        |--|    |--|
 *                  ^ main, step, leaf   ^ opened: step; closed: leaf, step
 */
#pragma once

#include "model/call_cursor.h"

struct lode_open_calls {
	lode_call_vec at; /* outermost first */
	uint64_t index;	  /* calls before it have begun */
	size_t n_blocks;  /* as many have begun; 0: at no time yet */
	LODE_VEC(uint32_t) found;
	/* Of each call that is added to `at`, or taken from it. */
	void (*change)(void *context, const struct lode_call *call, bool is_opened);
	void *context;
};

/* Before the first call, or to there again. `change` may be NULL. */
void lode_open_calls_start(struct lode_open_calls *open,
			   void (*change)(void *context, const struct lode_call *call,
					  bool is_opened),
			   void *context);

/* To `t_ns`, before which the calls up to `index` begin: what lode_call_open_at gives. Both are at
   least what they were the last time. In all: O(calls that were open at some of these times, and
   those of the blocks that these times are in). */
int lode_open_calls_move(struct lode_open_calls *open, struct lode_call_cursor *cursor,
			 uint64_t index, int64_t t_ns);
void lode_open_calls_release(struct lode_open_calls *open);
