/*
 * A clock of the machine as one number: ns since the epoch (CLOCK_REALTIME), or since some moment
 * that stays the same (CLOCK_MONOTONIC, for how long things take).
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t lode_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t lode_clock_ms(clockid_t clock)
{
	return lode_clock_ns(clock) / 1000000;
}
