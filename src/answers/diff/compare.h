/*
 * `lode diff` from its sets on: both are mined as one, so that a cluster is the same thing in both,
 * and then compared cluster by cluster.
 *
 * λ follows the smaller set: what costs 0.2 % of it is found, however large the other set is.
 */
#pragma once

#include "engine/diff/diff.h"
#include "engine/mine/mine.h"
#include "answers/diff/sets.h"

struct lode_diff_job {
	struct lode_mined *mined; /* borrows the sets' digest */
	struct lode_diff *diff;	  /* items are clusters of `mined`; NULL: `empty` has no symptom */
	unsigned empty;
	int64_t aoi_ns[LODE_N_DIFF_SIDES];   /* cost of the area of interest */
	int64_t other_ns[LODE_N_DIFF_SIDES]; /* of it, what no cluster explains */
	/* λ of the smaller set gave too many patterns: it is that of both. */
	bool is_lambda_coarse;
};

/* `mine` as for lode_mine; without any λ in it, the smaller set's. Fails as that does. */
int lode_diff_job_run(struct lode_diff_job *out, const struct lode_diff_sets *sets,
		      const struct lode_mine_options *mine, const struct lode_diff_options *diff,
		      struct lode_error *err);
void lode_diff_job_release(struct lode_diff_job *job);

/*
 * What the own stacks of clusters cost on each side of a comparison: what differential flame graphs
 * are drawn of.
 */
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
