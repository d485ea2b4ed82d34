/*
 * Which λ gives no more than so many patterns?
 *
 *   λ         1 ............... many ..... few ......... total + 1
 *   patterns  more, or fewer?   too many   few enough    none
 *
 * Their number grows as λ falls, but not always: variants of a pattern can meet in one longer
 * pattern. So the λ found from above is the answer only when no smaller one is; that is asked from
 * below, where each answer "too many" holds for a whole range of λ (miner.h, lode_miner_stop).
 */
#pragma once

#include "engine/patterns/miner.h"

/* How much of the work that mining is allowed a probe may take. */
enum lode_effort {
	LODE_EFFORT_PART,
	LODE_EFFORT_WHOLE,
};

struct lode_min_cost_search {
	/* 1: few enough. 0: too many, and so they are up to *crowded_to, which is at least
	   min_cost; or 0, when that took too long to tell. Negative: failed. */
	int (*probe)(void *context, int64_t min_cost, enum lode_effort effort, int64_t *crowded_to,
		     struct lode_error *err);
	void *context;
	int64_t total;	   /* of all costs: no pattern costs more */
	size_t max_upward; /* probes from below, at most */
	/* How exact to be where probes know nothing beyond their own λ; 0: quite. */
	double tolerance;
};

/*
 * The smallest λ with few patterns: of all, unless max_upward or a probe that took too long came in
 * the way of telling; then the smallest from above, and with one less there are too many. Exact but
 * for `tolerance`. What takes too long with a part of the work is asked again with the whole; what
 * takes too long even then ends the search to within 1 %, or after four such probes.
 */
int lode_min_cost_find(int64_t *min_cost, const struct lode_min_cost_search *search,
		       struct lode_error *err);

/*
 * Some λ above `too_low` that has few patterns, within a fifth of the smallest or so. From the
 * largest downwards, with a part of the effort while that is enough; three probes of the whole
 * effort that take too long end it.
 */
int lode_min_cost_fit(int64_t *min_cost, const struct lode_min_cost_search *search, int64_t too_low,
		      struct lode_error *err);

/* How many upward probes are worth while on an input with so many items. */
size_t lode_min_cost_max_upward(size_t n_items);
