/*
 * How far apart two sets of streams are in what something costs per symptom.
 *
 *   stream        0    1    2  | 3    4
 *   cost  x       5    0    7  | 9   20
 *   symptoms n    1    1    2  | 1    2       r = sum x / sum n: 3.0 and 9.67 per symptom
 *
 *   T = (r_B - r_A) / sqrt(v_A + v_B)     v = k s^2 / (sum n)^2
 *   s^2 = (s0^2 + sum (x - r n)^2) / k
 *
 * A stream is what was observed once; its symptoms go with it, so a stream with many symptoms
 * weighs more in r, and its spread is that of streams (variance of a ratio estimate, Cochran 1977).
 * Each set has its own spread: a permutation test of T is exact if the streams of both sets are
 * alike, and about right for the difference of costs alone if they are not, also for sets of
 * unequal sizes (Chung and Romano 2013), where a test of r_B - r_A takes a larger spread in the
 * smaller set for a difference. Of a few streams a spread is not known well: s0^2, that of all of
 * them together, counts like one stream more (moderated as by Smyth 2004).
 *
 * Costs are rounded to 30 bits of their sum and T to 2^-20, and what is between is done in whole
 * numbers: splits that are equally far apart have equal T, whatever way it was come by.
 */
#pragma once

#include "engine/diff/splits.h"

/* What one thing (a cluster) costs in one stream, in any unit; negative once strata are aligned. */
struct lode_change_value {
	uint32_t stream;
	double cost;
};

/* Symptoms of the streams, and their sums over the second set of each split. */
struct lode_change_sizes {
	const uint32_t *n_symptoms;	  /* per stream, 1 and up; borrowed */
	const struct lode_splits *splits; /* borrowed */
	size_t n_second;		  /* streams of the second set, the same in all splits */
	int64_t n_all, nn_all;		  /* over all streams: sum of n, of n^2 */
	int64_t *n, *nn;		  /* the same per split, of its second set */
};

void lode_change_sizes_init(struct lode_change_sizes *out, const uint32_t *n_symptoms,
			    const struct lode_splits *splits);
void lode_change_sizes_release(struct lode_change_sizes *sizes);

/*
 * T of each split into `t` (room for splits->n). `values` are those that are not 0, by stream.
 * O(splits * blocks of streams that have any).
 */
void lode_change_statistics(double *t, const struct lode_change_sizes *sizes,
			    const struct lode_change_value *values, size_t n_values);
