/*
 * Pivots: why most of the search space need not be looked at.
 *
 * Everything that can still grow from a pattern P and is contained in one known pattern M >= P is
 * old news. So choose an M, find the set of functions that M covers (however they are inserted
 * into P, the result is contained in M), and branch on the others only: a pattern that is not
 * contained in M has at least one of those. This is what pivoting is to maximal cliques.
 */
#ifndef LODE_PIVOT_H
#define LODE_PIVOT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyses/patterns/condition.h"
#include "analyses/patterns/found.h"

struct lode_pivot {
	LODE_VEC(uint8_t) is_covered; /* per tail item */
	uint32_t n_covered;
};
void lode_pivot_release(struct lode_pivot *pivot);

struct lode_pivot_scratch {
	LODE_VEC(uint32_t) local;   /* reduced item -> local item + 1; all 0 between uses */
	LODE_VEC(uint32_t) known;   /* M in local items + 1, 0 where it has none */
	LODE_VEC(uint32_t) segment; /* slot -> begin of its segment in M */
	LODE_VEC(uint32_t) sequences;
	LODE_VEC(uint32_t) pattern;
	LODE_VEC(uint32_t) names;
	lode_insertion_vec insertions;
};
void lode_pivot_scratch_init(struct lode_pivot_scratch *scratch, uint32_t n_items);
void lode_pivot_scratch_release(struct lode_pivot_scratch *scratch);

/* Chooses among `known`, all of which contain the condition's pattern, not empty. */
void lode_pivot_choose(struct lode_pivot *out, const struct lode_condition *condition,
		       const lode_found_vec *known, struct lode_scratch *counting,
		       struct lode_pivot_scratch *scratch);

/*
 * Grows the condition's pattern until nothing more can be inserted, the costliest function first.
 * Gives its cost; the pattern, in reduced items, is in scratch->names.
 */
int64_t lode_pivot_grow(const struct lode_condition *condition, int64_t min_cost,
			struct lode_scratch *counting, struct lode_pivot_scratch *scratch);

#endif
