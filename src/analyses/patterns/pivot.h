/*
 * Pivots: why most of the search space need not be looked at.
 *
 * What can still grow from a pattern P but is contained in a known pattern is old news. Two
 * consequences, each exact:
 *
 *  - A sequence of P's database that is, as it stands there, contained in a known pattern holds
 *    nothing new: take it out. With less than λ left over, nothing new grows from P at all.
 *  - Choose one known M >= P and find the insertions (slot, function) that it covers: however they
 *    are combined, what becomes of P is contained in M. Branch on the others only, for something
 *    new has at least one of those. This is what pivoting is to maximal cliques.
 */
#ifndef LODE_PIVOT_H
#define LODE_PIVOT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyses/patterns/condition.h"
#include "analyses/patterns/found.h"

struct lode_pivot {
	LODE_VEC(uint8_t) is_covered; /* [slot * n_items + item], as the condition's is_open */
	size_t n_uncovered;	      /* of those that are open */
};
void lode_pivot_release(struct lode_pivot *pivot);

struct lode_pivot_scratch {
	LODE_VEC(uint32_t) local;   /* reduced item -> local item + 1; all 0 between uses */
	LODE_VEC(uint32_t) known;   /* the known patterns in local items + 1, 0 for others */
	LODE_VEC(uint32_t) start;   /* of each in `known` */
	LODE_VEC(uint64_t) mask;    /* of each: bit local % 64 for what it has */
	LODE_VEC(uint32_t) segment; /* slot -> begin of its segment in M */
};
void lode_pivot_scratch_init(struct lode_pivot_scratch *scratch, uint32_t n_items);
void lode_pivot_scratch_release(struct lode_pivot_scratch *scratch);

/* Translates the known patterns, all of which contain the condition's, for the calls below. */
void lode_pivot_prepare(const struct lode_condition *condition, const lode_found_vec *known,
			struct lode_pivot_scratch *scratch);

/* Lists the sequences that no known pattern contains into `unexplained` (room for all); gives
 * their number, and the sum of their weights. */
uint32_t lode_pivot_unexplained(uint32_t *unexplained, int64_t *weight,
				const struct lode_condition *condition,
				const struct lode_pivot_scratch *scratch);

/* Chooses M among the known, and finds what it covers in the sequences listed. */
void lode_pivot_choose(struct lode_pivot *out, const struct lode_condition *condition,
		       const uint32_t *sequences, uint32_t n_sequences,
		       struct lode_scratch *counting, struct lode_pivot_scratch *scratch);

#endif
