/*
 * The search by prefixes: BIDE [BIDE04] with costs, on a prefix tree.
 *
 * A pattern grows at its end, and its projection is the set of tree nodes at which its leftmost
 * embeddings end. A prefix that some function encloses in all its sequences (BackScan) leads to
 * nothing maximal and is left at once. That is what real call stacks are like: long and nearly
 * equal, so that few prefixes survive. On sets with many independent variants it is the search by
 * insertions (explore.h) that wins; lode_mine_patterns lets both try.
 */
#pragma once

#include "engine/patterns/reduce.h"

/* Patterns in reduced items, in no order: pattern i is items[start[i] .. start[i + 1]). */
struct lode_prefix_patterns {
	LODE_VEC(uint32_t) items;
	LODE_VEC(size_t) start;
	LODE_VEC(int64_t) cost;
	size_t n;
};

struct lode_prefix_options {
	int64_t min_cost;
	size_t max_patterns; /* 0: no bound */
	unsigned n_threads;
	uint64_t *work; /* the steps of each run are added; may be NULL */
};

enum lode_prefix_end {
	LODE_PREFIX_DONE,
	LODE_PREFIX_TOO_MANY, /* more than max_patterns */
	LODE_PREFIX_GAVE_UP,  /* max_work is used up */
};

struct lode_prefix_search;

/* `reduced` is borrowed. */
struct lode_prefix_search *lode_prefix_search_new(const struct lode_reduced *reduced,
						  const struct lode_prefix_options *options);
void lode_prefix_search_free(struct lode_prefix_search *search);

/*
 * Goes on from where it gave up, for `max_work` steps of its inner loops (a ns or so each; 0: no
 * bound). A step is done once only, however often it is interrupted.
 */
enum lode_prefix_end lode_prefix_search_run(struct lode_prefix_search *search, uint64_t max_work);

/* Patterns found so far, all of them maximal. `*out` must be { 0 }. */
void lode_prefix_search_collect(struct lode_prefix_patterns *out,
				const struct lode_prefix_search *search);
void lode_prefix_patterns_release(struct lode_prefix_patterns *patterns);
