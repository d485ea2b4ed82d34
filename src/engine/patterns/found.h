/*
 * The patterns found so far, shared by all threads of one search.
 *
 * Published patterns never move and never go before the whole store does, so threads keep plain
 * pointers to them. With one thread, everything published is a maximal pattern; with more, a
 * pattern may have been published by one thread just before another publishes its super-sequence,
 * which lode_found_is_covered tells afterwards. docs/mining.md says why that is all that can
 * happen.
 */
#pragma once

#include <pthread.h>

#include "base/mem.h"

struct lode_found_pattern {
	int64_t cost;
	uint32_t id;  /* order of publication */
	uint32_t job; /* rarest item of the branch that it was found in */
	uint32_t n;
	uint32_t items[]; /* reduced ids */
};

typedef LODE_VEC(const struct lode_found_pattern *) lode_found_vec;

struct lode_found {
	pthread_mutex_t lock;
	struct lode_arena arena;
	lode_found_vec all;
	lode_found_vec *with_item; /* per item: the patterns that contain it, by id */
	uint8_t *is_done;	   /* per item: its branch is searched; set by that branch alone */
	uint32_t n_items;
};

void lode_found_init(struct lode_found *found, uint32_t n_items);
void lode_found_release(struct lode_found *found);

/* Is `p` a subsequence of `q`? */
bool lode_is_subsequence(const uint32_t *p, uint32_t n_p, const uint32_t *q, uint32_t n_q);

/* Appends the patterns with `item` from the `*n_known`th on, and counts them in `*n_known`. */
void lode_found_import(struct lode_found *found, uint32_t item, size_t *n_known,
		       lode_found_vec *into);

/*
 * Adds a pattern of branch `job`, unless one that another thread published since `*n_known` (see
 * import) contains it. Patterns with item `job` that were not known yet, the new one among them,
 * are appended to `fresh`. Gives the number of patterns published so far.
 */
size_t lode_found_publish(struct lode_found *found, const uint32_t *items, uint32_t n, int64_t cost,
			  uint32_t job, size_t *n_known, lode_found_vec *fresh);

/* Does a pattern of an earlier branch, published later, contain this one? Only when no branch
 * before `pattern->job` is running any more. */
bool lode_found_is_covered(const struct lode_found *found,
			   const struct lode_found_pattern *pattern);

/* How many patterns of branches up to `last_job` are maximal; no earlier one may be running. */
size_t lode_found_count(struct lode_found *found, uint32_t last_job);
