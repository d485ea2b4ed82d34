/*
 * The sum of two times, or of a time and a length: what is beyond int64_t ends there, so that no
 * sum comes out on the other side.
 */
#pragma once

#include <stdint.h>

static inline int64_t lode_time_add(int64_t a_ns, int64_t b_ns)
{
	int64_t sum;

	if (!__builtin_add_overflow(a_ns, b_ns, &sum))
		return sum;
	return a_ns < 0 ? INT64_MIN : INT64_MAX;
}
