/*
 * Fisher's exact test: do failed executions go with something more often than chance would have it?
 *
 *              failed   succeeded
 *   with         a          b          a function, or a caller, in the stack
 *   without      c          d
 *
 * Exact for any counts, computed in logarithms: p-values far below what a double holds are told
 * apart. Executions are taken as independent of each other, which those of one busy moment are not:
 * see docs/suspects.md for what that means.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * ln P(at least `a` of the failed are among those with), all sums of rows and columns being given:
 * 0 or less. Relative error of p below 1e-9 for counts up to 10^9; O(√n) terms at most, mostly few.
 */
double lode_fisher_log_p(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* How p-values are made to hold for many tests at once. */
enum lode_correction {
	/* Holm: the chance that even one of all tests is called significant by accident stays below
	 * the level, whatever depends on what. */
	LODE_CORRECTION_HOLM,
	/* Benjamini and Hochberg: of those that are called significant, the expected share of
	 * accidents stays below the level (for tests that do not contradict each other). */
	LODE_CORRECTION_BH,
	LODE_CORRECTION_NONE,
};

/* Adjusts n logarithms of p-values in place. O(n log n). */
void lode_correct_log_p(double *log_p, size_t n, enum lode_correction correction);

/* ---- Intervals of proportions ---- */

struct lode_interval {
	double low, high;
};

/* Wilson's score interval (95 %) of `part` out of `whole`; [0, 1] when whole is 0. */
struct lode_interval lode_wilson(double part, double whole);
