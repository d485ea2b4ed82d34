/*
 * Clusters of similar patterns: alignment, weights, agglomeration (docs/clusters.md;
 * StackMine §VI).
 */
#pragma once

#include "engine/patterns/miner.h"
#include "model/digest.h"

enum lode_linkage {
	LODE_LINKAGE_AVERAGE,
	LODE_LINKAGE_COMPLETE,
	LODE_LINKAGE_SINGLE,
};

struct lode_similar_pairs; /* pairs.h */

struct lode_cluster_options {
	enum lode_linkage linkage;
	double min_similarity; /* clusters are merged while their linkage similarity is >= this */
	unsigned n_threads;
	size_t *n_alone; /* gets how many patterns were too long to be compared; may be NULL */
	double *excess; /* gets n where it would take n times the memory that it may; may be NULL */
	uint64_t most_pairs; /* as if there were no memory for more; 0: what there is memory for */
	bool is_trial;	     /* only tell whether there is memory for it: no clusters */
	/* Gets the pairs of similar patterns, the caller's to release; may be NULL. { 0 } where
	   they are not known, or not of all patterns. */
	struct lode_similar_pairs *similar;
	/* For tests: other limits than LODE_ALWAYS_COMPARED and those of the alignments' work. */
	size_t always_compared;
	uint64_t most_cells;
};

/*
 * LIMIT: an alignment takes time by the product of both lengths. Patterns of up to so many
 * functions are always compared; longer ones, the shortest first, as long as the alignments of all
 * of them have no more than 2^31 cells, which takes less than a minute. What is longer still is a
 * cluster of its own.
 */
enum { LODE_ALWAYS_COMPARED = 2048 };

/*
 * cluster_of[i] for each of the patterns (items are frame ids of `tree`): dense ids numbered by the
 * cluster's first pattern. Deterministic. `cluster_of` has room for patterns->n.
 *
 * LIMIT: pairs of similar patterns take LODE_PAIR_BYTES each. When there are likely more of them
 * than the process's bound of memory holds, it is LODE_ERR_LIMIT, before most of the work is done.
 */
int lode_cluster_patterns(uint32_t *cluster_of, size_t *n_clusters,
			  const struct lode_pattern_set *patterns, const struct lode_calltree *tree,
			  const struct lode_name_stats *names,
			  const struct lode_cluster_options *options, struct lode_error *err);
