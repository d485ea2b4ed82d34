/*
 * Decimal numbers in text traces: times in seconds or microseconds with any number of decimals.
 */
#ifndef LODE_CALL_NUMBER_H
#define LODE_CALL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The text times 10^`scale` as a whole number: "2382993241.317", 3 -> 2382993241317. Exact where
 * that is one, else rounded to the nearest (half up). Exponents are understood. False: not a
 * number, or beyond int64_t.
 */
bool lode_call_decimal(const char *text, size_t len, int scale, int64_t *out);

/* A whole number that int32_t holds. */
bool lode_call_id(const char *text, size_t len, int32_t *out);

#endif
