/*
 * Which sequences contain an item: list.at[start.at[x] .. start.at[x + 1]), ascending.
 */
#pragma once

#include "engine/patterns/merge.h"

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
