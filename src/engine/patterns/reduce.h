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

/*
 * Merges equal sequences while they are written: the one place where sequences are hashed.
 *
 * Append a sequence's items to `items`, then call lode_merge_close: a sequence that was seen
 * before is taken back and its weight added to the first one's. Buffers are reused by the next
 * lode_merge_begin, so that the many small databases of a search cost no allocation.
 */

struct lode_merge {
	LODE_VEC(uint32_t) items;
	LODE_VEC(uint32_t) start; /* n + 1 */
	LODE_VEC(int64_t) weight; /* n */
	uint32_t n;
	LODE_VEC(uint32_t) slots; /* sequence + 1, 0 free */
	uint32_t mask;
};

/* Empties it, and makes room for the hashes of `n_most` sequences. */
void lode_merge_begin(struct lode_merge *merge, uint32_t n_most);

/* The items from start[n] on are a sequence that weighs `weight`. An empty one is forgotten. */
void lode_merge_close(struct lode_merge *merge, int64_t weight);

void lode_merge_release(struct lode_merge *merge);

/* Which sequences contain an item: list.at[start.at[x] .. start.at[x + 1]), ascending. */
struct lode_lists {
	LODE_VEC(uint32_t) start, list, seen;
};

/*
 * Of the sequences listed (ascending; NULL: the first `n_sequences`), for the items below `n_items`
 * for which `skip` (may be NULL) is 0; the lists of others are empty.
 */
void lode_lists_build(struct lode_lists *lists, const struct lode_merge *db,
		      const uint32_t *sequences, uint32_t n_sequences, uint32_t n_items,
		      const uint8_t *skip);
void lode_lists_release(struct lode_lists *lists);

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
