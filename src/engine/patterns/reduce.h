/*
 * The mining input made small, with the same answer: functions that cannot be in any pattern go,
 * functions that always stand side by side become one, equal sequences become one.
 *
 *   a;b;x;c 2       x costs less than λ, and           [ab];c 5
 *   a;b;c   3  ->   b always stands right behind a ->  c     1
 *   x;c     1
 *
 * The items of the result are dense, 0 being the cheapest, and each stands for a chain of one or
 * more of the caller's items. A pattern of the result, its chains written out, is a maximal
 * pattern of the input with the same cost, and the other way round (docs/mining.md has the proof).
 */
#pragma once

#include "engine/patterns/miner.h"

struct lode_reduced {
	uint32_t n_items;
	int64_t *item_cost;    /* ascending */
	uint32_t *chain_start; /* n_items + 1 */
	uint32_t *chain;       /* the caller's items behind item i: chain[chain_start[i]..] */

	uint32_t n; /* distinct sequences, none empty */
	uint32_t *start;
	uint32_t *items;
	int64_t *weight;
};

/* LODE_ERR_LIMIT when costs overflow or there are 2^32 items or more. Same result for any order
 * of the input up to the order of the sequences. */
int lode_reduce(struct lode_reduced *out, const struct lode_sequences *sequences, int64_t min_cost,
		struct lode_error *err);
void lode_reduced_release(struct lode_reduced *reduced);
