/*
 * What the patterns of a cluster have in common, and how far they differ (docs/clusters.md).
 *
 *   main > load_all > find_icon > canonicalize > stat
 *   main > scan     > probe     > canonicalize > stat > lookup
 *   common: main ... canonicalize > stat ...
 *
 * The common part is a subsequence of every pattern. It is folded over the patterns pair by pair,
 * each time the heaviest common subsequence, weights being Uni: so a function that tells something
 * is kept before one that stands in every stack.
 */
#pragma once

#include "engine/clusters/similarity.h"

struct lode_common {
	LODE_VEC(uint32_t) frames; /* frame ids, root first */
	/* Parallel: in some pattern other functions stand between this one and the common one
	   before it (for the first: before it). */
	LODE_VEC(bool) gap_before;
	bool gap_after; /* in some pattern functions stand behind the last */
};

/*
 * Common part of the patterns `members` (indices, n >= 1; those first in order are the first to be
 * folded). `*common` must be { 0 } or used before. Deterministic. O(n * length^2) time, memory as
 * row_table.h says.
 */
void lode_cluster_common(struct lode_common *common, const struct lode_similarity *similarity,
			 const uint32_t *members, size_t n);
void lode_common_release(struct lode_common *common);

struct lode_similar_pairs;

/* What a report says of a cluster. */
struct lode_cluster_parts {
	const uint32_t *common; /* frames that its core patterns all have, in that order */
	const bool *gap_before; /* as in struct lode_common */
	size_t n_common;
	double min_similarity; /* the lowest similarity of two of its patterns; 1 for one pattern */
};

/*
 * Describes clusters 0..n_clusters-1, all at once; arrays live in `arena`. The common part is that
 * of the patterns marked in `is_core` (one byte each; NULL: all); every cluster needs one of them.
 * `similar`: pairs whose similarity is known, so that they need not be aligned again; may be empty.
 */
void lode_cluster_describe(struct lode_cluster_parts *out, size_t n_clusters,
			   const struct lode_pattern_set *patterns, const uint32_t *cluster_of,
			   const uint8_t *is_core, const struct lode_calltree *tree,
			   const struct lode_name_stats *names,
			   const struct lode_similar_pairs *similar, unsigned n_threads,
			   struct lode_arena *arena);
