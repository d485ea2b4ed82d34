/*
 * Times since 1970 as dates, UTC.
 */
#pragma once

#include <stdint.h>

enum { LODE_UTC_BYTES = 40 };

/* By a format of strftime, "%Y-%m-%d %H:%M:%S"; in `buffer`, of which LODE_UTC_BYTES must be
   enough. What is below a second is left out. Gives `buffer`. */
const char *lode_utc_text(char *buffer, int64_t t_ns, const char *format);
#define LODE_UTC_SECONDS "%Y-%m-%d %H:%M:%S"
