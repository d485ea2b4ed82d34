/*
 * How long the calls of each function take: counted in buckets while calls come in, made exact
 * once all are there.
 *
 * A bucket is a value below 32 ns, and 1/32 of an octave above. Buckets say which few calls a
 * quantile lies among; these are then read again.
 */
#pragma once

#include "model/call_trace.h"

enum {
	LODE_SPREAD_BITS = 5,
	LODE_SPREAD_BUCKETS = (64 - LODE_SPREAD_BITS) << LODE_SPREAD_BITS,
};

static inline uint32_t lode_spread_bucket(uint64_t ns)
{
	unsigned shift;

	if (ns < 1u << LODE_SPREAD_BITS)
		return (uint32_t)ns;
	shift = 63u - (unsigned)__builtin_clzll(ns) - LODE_SPREAD_BITS;
	return (shift + 1) << LODE_SPREAD_BITS |
	       (uint32_t)(ns >> shift & ((1u << LODE_SPREAD_BITS) - 1));
}

/* The calls of one function. Most functions of a trace of many are called now and then. */
struct lode_bucket_counts {
	uint64_t *counts;	/* LODE_SPREAD_BUCKETS; NULL: a few calls, as they came */
	LODE_VEC(uint16_t) few; /* the bucket of each */
};

/* By function, of the calls that one of our threads has seen. `{ 0 }` is empty. */
struct lode_call_buckets {
	LODE_VEC(struct lode_bucket_counts) at;
};

void lode_call_buckets_release(struct lode_call_buckets *buckets);
void lode_call_buckets_add_few(struct lode_call_buckets *buckets, uint32_t function,
			       uint32_t bucket);

static inline void lode_call_buckets_add(struct lode_call_buckets *buckets, uint32_t function,
					 uint64_t ns)
{
	uint32_t bucket = lode_spread_bucket(ns);

	if (function < buckets->at.n && buckets->at.at[function].counts)
		buckets->at.at[function].counts[bucket]++;
	else
		lode_call_buckets_add_few(buckets, function, bucket);
}

/*
 * Fills trace->spreads from `n` sets of buckets, and from the calls of the trace where buckets are
 * not exact. Reads each block once more, on `n_threads` threads.
 */
int lode_call_spreads_make(struct lode_call_trace *trace, struct lode_call_buckets *buckets,
			   size_t n, unsigned n_threads, struct lode_error *err);
