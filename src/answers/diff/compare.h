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
