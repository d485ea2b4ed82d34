/*
 * The search for all maximal patterns of a reduced input (docs/mining.md has the why).
 */
#ifndef LODE_EXPLORE_H
#define LODE_EXPLORE_H

#include <stdint.h>

#include "analyses/patterns/found.h"
#include "analyses/patterns/reduce.h"
#include "base/error.h"

struct lode_explore_options {
	int64_t min_cost;
	size_t max_patterns; /* 0: no bound */
	unsigned n_threads;
	void (*progress)(void *context, double done);
	void *progress_context;
};

/*
 * `found` must be fresh from lode_found_init. When done it holds every maximal pattern, and with
 * more than one thread perhaps others, which lode_found_is_covered tells. Stops with
 * LODE_ERR_LIMIT as soon as it is certain that there are more than max_patterns.
 */
int lode_explore(struct lode_found *found, const struct lode_reduced *reduced,
		 const struct lode_explore_options *options, struct lode_error *err);

#endif
