/*
 * Pairs of patterns that are similar enough, without looking at all of them closely.
 *
 * Patterns are walked in the order of their functions, so neighbours share their beginnings: what
 * is computed for a beginning is kept for all that share it. For each pair there is first a bound
 * from above on Sim, in two steps, and an alignment only if that reaches the cut:
 *
 *   W(M)            <= sum of Uni over the functions of Q that P has
 *   W(ID) + W(S)    >= sum over functions of Q that P has not of half the least Sub to any of P's,
 *                      times the least omega; and the same with P and Q exchanged
 *
 * (A function that is not matched is inserted or deleted, at its omega, or substituted, at Sub
 * times half its omega.) What is found is exact, to the bit.
 */
#ifndef LODE_PAIRS_H
#define LODE_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "analyses/clusters/similarity.h"
#include "analyses/clusters/subtable.h"
#include "base/mem.h"

/* Patterns a < b and their similarity, LODE_SIMILARITY_ONE = 1. */
struct lode_pair {
	uint32_t a, b, similarity;
};
typedef LODE_VEC(struct lode_pair) lode_pair_vec;

/* Appends all pairs whose similarity is >= cut (> 0), in no particular but a fixed order. */
void lode_pairs_find(lode_pair_vec *out, const struct lode_similarity *similarity, uint32_t cut,
		     unsigned n_threads);

#endif
