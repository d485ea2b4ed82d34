/*
 * Deep sequences made short: without what no pattern that another sequence holds, too, can need.
 *
 *   D  a b c a b c a b c a b c  ...           D  a b c a
 *   S  b c a                           ->     S  b c a
 *   T  a b c                                  T  a b c
 *
 * Kept are the places of D that stand in the leftmost embedding of some subsequence of another
 * sequence. So D contains of every other sequence what it contained before, and what D alone
 * contains reaches λ only if D does. Then D is a pattern itself: a new item at its end stands for
 * all of it. Patterns and their costs stay the same, one for one (docs/mining.md has the proof).
 */
#pragma once

#include "engine/patterns/condition.h"
#include "engine/patterns/miner.h"
#include "engine/patterns/reduce.h"
#include "engine/patterns/turns.h"

/* `{ 0 }`: none was. Sequences that are patterns themselves, in the caller's items. */
struct lode_shortened {
	uint32_t first_id; /* the new item of number i is first_id + i */
	lode_item_vec items;
	LODE_VEC(size_t) start; /* n + 1 once there is one */
};

/* Shortens the deep ones of `reduced`, which is reduced again if any was. O(its items). */
int lode_shorten(struct lode_shortened *out, struct lode_reduced *reduced,
		 const struct lode_miner_options *options, struct lode_error *err);
/* Writes them out in the results again. */
void lode_shortened_put(struct lode_results *results, const struct lode_shortened *shortened);
void lode_shortened_release(struct lode_shortened *shortened);
