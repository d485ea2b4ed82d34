/*
 * Numbers as people read them: three digits that matter, and a unit.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { LODE_UNITS_BUFFER = 48 };

/* A cost in `unit`: "28.5 s", "12.3 ms", "456 µs" for "ns"; "1,234,567" for any other. */
const char *lode_format_cost(char *buffer, int64_t cost, const char *unit);
/* As lode_format_cost, with the unit's name where the number alone would not tell. */
const char *lode_format_cost_long(char *buffer, int64_t cost, const char *unit);
/* "30.6 %"; below 0.1 % with another digit; "-" when there is no whole. */
const char *lode_format_share(char *buffer, int64_t part, int64_t whole);
const char *lode_format_pct(char *buffer, double pct);
/* "1,234,567" */
const char *lode_format_count(char *buffer, uint64_t n);
/* "12.3 MB" */
const char *lode_format_bytes(char *buffer, int64_t bytes);

/* "1 stream", "36 streams": the plural is formed with "s". */
const char *lode_format_plural(char *buffer, uint64_t n, const char *noun);

/* "0.03", "4e-12", "<1e-99" of a decimal logarithm; LODE_UNITS_BUFFER is enough. */
const char *lode_format_log_p(char *buffer, double log10_p);
/* In a sentence, behind its name: "= 2e-5", "< 1e-99". */
const char *lode_format_log_p_is(char *buffer, double log10_p);
