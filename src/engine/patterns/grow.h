/*
 * Grows a pattern into a maximal one: that is how most results are found.
 */
#pragma once

#include "engine/patterns/condition.h"

/*
 * What all sequences of a database begin and end with belongs to every maximal pattern in it.
 *
 *   main open  x y  wait      Q of these that has only some of "main open" at its front, or of
 *   main open  y    wait      "wait" at its end, can take the rest as well, wherever Q stands:
 *   main open  x    wait      so each maximal pattern is main open .. wait
 *
 * The same holds if only those sequences agree that nothing can do without. Call stacks share their
 * first frames because they come from one tree, and their last because they wait in the same few
 * places of the kernel. Settling both ends at once leaves only what lies between to branch on,
 * repeated functions and all.
 */

/*
 * Lists into `out` the sequences that everything which reaches λ must be contained in, because
 * without one of them all others are worth less: provided that those are worth λ themselves. Else
 * `out` is all of `sequences`.
 */
void lode_closure_mandatory(lode_item_vec *out, const struct lode_condition *condition,
			    const uint32_t *sequences, uint32_t n_sequences, int64_t min_cost);

/*
 * `sequences` are all of the database, or the mandatory ones; all contain the pattern `old`. Gives
 * false if it has both ends already. Else appends the longer pattern, in the condition's items, and
 * the slot of the old pattern that each of its slots lies in.
 */
bool lode_closure_find(lode_item_vec *pattern, lode_item_vec *origin,
		       const struct lode_condition *condition, const uint32_t *old, uint32_t n_old,
		       const uint32_t *sequences, uint32_t n_sequences);

struct lode_grower {
	LODE_VEC(uint32_t) local; /* reduced item -> local item, for those of the pattern */
	LODE_VEC(uint32_t) sequences, pattern, origin;
	lode_insertion_vec insertions;
	lode_item_vec longer, slots; /* what it is about to become */
	LODE_VEC(uint32_t) names;    /* the result, in reduced items */
	int64_t cost;
	uint32_t least_ends; /* fewer functions at the ends are inserted one by one */
};
void lode_grower_init(struct lode_grower *grower, uint32_t n_items, uint32_t least_ends);
void lode_grower_release(struct lode_grower *grower);

/*
 * Inserts functions into `names` (n reduced items, contained in sequences of the base) until no
 * more can be, costliest first. Slot j of `names` lies in slot origin[j] of the base's pattern;
 * what is open or watched there by `is_open` may be inserted. The result and its cost are in the
 * grower.
 */
void lode_grow(struct lode_grower *grower, const struct lode_condition *base,
	       const uint8_t *is_open, const uint32_t *names, uint32_t n, const uint32_t *origin,
	       int64_t min_cost, struct lode_scratch *scratch);
