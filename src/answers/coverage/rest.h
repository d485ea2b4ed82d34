/*
 * The rest: what no signature matches, mined.
 */
#pragma once

#include "answers/coverage/coverage_job.h"
#include "engine/mine/mine.h"

struct lode_cover;

/* Leaves the rows of the job's digest that no signature matches; what retired ones match has a name
   as well. */
void lode_rest_keep(struct lode_coverage_job *job);
/*
 * Mines what is left. λ that is not set is 1 % of `symptom_ns`, and a share is one of that,
 * whatever is left; where it gives too many patterns, a larger one is taken. *out NULL: nothing is
 * left. Fails as lode_mine does.
 */
int lode_rest_mine(struct lode_mined **out, const struct lode_coverage_job *job,
		   const struct lode_mine_options *mining, int64_t symptom_ns,
		   struct lode_error *err);

/* Its largest cluster by own cost; NULL: nothing was mined, or found. */
const struct lode_cluster *lode_rest_largest(const struct lode_mined *mined);
/* "60.2 % of 160 s in 36 recordings is known; 39.8 % (64 s) is not, most of it f (disk 78 %): 20 s,
   in 5 of 36 recordings." `mined` NULL: the rest was not mined. */
const char *lode_rest_words(struct lode_arena *arena, const struct lode_cover *cover,
			    const char *unit, size_t n_streams, const struct lode_mined *mined);
