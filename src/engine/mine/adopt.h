/*
 * The common part of clusters, and what it claims.
 *
 * Late rounds mine scraps: stacks that hold no pattern found so far. Scraps of different problems
 * meet in patterns that say little ("main > app_startup"), though many of these stacks hold the
 * whole common part of the cluster that they belong to, and only miss the long tail that all its
 * patterns end in. So a stack of a later round goes to the cluster whose common part it holds, when
 * that is longer than the round's pattern: the closer description wins, as everywhere (design
 * §3.3).
 */
#pragma once

#include "engine/mine/mine.h"
#include "engine/mine/rounds.h"
#include "engine/mine/stackset.h"

/*
 * Marks the patterns that carry a cluster: the costliest by own cost that together have 95 % of it
 * (all of them when it has no own cost). The common part is what these share, so that one odd
 * pattern does not hide what the rest has. Of a cluster with a name (name_of[cluster], a frame;
 * else LODE_NONE) patterns without it count only if all are. `is_core` has room for one byte per
 * pattern.
 */
void lode_core_patterns(uint8_t *is_core, const struct lode_rounds *rounds,
			const struct lode_stackset *set, const uint32_t *cluster_of,
			size_t n_clusters);

/* Of a cluster's patterns the one that stack `s` shares most with; LODE_NONE when it has none. */
uint32_t lode_closest_pattern(const struct lode_rounds *rounds, const struct lode_stackset *set,
			      const uint32_t *cluster_of, size_t s, uint32_t cluster);

/*
 * Hands stacks of later rounds over: rewrites rounds->owner. The clusters' common parts must be
 * there. Of several the longest common part wins, ties by the cluster's own cost so far, then by
 * its number. Within the cluster a stack goes to the pattern with which it shares most. Stacks
 * whose problem has a name (name_of_stack, else LODE_NONE) are where they belong.
 */
void lode_adopt_stacks(struct lode_rounds *rounds, const struct lode_stackset *set,
		       const uint32_t *cluster_of, const uint32_t *name_of_stack,
		       const struct lode_cluster *clusters, size_t n_clusters, unsigned n_threads);
