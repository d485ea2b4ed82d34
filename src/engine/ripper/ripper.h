/*
 * RIPPERk [RIPPER95]: learns an ordered list of rules from examples.
 *
 * Classes are taken from the rarest to the most frequent, which becomes the default. For each,
 * rules are grown (FOIL gain) on two thirds of the rows and pruned on the third, until the
 * description length says stop; then each rule is tried against a replacement and a revision, k
 * times over (learner.h). Numeric and nominal attributes; a missing value satisfies no condition.
 *
 * The same seed gives the same rules, whatever the number of threads and the machine.
 */
#pragma once

#include "engine/ripper/dataset.h"
#include "engine/ripper/ruleset.h"

struct lode_ripper_options {
	unsigned n_optimizations; /* k */
	unsigned n_folds;	  /* of the rows, one is for pruning; 2 and up */
	uint32_t min_positive;	  /* rows of its class that a condition must cover */
	uint64_t seed;
	unsigned n_threads; /* 0: all CPUs */
};

/* k = 2, 3 folds, 2 rows, seed 1: what PIO13 used. */
struct lode_ripper_options lode_ripper_defaults(void);

/*
 * Learns from rows[0..n_rows) of the data, or from all when `rows` is NULL. With no row, or one
 * class only, the list is its default.
 */
void lode_ripper_train(struct lode_ruleset *out, const struct lode_dataset *data,
		       const uint32_t *rows, size_t n_rows,
		       const struct lode_ripper_options *options);

/* What cross-validation counts. */
struct lode_confusion {
	size_t n_classes;
	uint32_t *counts; /* [actual * n_classes + said] */
	uint32_t n, n_wrong;
};

/*
 * Stratified cross-validation: `n_folds` times, learns from all rows but a fold and asks for those.
 * Folds come from the seed. n_folds is at least 2.
 */
void lode_ripper_cross_validate(struct lode_confusion *out, const struct lode_dataset *data,
				const uint32_t *rows, size_t n_rows, unsigned n_folds,
				const struct lode_ripper_options *options);
void lode_confusion_release(struct lode_confusion *confusion);
