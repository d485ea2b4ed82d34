/*
 * Grows a pattern into a maximal one, and so finds the results.
 *
 * All of it happens in the conditional database of one function x, which has everything that any
 * pattern with x can be made of (functions rarer than x excepted, see docs/mining.md), however far
 * the search has narrowed its own databases by then.
 */
#ifndef LODE_GROW_H
#define LODE_GROW_H

#include <stdint.h>

#include "analyses/patterns/condition.h"
#include "analyses/patterns/lists.h"

struct lode_grower {
	const struct lode_condition *base; /* of the pattern <x>; borrowed */
	LODE_VEC(uint8_t) is_open;	   /* what is open in it before the search closes any */
	LODE_VEC(uint32_t) local;	   /* reduced item -> local item of the base */
	struct lode_lists lists;	   /* sequences of the base by item */
	bool has_lists;

	LODE_VEC(uint32_t) sequences, pattern, origin;
	lode_insertion_vec insertions;
	LODE_VEC(uint32_t) names; /* the result, in reduced items */
	int64_t cost;
};
void lode_grower_init(struct lode_grower *grower, uint32_t n_items);
void lode_grower_release(struct lode_grower *grower);

/* Starts on the patterns with the base's function. The base must stay as it is, is_open excepted.
 */
void lode_grower_start(struct lode_grower *grower, const struct lode_condition *base);

/*
 * Inserts functions into a pattern of reduced items, which must be contained in some sequences of
 * the base, costliest first, until nothing more can be: the result is in `names` and `cost`.
 */
void lode_grow(struct lode_grower *grower, const uint32_t *pattern, uint32_t n, int64_t min_cost,
	       struct lode_scratch *scratch);

#endif
