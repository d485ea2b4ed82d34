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

#include "analyses/clusters/reach.h"
#include "analyses/clusters/similarity.h"
#include "base/mem.h"

/* Patterns a < b and their similarity, LODE_SIMILARITY_ONE = 1. */
struct lode_pair {
	uint32_t a, b, similarity;
};
typedef LODE_VEC(struct lode_pair) lode_pair_vec;

struct lode_pair_search;

struct lode_pair_options {
	uint32_t cut; /* > 0 */
	unsigned n_threads;
	/* For tests: what is found does not depend on these. */
	enum lode_reach_kind max_kind; /* LODE_REACH_AVX512: whatever the machine has */
	size_t max_rows;	       /* of the table of Subs; 0: as subtable.h says */
};

/* Borrows `similarity`, which must outlive it. */
struct lode_pair_search *lode_pair_search_new(const struct lode_similarity *similarity,
					      const struct lode_pair_options *options);
void lode_pair_search_free(struct lode_pair_search *search);

/* Appends all pairs whose similarity is >= cut, in no particular but a fixed order. */
void lode_pairs_find(lode_pair_vec *out, struct lode_pair_search *search);

/* Of patterns `a` and `b`, whatever it is; quickest with the same `a` in a row. One thread only. */
uint32_t lode_pair_similarity(struct lode_pair_search *search, uint32_t a, uint32_t b);

#endif
