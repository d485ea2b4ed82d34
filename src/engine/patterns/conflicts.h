/*
 * Costs of ordered pairs of insertions that do not fit a pivot, and a small set of insertions that
 * every costly pair has one of.
 */
#pragma once

#include "base/mem.h"

/* Insertions a and b (by number, a == b allowed), the sum of the weights of the sequences that have
   both in this order. */
struct lode_conflict {
	uint32_t a, b;
	int64_t cost;
	uint32_t stamp; /* sequence that was counted last */
};

struct lode_conflicts {
	LODE_VEC(struct lode_conflict) pairs;
	LODE_VEC(uint32_t) slots; /* hash: pair + 1, 0 free */
	uint32_t mask;
	LODE_VEC(uint32_t) degree; /* per insertion */
};

void lode_conflicts_begin(struct lode_conflicts *conflicts);
/* Counts a pair once per `stamp`, which must not be 0. */
void lode_conflicts_add(struct lode_conflicts *conflicts, uint32_t a, uint32_t b, int64_t weight,
			uint32_t stamp);
/* Sets is_chosen of at least one of each pair that costs `min_cost`, and leaves the others alone;
   pairs of which one is chosen already count as settled. Gives how many it chose. */
uint32_t lode_conflicts_cover(struct lode_conflicts *conflicts, int64_t min_cost,
			      uint8_t *is_chosen, uint32_t n_insertions);
void lode_conflicts_release(struct lode_conflicts *conflicts);
