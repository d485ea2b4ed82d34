/*
 * Known patterns that hold a prefix, and what they take from its projection.
 *
 * A sequence that is in a known pattern M, behind the prefix P as far as it can still be in a
 * pattern, has nothing new: whatever grows from P in it is in M as well. Its weight is dropped.
 *
 *   M = a b x c d    P = a b, behind it   x c 4    in M: dropped
 *                                         c d 3    in M: dropped
 *                                         d c 2    stays
 */
#pragma once

#include "engine/patterns/projection.h"

/* A pattern that was found; its finder owns the items. */
struct lode_known_pattern {
	const uint32_t *items;
	uint32_t n;
	int64_t cost;
};

typedef LODE_VEC(struct lode_known_pattern) lode_known_vec;

/* What follows the prefix's leftmost embedding in a known pattern. */
struct lode_holder {
	const uint32_t *items;
	uint32_t n;
};

struct lode_holders {
	LODE_VEC(struct lode_holder) all;
	size_t n_seen; /* known patterns looked at, from the first on */
};

/* Scratch of one thread. */
struct lode_holding {
	uint32_t *first; /* per item: 1 + its first place in the pattern at hand; all 0 between
			    calls */
	LODE_VEC(uint32_t) next;       /* per place: 1 + the next one with the same item, or 0 */
	LODE_VEC(uint8_t) is_held;     /* per entry of the view */
	LODE_VEC(int64_t) left;	       /* per entry of the view: its new weight */
	LODE_VEC(uint32_t) end, place; /* per entry on the way down: its end; 1 + its place */
	uint64_t work;
};

void lode_holding_init(struct lode_holding *holding, uint32_t n_items);
void lode_holding_release(struct lode_holding *holding);

/* The holders of the prefix with `item` behind it, of those of the prefix. */
void lode_holders_grow(struct lode_holders *out, const struct lode_holders *of, uint32_t item,
		       struct lode_holding *holding);

/* Adds those of the known patterns that were not looked at yet. */
void lode_holders_update(struct lode_holders *holders, const lode_known_vec *known,
			 const uint32_t *prefix, uint32_t n_prefix, struct lode_holding *holding);

/*
 * Takes what is held from the weights of the prefix's view, which become 0 where nothing is left;
 * false when nothing is held. Only the holders found last are asked.
 */
bool lode_holders_drop(struct lode_view *view, const struct lode_holders *holders,
		       struct lode_holding *holding);

void lode_holders_release(struct lode_holders *holders);
