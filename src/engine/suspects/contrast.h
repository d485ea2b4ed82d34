/*
 * Caller contrast: for a function that is last in slow executions, which caller goes with them?
 *
 *   statfs, slow in 200 of 10,000 executions
 *       with do_lstat in the stack    190 of 400      47 %
 *       without it                     10 of 9,600    0.1 %    p = 1e-250
 *
 * The paper finds `statfs` and then has to read the source to learn that the way in which
 * `do_lstat` calls it is what is slow. Each function that stands above the leaf, at any distance,
 * is tested by Fisher's exact test within the leaf's executions of one metric: the same call made
 * from elsewhere is what it is compared with. Callers that are in the same of these stacks are one
 * test; p-values hold for all tests of the run together.
 */
#pragma once

#include "engine/suspects/fisher.h"
#include "engine/suspects/functions.h"
#include "engine/suspects/tally.h"

struct lode_contrast_half {
	struct lode_outcome outcome;
	uint64_t n;    /* executions, whatever their label */
	lode_u128 sum; /* of their values */
};

struct lode_contrast {
	uint32_t leaf;	 /* frame */
	uint32_t metric; /* of the tally; LODE_NONE: all of the leaf's (sides are compared) */
	const uint32_t *callers; /* frames that always occur together there, outermost first */
	size_t n_callers;
	struct lode_contrast_half with, without;
	double log_p, log_q; /* q: adjusted for all tests */
};

typedef LODE_VEC(struct lode_contrast) lode_contrasts;

/*
 * All contrasts in which the share of failed executions is larger with the caller than without,
 * most significant first; ties by the larger share, then by order of frames. *n_tests: how many
 * tests were made, larger or not.
 */
void lode_contrasts_build(lode_contrasts *contrasts, size_t *n_tests,
			  const struct lode_tally *tally, enum lode_evidence_kind kind,
			  enum lode_correction correction, struct lode_arena *arena);
