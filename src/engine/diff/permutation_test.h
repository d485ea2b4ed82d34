/*
 * Permutation tests of many things at once: has each changed, or would chance do that as well?
 *
 *              split 0 (observed)  1      2   ...      T of each thing in each split
 *   thing 0        8.3           -0.2    1.1            rank 2: only one split is as far out
 *   thing 1        0.4            2.0   -0.7
 *
 * How far out a split is: first, how many splits are as far out on the same side or the other,
 * each side by how rare it is there - with sets of unequal sizes T leans to one side, so that sizes
 * of T would not do -, and among equals by the size of T. p of a thing is the share of splits, the
 * observed one among them, that are as far out as observed.
 *
 * Adjusted p: Westfall and Young's step-down method (1993, algorithm 2.8; Ge, Dudoit and Speed
 * 2003). In each split that thing is taken which is furthest out, as if the split had been
 * observed; a thing's adjusted p is the share of splits in which that, over the things that are no
 * clearer than it, is as far out as the thing was observed. The chance that even one thing that has
 * not changed is called changed is at most the level, whatever things depend on each other, for any
 * number of splits. Holm's correction promises the same with less power: it cannot know that things
 * go together.
 *
 * Comparing ranks first (min-P) lets rare things, whose T is wild, stand beside common ones: what
 * is in three streams has no rare splits, and so takes no power from the others, as it would if
 * sizes of T were compared (max-T). Comparing T among equal ranks distinguishes a strong change
 * from the many things that are each furthest out in some split: with ranks alone no adjusted p of
 * n things in m splits could be below n / m.
 */
#pragma once

#include "engine/diff/splits.h"

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

struct lode_permutation_item {
	/* The values that are not 0, by stream; borrowed. */
	const struct lode_change_value *values;
	size_t n_values;
	/* Filled: */
	double p, p_adjusted;
	int direction; /* 1: more in the second set than splits usually give, -1: less, 0: neither
			*/
};

/*
 * Needs 4 bytes per item and split. O(items * splits * blocks of streams), on up to `n_threads`
 * threads; the result does not depend on their number.
 */
void lode_permutation_test(struct lode_permutation_item *items, size_t n_items,
			   const struct lode_change_sizes *sizes, unsigned n_threads);
