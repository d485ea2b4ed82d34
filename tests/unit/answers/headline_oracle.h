/*
 * The headline of a cluster by its definition (answers/clusters/headline.h), word for word: every
 * question goes through all stacks.
 */
#pragma once

#include "answers/clusters/headline.h"

enum { MOST_FRAMES = 40 };

/* What stack `s` counts for, and all of them. */
int64_t defined_counted(const struct lode_mined *mined, const struct lode_cluster *c, size_t s);
int64_t defined_cost_of_stacks(const struct lode_mined *mined, const struct lode_cluster *c);

/* The names of the cluster's links, which the others go by: first. */
void defined_names(const struct lode_mined *mined, const struct lode_cluster *c);
const char *defined_name(uint32_t frame);

/* Its frames, how much of the cost has frame k right behind k - 1, and the main branch. */
size_t defined_headline(uint32_t *out, const struct lode_mined *mined,
			const struct lode_cluster *c);
int64_t defined_beside(const struct lode_mined *mined, const struct lode_cluster *c,
		       const uint32_t *headline, size_t n_headline, size_t k);
size_t defined_branch(uint32_t *out, double *share, const struct lode_mined *mined,
		      const struct lode_cluster *c, const uint32_t *headline, size_t n_headline);
/* What comes behind the headline's `n` frames; *share: of the cost. */
size_t defined_more(uint32_t *headline, bool *gaps, size_t n, double *share,
		    const struct lode_mined *mined, const struct lode_cluster *c);
