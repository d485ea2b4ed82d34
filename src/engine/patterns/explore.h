/*
 * The search for all maximal patterns of a reduced input (docs/mining.md says why it is fast).
 */
#pragma once

#include "engine/patterns/found.h"
#include "engine/patterns/reduce.h"

struct lode_explore_options {
	int64_t min_cost;
	size_t max_patterns; /* 0: no bound */
	uint32_t deep;	     /* as in miner.h */
	unsigned n_threads;
	uint64_t max_work; /* items walked over, some 15 ns each; 0: no bound */
	uint64_t *work;	   /* what was walked over is added; may be NULL */
	void (*progress)(void *context, double done);
	void *progress_context;
};

enum lode_explore_end {
	LODE_EXPLORE_DONE,
	LODE_EXPLORE_TOO_MANY, /* certainly more than max_patterns, whatever the threads did */
	LODE_EXPLORE_GAVE_UP,  /* max_work is used up */
};

/*
 * `found` is fresh from lode_found_init, or comes from a search of the same input that gave up:
 * then it goes on from there, but for branches that were under way. When done it holds every
 * maximal pattern, and with more than one thread perhaps others, which lode_found_is_covered tells.
 */
enum lode_explore_end lode_explore(struct lode_found *found, const struct lode_reduced *reduced,
				   const struct lode_explore_options *options);
