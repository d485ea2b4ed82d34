/*
 * Durations as people write and read them: "300ms", "1.5 s", "2m" <-> int64_t nanoseconds; and
 * times as dates.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A decimal number and a unit: ns, us (or µs), ms, s, m (or min), h. A bare number is in seconds.
 * Exact: a text that means a fraction of a nanosecond, or more than int64_t holds, is refused, as
 * are signs, empty texts and anything behind the unit. False: `*out_ns` is not touched.
 */
bool lode_duration_parse(int64_t *out_ns, const char *text);
/* The same of a point on a recording's clock, which lode prints in ns: a bare number is in ns. */
bool lode_clock_time_parse(int64_t *out_ns, const char *text);

/*
 * Three digits are what people compare: "850 ns", "38.5 ms", "1.41 s", "93.2 s"; from two minutes
 * on "2 min 05 s", from one hour on "1 h 01 min". Rounded half up (away from zero); any int64_t.
 * Gives `buffer`; LODE_DURATION_BYTES are always enough.
 */
enum { LODE_DURATION_BYTES = 32 };
const char *lode_duration_text(int64_t ns, char *buffer, size_t size);

/* ---- Times since 1970 as dates, UTC ---- */

enum { LODE_UTC_BYTES = 40 };

/* By a format of strftime, "%Y-%m-%d %H:%M:%S"; in `buffer`, of which LODE_UTC_BYTES must be
   enough. What is below a second is left out. Gives `buffer`. */
const char *lode_utc_text(char *buffer, int64_t t_ns, const char *format);
#define LODE_UTC_SECONDS "%Y-%m-%d %H:%M:%S"

/* A span of time; each end absolute or counted from the start of the recording. */
struct lode_time_span {
	int64_t from_ns, to_ns; /* INT64_MIN / INT64_MAX: open */
	bool is_from_offset, is_to_offset;
};
