/*
 * Pivots: why most of the search space need not be looked at.
 *
 * What can still grow from a pattern P but is contained in a known pattern is old news. Two
 * consequences, each exact:
 *
 *  - A sequence of P's database that is, as it stands there, contained in a known pattern holds
 *    nothing new: take it out. With less than λ left over, nothing new grows from P at all.
 *  - Choose one known M >= P, cut into segments by its match of P. Something new puts into a slot a
 *    function that M's segment lacks, or two that stand there the other way round. Such a pair is
 *    possible only if it costs λ itself. So branch on the functions that M lacks, and on one of
 *    each costly pair (a vertex cover): nothing else can start something new. This is what
 *    pivoting is to maximal cliques.
 */
#pragma once

#include "engine/patterns/condition.h"
#include "engine/patterns/found.h"
#include "engine/patterns/misfits.h"

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
	uint32_t longest;	    /* of them */
	LODE_VEC(uint32_t) segment; /* slot -> begin of its segment in M */
	LODE_VEC(uint32_t) whole;   /* a sequence with its windows spread out */
	LODE_VEC(uint32_t) order;   /* [slot * n_items + item]: place in M + 1, 0 none */
	LODE_VEC(uint32_t) window;  /* what of M stands in a window */
	struct lode_conflicts *conflicts;
	struct lode_misfits *misfits;
	uint32_t n_misfit_tries, n_misfit_wins,
		n_misfit_skips; /* of this thread: is it worth while here? */
	LODE_VEC(struct lode_known) tried;
	LODE_VEC(uint8_t) is_chosen;
	uint64_t work; /* items walked over; the owner resets it */
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
				struct lode_pivot_scratch *scratch);

/* Chooses M among the known, and finds what it covers in the sequences listed. */
void lode_pivot_choose(struct lode_pivot *out, const struct lode_condition *condition,
		       const uint32_t *sequences, uint32_t n_sequences, int64_t min_cost,
		       struct lode_pivot_scratch *scratch);
