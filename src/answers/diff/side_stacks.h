/*
 * What the own stacks of clusters cost on each side of a comparison: what differential flame graphs
 * are drawn of.
 */
#pragma once

#include "engine/diff/diff.h"
#include "engine/mine/mine.h"

struct lode_side_stacks {
	/* Cluster behind cluster, the stacks of each in the order of its `stacks`: those of cluster
	   c begin at start[c]. Costs may be 0. */
	struct lode_cluster_stack *of[LODE_N_DIFF_SIDES];
	struct lode_cluster_stack *both; /* their sums */
	size_t *start;			 /* n_clusters + 1 */
};

/*
 * `side` per stream of the digest: LODE_DIFF_A, _B or _NEITHER, whose costs are left out. Stacks of
 * clusters that own nothing have no cost here. O(stacks + rows of the digest).
 */
void lode_side_stacks_build(struct lode_side_stacks *out, const struct lode_mined *mined,
			    const uint8_t *side);
void lode_side_stacks_release(struct lode_side_stacks *stacks);
