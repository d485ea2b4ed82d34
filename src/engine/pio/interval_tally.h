/*
 * Requests counted per interval: all, slow, and slow for the client alone. Memory follows the
 * intervals in which there were any, however far they are from each other.
 */
#pragma once

#include "base/map.h"

struct lode_interval_counts {
	uint32_t n, n_slow; /* requests that could be judged */
	uint32_t n_client;  /* of those not SLOW: the answer took long, the servers did not */
};

enum { LODE_TALLY_PAGE = 16 }; /* intervals */

struct lode_tally_page {
	int64_t number; /* its first interval, by LODE_TALLY_PAGE */
	struct lode_interval_counts at[LODE_TALLY_PAGE];
};

/* `{ 0 }` is empty. */
struct lode_interval_tally {
	LODE_VEC(struct lode_tally_page) pages; /* in order of first sight */
	struct lode_map index;			/* number -> place in pages */
	size_t last;				/* looked at */
};

/* The interval's counts. */
struct lode_interval_counts *lode_interval_tally_at(struct lode_interval_tally *tally,
						    int64_t interval);
/* The same; NULL where nothing was counted in or near it. */
const struct lode_interval_counts *lode_interval_tally_find(const struct lode_interval_tally *tally,
							    int64_t interval);
/* Drops what was counted in pages that end at or before `interval`. */
void lode_interval_tally_forget(struct lode_interval_tally *tally, int64_t interval);
void lode_interval_tally_release(struct lode_interval_tally *tally);
