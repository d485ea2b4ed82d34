/* Parses and formats durations: "300ms", "1.5 s", "2m". */
#include "base/duration.h"

#include <time.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

struct unit {
	const char *name;
	int64_t ns;
};

static const struct unit units[] = {
	{"ns", 1},	   {"us", 1000},       {"µs", 1000},	     {"ms", 1000000},
	{"s", 1000000000}, {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000},
};

enum { N_UNITS = sizeof(units) / sizeof(units[0]) };

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < N_UNITS; i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

/* `bare`: the unit of a number without one. */
static bool parse_with(int64_t *out_ns, const char *text, const struct unit *bare)
{
	struct lode_decimal d;
	size_t n = lode_decimal_take(&d, text, strlen(text), false);
	const char *name = text + n;
	const struct unit *unit;
	__int128 ns;

	if (!n || d.is_cut || d.has_exponent || *text == '-' || *text == '+')
		return false;
	while (*name == ' ')
		name++;
	unit = *name ? find_unit(name) : text[n] ? NULL : bare;
	if (!unit)
		return false;
	ns = (__int128)d.digits * unit->ns;
	for (; d.exponent < 0; d.exponent++) {
		if (ns % 10 != 0)
			return false;
		ns /= 10;
	}
	if (ns > INT64_MAX)
		return false;
	*out_ns = (int64_t)ns;
	return true;
}

bool lode_duration_parse(int64_t *out_ns, const char *text)
{
	return parse_with(out_ns, text, &(struct unit){"s", 1000000000});
}

bool lode_clock_time_parse(int64_t *out_ns, const char *text)
{
	return parse_with(out_ns, text, &(struct unit){"ns", 1});
}

/* n / d, rounded half up; d > 0. */
static uint64_t rounded(uint64_t n, uint64_t d)
{
	return n / d + (n % d >= d - d / 2);
}

/* Three digits of `ns` in a unit; false when rounding makes four of them. */
static bool format_digits(uint64_t ns, uint64_t unit_ns, const char *sign, const char *name,
			  char *buffer, size_t size)
{
	static const uint64_t scales[] = {100, 10, 1};

	for (int decimals = 2; decimals >= 0; decimals--) {
		uint64_t scale = scales[2 - decimals], value;

		/* Below a nanosecond there are no digits. */
		if (unit_ns < scale)
			continue;
		value = rounded(ns, unit_ns / scale);
		if (value >= 1000)
			continue;
		if (decimals == 0)
			snprintf(buffer, size, "%s%" PRIu64 " %s", sign, value, name);
		else if (decimals == 1)
			snprintf(buffer, size, "%s%" PRIu64 ".%" PRIu64 " %s", sign, value / 10,
				 value % 10, name);
		else
			snprintf(buffer, size, "%s%" PRIu64 ".%02" PRIu64 " %s", sign, value / 100,
				 value % 100, name);
		return true;
	}
	return false;
}

const char *lode_duration_text(int64_t ns, char *buffer, size_t size)
{
	static const struct unit shown[] = {{"ns", 1}, {"µs", 1000}, {"ms", 1000000}};
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, s, min;
	const char *sign = ns < 0 ? "-" : "";

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (format_digits(n, (uint64_t)shown[i].ns, sign, shown[i].name, buffer, size))
			return buffer;
	s = rounded(n, 1000000000);
	min = rounded(n, 60000000000);
	if (s < 120)
		format_digits(n, 1000000000, sign, "s", buffer, size);
	else if (s < 3600)
		snprintf(buffer, size, "%s%" PRIu64 " min %02" PRIu64 " s", sign, s / 60, s % 60);
	else
		snprintf(buffer, size, "%s%" PRIu64 " h %02" PRIu64 " min", sign, min / 60,
			 min % 60);
	return buffer;
}

/* ---- Dates ---- */

const char *lode_utc_text(char *buffer, int64_t t_ns, const char *format)
{
	time_t seconds = (time_t)(t_ns / 1000000000 - (t_ns % 1000000000 < 0));
	struct tm tm;

	/* The years of an int64_t are few: neither can fail. */
	if (!gmtime_r(&seconds, &tm) || !strftime(buffer, LODE_UTC_BYTES, format, &tm))
		*buffer = '\0';
	return buffer;
}
