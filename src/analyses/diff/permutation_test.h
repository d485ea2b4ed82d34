/*
 * Permutation tests of many things at once: has each changed, or would chance do that as well?
 *
 *              split 0 (observed)  1      2   ...      T of each thing in each split
 *   thing 0        8.3           -0.2    1.1            rank 2: only one split is as extreme
 *   thing 1        0.4            2.0   -0.7
 *
 * p of a thing: the share of splits, the observed one among them, in which T is as far out on its
 * own side as observed. Sides are compared by how rare they are, not by size: with sets of unequal
 * sizes T leans to one side.
 *
 * Adjusted p: Westfall and Young's step-down min-P (1993, algorithm 2.8; Ge, Dudoit and Speed
 * 2003). With each split the smallest p of all things is taken, as if that split had been observed;
 * a thing's adjusted p is the share of splits in which that minimum, over the things that are no
 * clearer than it, is as small as its p. The chance that even one thing that has not changed is
 * called changed is at most the level, whatever things depend on each other, exactly so for any
 * number of splits. It costs less power than Holm's correction, which cannot know that things go
 * together, and unlike max-T it lets rare things, whose T is wild, stand beside common ones: what
 * is in three streams cannot get a small p, and so does not stand in anybody's way.
 *
 * Every p that was drawn from random splits has a floor: with m splits and n things, an adjusted p
 * hardly falls below n / m.
 */
#ifndef LODE_PERMUTATION_TEST_H
#define LODE_PERMUTATION_TEST_H

#include <stddef.h>

#include "analyses/diff/change_statistic.h"

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
 * Needs 4 bytes per item and split. O(items * splits * values), on up to `n_threads` threads; the
 * result does not depend on their number.
 */
void lode_permutation_test(struct lode_permutation_item *items, size_t n_items,
			   const struct lode_change_sizes *sizes, unsigned n_threads);

#endif
