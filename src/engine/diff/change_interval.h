/*
 * How sure the size of a change is: the 95 % interval of the difference of costs per symptom.
 *
 *   A 240 ms, B 915 ms: +675 ms, 540 to 810 ms
 *
 * Welch's interval of ratio estimates: each set has its own spread, that of its streams (as in
 * permutation_test.c, but nothing is assumed of it beforehand), and the degrees of freedom are
 * Satterthwaite's. p says whether there is a change, corrected for all clusters; the interval says
 * of one change how large it is, and is not corrected.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums over the streams of a set: of costs x and symptoms n. `{ 0 }` is a set without streams. */
struct lode_interval_side {
	size_t k;
	double n, nn, x, xx, xn;
};

void lode_interval_add(struct lode_interval_side *side, int64_t cost, uint32_t n_symptoms);

/* False where a set has fewer than two streams: nothing is known of its spread then. */
bool lode_change_interval(double *low, double *high, const struct lode_interval_side *a,
			  const struct lode_interval_side *b);

/* What |t| of Student's distribution exceeds in 5 % of cases; `freedom` is 1 or more, and may lie
   between whole numbers. */
double lode_student_bound(double freedom);
