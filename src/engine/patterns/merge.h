/*
 * Merges equal sequences while they are written: the one place where sequences are hashed.
 *
 * Append a sequence's items to `items`, then call lode_merge_close: a sequence that was seen
 * before is taken back and its weight added to the first one's. Buffers are reused by the next
 * lode_merge_begin, so that the many small databases of a search cost no allocation.
 */
#pragma once

#include "base/mem.h"

struct lode_lists {
	LODE_VEC(uint32_t) start, list, seen;
};

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

/*
 * Of the sequences listed (ascending; NULL: the first `n_sequences`), for the items below `n_items`
 * for which `skip` (may be NULL) is 0; the lists of others are empty.
 */
void lode_lists_build(struct lode_lists *lists, const struct lode_merge *db,
		      const uint32_t *sequences, uint32_t n_sequences, uint32_t n_items,
		      const uint8_t *skip);
void lode_lists_release(struct lode_lists *lists);
