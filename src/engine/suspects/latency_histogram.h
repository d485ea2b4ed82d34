/*
 * How values are spread, in buckets that grow with them: four to each power of two, so that a
 * bucket is at most a quarter wide as its values are large.
 *
 *   0 1 2 3 | 4 5 6 7 | 8-9 10-11 12-13 14-15 | 16-19 ...
 */
#pragma once

#include <stdint.h>

enum { LODE_LATENCY_BUCKETS = 252 };

struct lode_latency_histogram {
	uint64_t n[LODE_LATENCY_BUCKETS];
};

static inline unsigned lode_latency_bucket(uint64_t value)
{
	unsigned octave;

	if (value < 4)
		return (unsigned)value;
	octave = 61 - (unsigned)__builtin_clzll(value); /* 0 for 4 to 7 */
	return 4 + 4 * octave + (unsigned)(value >> octave & 3);
}

/* The smallest value of a bucket; of the one behind the last: 2^64 - 1. */
static inline uint64_t lode_latency_bucket_start(unsigned bucket)
{
	if (bucket < 4)
		return bucket;
	if (bucket >= LODE_LATENCY_BUCKETS)
		return UINT64_MAX;
	return (uint64_t)(4 + (bucket & 3)) << ((bucket - 4) / 4);
}
