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

/*
 * The same number and unit without separators of thousands, and with a point: "1.234,5 ms" is
 * "1234.5ms".
 */
enum { LODE_WRITTEN_BYTES = 80 };
const char *lode_written_plain(char plain[LODE_WRITTEN_BYTES], const char *text, size_t len,
			       enum lode_comma comma);

/* What the commas of a column mean, as far as its numbers were looked at: `{ 0 }` is ready. */
struct lode_comma_sight {
	size_t n_decimal, n_thousands; /* numbers that say it, */
	size_t n_open;		       /* and that have a comma and do not */
};
void lode_comma_look(struct lode_comma_sight *sight, const char *text, size_t len);
/* As most numbers say; if none does, as tables are written whose cells this separates. */
enum lode_comma lode_comma_decide(const struct lode_comma_sight *sight, char delimiter);
