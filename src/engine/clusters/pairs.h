/*
 * Pairs of patterns that are similar enough, without looking at all of them closely.
 *
 * A bound from above on Sim (reach.h) rules out most pairs, 16 at a time; the others are aligned.
 * Patterns are taken in the order of their functions (places.h), so that rows of an alignment hold
 * for all that begin alike. What is found is exact, to the bit.
 */
#pragma once

#include "engine/clusters/reach.h"
#include "engine/clusters/similarity.h"

/* A pattern that another one is similar to, and how much; LODE_SIMILARITY_ONE = 1. */
struct lode_similar {
	uint32_t other, similarity;
};

/*
 * Pairs, each at both of its patterns: 16 bytes. Those of pattern i are at[start[i]] up to
 * at[start[i + 1]], in the order of `other`.
 */
struct lode_similar_pairs {
	size_t *start; /* of each pattern, and the end */
	struct lode_similar *at;
};
void lode_similar_pairs_release(struct lode_similar_pairs *pairs);

/* What a pair takes while all are found and then joined, at most, as dense stacks show. */
enum { LODE_PAIR_BYTES = 40 };

struct lode_pair_search;

struct lode_pair_options {
	uint32_t cut; /* > 0; which pairs are found */
	unsigned n_threads;
	/* For tests: what is found does not depend on these. */
	enum lode_reach_kind max_kind; /* LODE_REACH_AVX512: whatever the machine has */
	size_t max_rows;	       /* of the table of Subs; 0: as subtable.h says */
};

/* Borrows `similarity`, which must outlive it. */
struct lode_pair_search *lode_pair_search_new(const struct lode_similarity *similarity,
					      const struct lode_pair_options *options);
void lode_pair_search_free(struct lode_pair_search *search);

/* About how many pairs will be found, from a part of the patterns: exact where they are few. What
   was found for it need not be found again. */
uint64_t lode_pairs_expected(struct lode_pair_search *search);

/* All pairs whose similarity is >= cut. */
void lode_pairs_find(struct lode_similar_pairs *out, struct lode_pair_search *search);

/* Of patterns `a` and `b`, whatever it is; quickest with the same `a` in a row. One thread only. */
uint32_t lode_pair_similarity(struct lode_pair_search *search, uint32_t a, uint32_t b);

/* Of clusters 0..n_clusters-1 the lowest similarity of two of its patterns; 1 for one pattern.
   `known`: pairs that were found for the same patterns, at any cut; may be { 0 }. */
void lode_pairs_lowest(double *lowest, size_t n_clusters, const uint32_t *cluster_of,
		       const struct lode_similar_pairs *known, struct lode_pair_search *search);
