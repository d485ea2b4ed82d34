/*
 * Ticks of a clock of any frequency -> nanoseconds, exactly: floor(ticks * 10^9 / frequency) for
 * all 64 bits, without a division per event.
 *
 * Near an anchor whose quotient and rest are known, ticks * 10^9 fits 63 bits, and one
 * multiplication by the reciprocal gives the quotient or one less. The anchor moves along.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* LIMIT: clocks of up to 1 THz. */
#define LODE_TICKS_PER_S_MAX UINT64_C(1000000000000)

struct lode_ticks {
	uint64_t per_s;
	uint64_t inverse; /* floor(2^64 / per_s) */
	uint64_t anchor, anchor_rest;
	int64_t anchor_ns; /* anchor * 10^9 = anchor_ns * per_s + anchor_rest */
};

/* 1 <= per_s <= LODE_TICKS_PER_S_MAX */
static inline struct lode_ticks lode_ticks_make(uint64_t per_s)
{
	return (struct lode_ticks){
		.per_s = per_s,
		.inverse = (uint64_t)(((unsigned __int128)1 << 64) / (per_s > 1 ? per_s : 2)),
	};
}

/* False: the time is beyond int64_t, and the anchor stays. */
static inline bool lode_ticks_move(struct lode_ticks *ticks, uint64_t anchor)
{
	unsigned __int128 n = (unsigned __int128)anchor * 1000000000u;
	unsigned __int128 ns = n / ticks->per_s;

	if (ns > INT64_MAX / 2)
		return false;
	ticks->anchor = anchor;
	ticks->anchor_ns = (int64_t)ns;
	ticks->anchor_rest = (uint64_t)(n - ns * ticks->per_s);
	return true;
}

/* Is `at` near enough behind the anchor for lode_ticks_near? */
static inline bool lode_ticks_is_near(const struct lode_ticks *ticks, uint64_t at)
{
	return at - ticks->anchor < (uint64_t)1 << 33;
}

static inline int64_t lode_ticks_near(const struct lode_ticks *ticks, uint64_t at)
{
	/* < 2^33 * 10^9 + 10^12 < 2^63 */
	uint64_t n = (at - ticks->anchor) * 1000000000u + ticks->anchor_rest;
	uint64_t ns = (uint64_t)((unsigned __int128)n * ticks->inverse >> 64);

	ns += n - ns * ticks->per_s >= ticks->per_s;
	return ticks->anchor_ns + (int64_t)ns;
}
