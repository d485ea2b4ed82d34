/*
 * A second way to choose what to branch on, by what is wrong with single sequences.
 *
 * Match a sequence of P's database with a known pattern M as well as can be (a longest common
 * subsequence). What is left over are its misfits: something new that the sequence contains puts
 * one of those insertions into P, or else it would be contained in M.
 *
 *   M         a b c d e f
 *   sequence  a b x d e f y      misfits: x and y, at their slots
 *
 * Something new has sequences worth λ. So it is enough to take the misfits of so many sequences
 * that the others together are worth less: with many nearly equal stacks, those of a single one.
 */
#pragma once

#include "engine/patterns/condition.h"

struct lode_misfit_sequence {
	uint32_t begin; /* of its misfits in `pairs`; they end where the next one's begin */
	int64_t weight;
};
struct lode_misfits {
	LODE_VEC(uint32_t) pairs;			 /* slot * n_items + item */
	LODE_VEC(struct lode_misfit_sequence) sequences; /* and one more, for the end */
	LODE_VEC(uint16_t) lengths;			 /* of common subsequences of two tails */
	LODE_VEC(uint8_t) fits;				 /* per place in the sequence */
	LODE_VEC(uint8_t) is_misfit;			 /* per pair; all 0 between sequences */
	LODE_VEC(uint32_t) best;			 /* the fewest misfits that any M leaves */
	LODE_VEC(uint32_t) found;
	uint64_t work;
};
void lode_misfits_release(struct lode_misfits *misfits);

void lode_misfits_begin(struct lode_misfits *misfits, const struct lode_condition *condition);

/* A known pattern in local items + 1 (0: not in the database), as lode_pivot_prepare makes them. */
struct lode_known {
	const uint32_t *items;
	uint32_t n;
};

/* Adds the misfits of sequence s with that known pattern which leaves the fewest. */
void lode_misfits_add(struct lode_misfits *misfits, const struct lode_condition *condition,
		      uint32_t s, const struct lode_known *known, uint32_t n_known);

/* Marks in is_chosen (all 0 before) what to branch on; gives how much that is. */
uint32_t lode_misfits_choose(struct lode_misfits *misfits, uint8_t *is_chosen, int64_t min_cost);
