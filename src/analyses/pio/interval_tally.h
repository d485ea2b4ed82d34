/*
 * Requests counted per interval: all, slow, and slow for the client alone.
 */
#ifndef LODE_INTERVAL_TALLY_H
#define LODE_INTERVAL_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct lode_interval_counts {
	uint32_t n, n_slow; /* requests that could be judged */
	uint32_t n_client;  /* of those not SLOW: the answer took long, the servers did not */
};

/* Grows at both ends; `{ 0 }` is empty. */
struct lode_interval_tally {
	int64_t first; /* interval of at[0], counted from the epoch */
	LODE_VEC(struct lode_interval_counts) intervals;
};

/* The interval's counts; LIMIT: NULL when it lies more than LODE_TALLY_MAX from the others. */
struct lode_interval_counts *lode_interval_tally_at(struct lode_interval_tally *tally,
						    int64_t interval);
/* As lode_interval_tally_at, and NULL where nothing was counted. */
const struct lode_interval_counts *lode_interval_tally_find(const struct lode_interval_tally *tally,
							    int64_t interval);
void lode_interval_tally_release(struct lode_interval_tally *tally);

#define LODE_TALLY_MAX ((int64_t)1 << 28)

#endif
