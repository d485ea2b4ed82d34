/*
 * Decimal numbers in texts of known length, in any locale and without a copy.
 *
 *   "-12"              lode_int_parse
 *   "1.5e3", "0.063"   lode_decimal_take: digits * 10^exponent; lode_decimal_scale: as a whole
 * number of units
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/ascii.h"

/* A whole number, with a minus perhaps, and nothing around it. False, and *out is not touched: it
   is none, or beyond the type. */
bool lode_int_parse(int64_t *out, const char *text, size_t len);
bool lode_int32_parse(int32_t *out, const char *text, size_t len);

/* Its value is digits * 10^exponent. */
struct lode_decimal {
	uint64_t digits;
	int exponent;
	bool is_negative;
	bool has_exponent; /* one is written */
	bool is_cut;	   /* decimals beyond 64 bits were left out, and not all were 0 */
};

/*
 * The number that a text begins with: a sign, digits, a point (or a comma, with `may_be_comma`),
 * digits, an exponent. Gives its length; 0: there is none, or its whole part is beyond 64 bits.
 */
size_t lode_decimal_take(struct lode_decimal *out, const char *text, size_t len, bool may_be_comma);

/* The number times 10^`scale`, to the nearest whole number (half up) or the next one towards 0.
   False: beyond int64_t. */
bool lode_decimal_scale(int64_t *out, const struct lode_decimal *decimal, int scale,
			bool is_nearest);

/* A text that is such a number, with a point, times 10^`scale`, to the nearest: "2382993241.317", 3
   is 2382993241317. */
bool lode_decimal_parse(int64_t *out, const char *text, size_t len, int scale);
