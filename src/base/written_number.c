/* Numbers with thousands separators, decimal commas and units. */
#include "base/written_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

enum { MOST_BYTES = 64 };

/* Bytes of a separator of thousands that is no point or comma: a blank, a no-break one (U+00A0,
   U+202F), an apostrophe; 0: there is none. */
static size_t separator_bytes(const char *text, size_t len)
{
	if (len && (*text == ' ' || *text == '\''))
		return 1;
	if (len > 1 && !memcmp(text, "\xc2\xa0", 2))
		return 2;
	return len > 2 && !memcmp(text, "\xe2\x80\xaf", 3) ? 3 : 0;
}

static bool has_three_digits(const char *text, size_t len)
{
	return len >= 3 && lode_is_digit(text[0]) && lode_is_digit(text[1]) &&
	       lode_is_digit(text[2]) && (len == 3 || !lode_is_digit(text[3]));
}

/* Length of the digits and separators that a text begins with, behind its sign. */
static size_t number_bytes(const char *text, size_t len)
{
	size_t n = 0, more;

	while (n < len) {
		if (lode_is_digit(text[n]) || text[n] == '.' || text[n] == ',')
			n++;
		else if (n && (more = separator_bytes(text + n, len - n)) &&
			 has_three_digits(text + n + more, len - n - more))
			n += more;
		else
			break;
	}
	return n;
}

static size_t sign_bytes(const char *text, size_t len)
{
	return len && (*text == '-' || *text == '+');
}

enum lode_comma lode_comma_of(const char *text, size_t len)
{
	size_t sign = sign_bytes(text, len), n = number_bytes(text + sign, len - sign);
	size_t n_commas = 0, n_points = 0, comma = 0, point = 0;

	text += sign;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == ',') {
			comma = i;
			n_commas++;
		} else if (text[i] == '.') {
			point = i;
			n_points++;
		}
	}
	if (n_commas && n_points)
		return comma > point ? LODE_COMMA_DECIMAL : LODE_COMMA_THOUSANDS;
	if (n_commas > 1)
		return LODE_COMMA_THOUSANDS;
	if (n_points > 1)
		return LODE_COMMA_DECIMAL;
	/* A point alone is that of a table whose thousands, if any, have commas. */
	if (n_points)
		return has_three_digits(text + point + 1, n - point - 1) ? LODE_COMMA_UNKNOWN
									 : LODE_COMMA_THOUSANDS;
	if (!n_commas)
		return LODE_COMMA_UNKNOWN;
	if (!has_three_digits(text + comma + 1, n - comma - 1) || comma > 3 || comma == 0 ||
	    (comma == 1 && *text == '0'))
		return LODE_COMMA_DECIMAL;
	return LODE_COMMA_UNKNOWN;
}

/* The number without separators of thousands, its decimals behind a point. False: they are not
   where such separators are. */
static bool plain_number(char plain[MOST_BYTES], const char *text, size_t len,
			 enum lode_comma comma)
{
	char decimal = comma == LODE_COMMA_DECIMAL ? ',' : '.';
	bool has_point = false, is_parted = false;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (lode_is_digit(text[i])) {
			plain[n++] = text[i];
		} else if (text[i] == decimal) {
			if (has_point)
				return false;
			has_point = true;
			plain[n++] = '.';
		} else {
			size_t more = separator_bytes(text + i, len - i);

			i += more ? more - 1 : 0;
			if (has_point || !n || (!is_parted && n > 3) ||
			    !has_three_digits(text + i + 1, len - i - 1))
				return false;
			is_parted = true;
		}
	}
	plain[n] = '\0';
	return n > has_point;
}

/* 0: it is no unit. */
static double unit_scale(const char *text, size_t len)
{
	static const struct {
		const char *name;
		double scale;
	} units[] = {
		{"", 1},	 {"%", 1},	  {"B", 1},	{"kB", 1e3},   {"KB", 1e3},
		{"MB", 1e6},	 {"GB", 1e9},	  {"TB", 1e12}, {"KiB", 1024}, {"MiB", 0x1p20},
		{"GiB", 0x1p30}, {"TiB", 0x1p40}, {"k", 1e3},	{"K", 1024},   {"M", 1e6},
		{"G", 1e9},	 {"T", 1e12},	  {"ns", 1e-9}, {"us", 1e-6},  {"\xc2\xb5s", 1e-6},
		{"ms", 1e-3},	 {"s", 1},	  {"min", 60},	{"h", 3600},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == len && !memcmp(units[i].name, text, len))
			return units[i].scale;
	return 0;
}

/* The number as digits and a point; *unit_at: what is behind it begins there. */
static const char *take_number(char plain[MOST_BYTES], size_t *unit_at, const char *text,
			       size_t len, enum lode_comma comma)
{
	size_t sign = sign_bytes(text, len), n = number_bytes(text + sign, len - sign);

	*unit_at = sign + n;
	while (*unit_at < len && separator_bytes(text + *unit_at, len - *unit_at))
		*unit_at += separator_bytes(text + *unit_at, len - *unit_at);
	if (!n)
		return "is not a number";
	if (n >= MOST_BYTES)
		return "is too long";
	if (memchr(text + sign, ',', n) && comma == LODE_COMMA_UNKNOWN)
		return "has a comma that may be decimal or part thousands";
	if (!plain_number(plain, text + sign, n, comma))
		return "has points or commas where numbers of this column have none";
	return NULL;
}

const char *lode_written_number(double *out, const char *text, size_t len, enum lode_comma comma)
{
	char plain[MOST_BYTES];
	size_t unit_at;
	const char *fault = take_number(plain, &unit_at, text, len, comma);
	double scale = fault ? 0 : unit_scale(text + unit_at, len - unit_at);

	*out = NAN;
	if (fault)
		return fault;
	if (scale == 0)
		return "is not a number, or has an unknown unit";
	*out = strtod(plain, NULL) * scale;
	if (*text == '-')
		*out = -*out;
	return NULL;
}

const char *lode_written_plain(char plain[LODE_WRITTEN_BYTES], const char *text, size_t len,
			       enum lode_comma comma)
{
	size_t sign = len && *text == '-', n, unit_at;
	const char *fault = take_number(plain + sign, &unit_at, text, len, comma);

	if (fault)
		return fault;
	if (sign)
		*plain = '-';
	n = strlen(plain);
	if (len - unit_at >= LODE_WRITTEN_BYTES - n)
		return "is not a number, or has an unknown unit";
	memcpy(plain + n, text + unit_at, len - unit_at);
	plain[n + len - unit_at] = '\0';
	return NULL;
}

void lode_comma_look(struct lode_comma_sight *sight, const char *text, size_t len)
{
	enum lode_comma says = lode_comma_of(text, len);

	sight->n_decimal += says == LODE_COMMA_DECIMAL;
	sight->n_thousands += says == LODE_COMMA_THOUSANDS;
	sight->n_open += !says && memchr(text, ',', len);
}

enum lode_comma lode_comma_decide(const struct lode_comma_sight *sight, char delimiter)
{
	if (sight->n_decimal != sight->n_thousands)
		return sight->n_decimal > sight->n_thousands ? LODE_COMMA_DECIMAL
							     : LODE_COMMA_THOUSANDS;
	return delimiter == ';' ? LODE_COMMA_DECIMAL : LODE_COMMA_THOUSANDS;
}
