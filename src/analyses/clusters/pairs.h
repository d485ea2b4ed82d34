/*
 * Pairs of patterns that are similar enough, without looking at all of them closely.
 *
 * A bound from above on Sim (reach.h) rules out most pairs, 16 at a time; the others are aligned.
 * Patterns are taken in the order of their functions (places.h), so that rows of an alignment hold
 * for all that begin alike. What is found is exact, to the bit.
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
