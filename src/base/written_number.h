/*
 * Numbers as people and spreadsheets write them, with a unit perhaps:
 *
 *   12.5 %    1,234.5    1.234,5    3.2 GB    15 ms    1 234 567
 *
 * Whether a comma begins the decimals or parts thousands is for the whole column to say: one number
 * tells it ("12,5", "1,234.5"), another does not ("1,234").
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum lode_comma {
	LODE_COMMA_UNKNOWN,
	LODE_COMMA_DECIMAL,   /* 1.234,5 */
	LODE_COMMA_THOUSANDS, /* 1,234.5 */
};

/* What a number's commas and points say; UNKNOWN: nothing, or it has none. */
enum lode_comma lode_comma_of(const char *text, size_t len);

/*
 * With `comma` unknown, a number that needs to know it is none. The units %, B, kB, MB, GB, TB,
 * KiB, MiB, GiB, TiB, K, M, G, T, ns, us, ms, s, min and h scale to percent, bytes (or ones) and
 * seconds. NULL, or what is wrong, as words behind "has a value that".
 */
const char *lode_written_number(double *out, const char *text, size_t len, enum lode_comma comma);
