/*
 * What the patterns of a cluster share: the common part in order, and how far apart they are.
 */
#ifndef LODE_COMMON_H
#define LODE_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "analyses/patterns/miner.h"
#include "base/mem.h"
#include "model/digest.h"

struct lode_cluster_parts {
	const uint32_t *common; /* frames that every pattern of the cluster has, in that order */
	const bool *gap_before; /* some pattern has frames between this one and the one before */
	size_t n_common;
	double min_similarity; /* the lowest similarity of two of its patterns; 1 for one pattern */
};

/*
 * Describes all clusters; arrays live in `arena`. The common part is a common subsequence of all
 * patterns, found by folding them in order (weightiest alignment, ties towards the root); with two
 * patterns it is the heaviest one there is.
 */
void lode_cluster_describe(struct lode_cluster_parts *out, size_t n_clusters,
			   const struct lode_pattern_set *patterns, const uint32_t *cluster_of,
			   const struct lode_calltree *tree, const struct lode_name_stats *names,
			   unsigned n_threads, struct lode_arena *arena);

#endif
