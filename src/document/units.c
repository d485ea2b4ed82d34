/* Formats numbers with three significant digits and a unit. */
#include "document/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"

/* Three digits that matter: 1.23, 12.3, 123; `value` is below 1000. */
static void three_digits(char *buffer, size_t size, double value)
{
	snprintf(buffer, size, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}

const char *lode_format_cost(char *buffer, int64_t cost, const char *unit)
{
	if (strcmp(unit, "ns") == 0)
		return lode_duration_text(cost, buffer, LODE_UNITS_BUFFER);
	if (cost >= 0)
		return lode_format_count(buffer, (uint64_t)cost);
	snprintf(buffer, LODE_UNITS_BUFFER, "%lld", (long long)cost);
	return buffer;
}

const char *lode_format_cost_long(char *buffer, int64_t cost, const char *unit)
{
	size_t used;

	lode_format_cost(buffer, cost, unit);
	used = strlen(buffer);
	if (strcmp(unit, "ns") != 0)
		snprintf(buffer + used, LODE_UNITS_BUFFER - used, " %.16s", unit);
	return buffer;
}

const char *lode_format_pct(char *buffer, double pct)
{
	if (pct > 0 && pct < 0.005)
		snprintf(buffer, LODE_UNITS_BUFFER, "<0.01 %%");
	else
		snprintf(buffer, LODE_UNITS_BUFFER, "%.*f %%", pct > 0 && pct < 0.095 ? 2 : 1, pct);
	return buffer;
}

const char *lode_format_share(char *buffer, int64_t part, int64_t whole)
{
	if (whole <= 0) {
		snprintf(buffer, LODE_UNITS_BUFFER, "-");
		return buffer;
	}
	return lode_format_pct(buffer, 100.0 * (double)part / (double)whole);
}

const char *lode_format_count(char *buffer, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	size_t used = 0;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buffer[used++] = ',';
		buffer[used++] = digits[i];
	}
	buffer[used] = '\0';
	return buffer;
}

const char *lode_format_bytes(char *buffer, int64_t bytes)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB"};
	char number[16];
	double value = (double)bytes / 1e3;
	size_t u = 0;

	while (u < 3 && value >= 999.5) {
		value /= 1e3;
		u++;
	}
	three_digits(number, sizeof(number), value);
	snprintf(buffer, LODE_UNITS_BUFFER, "%s %s", number, units[u]);
	return buffer;
}

const char *lode_format_plural(char *buffer, uint64_t n, const char *noun)
{
	size_t used;

	lode_format_count(buffer, n);
	used = strlen(buffer);
	snprintf(buffer + used, LODE_UNITS_BUFFER - used, " %.20s%s", noun, n == 1 ? "" : "s");
	return buffer;
}

const char *lode_format_log_p(char *buffer, double log10_p)
{
	double exponent = floor(log10_p + 1e-9);

	/* Such digits say nothing more: executions are not that independent of each other. */
	if (log10_p < -99)
		snprintf(buffer, LODE_UNITS_BUFFER, "<1e-99");
	else if (log10_p >= -0.0044) /* what rounds to 1 */
		snprintf(buffer, LODE_UNITS_BUFFER, "1");
	else if (log10_p >= -1.3)
		snprintf(buffer, LODE_UNITS_BUFFER, "%.2f", pow(10, log10_p));
	else if (log10_p >= -3)
		snprintf(buffer, LODE_UNITS_BUFFER, "%.3f", pow(10, log10_p));
	else if (pow(10, log10_p - exponent) >= 9.5)
		snprintf(buffer, LODE_UNITS_BUFFER, "1e%.0f", exponent + 1);
	else
		snprintf(buffer, LODE_UNITS_BUFFER, "%.0fe%.0f", pow(10, log10_p - exponent),
			 exponent);
	return buffer;
}

const char *lode_format_log_p_is(char *buffer, double log10_p)
{
	char p[LODE_UNITS_BUFFER];

	lode_format_log_p(p, log10_p);
	snprintf(buffer, LODE_UNITS_BUFFER, "%s %s", *p == '<' ? "<" : "=", p + (*p == '<'));
	return buffer;
}
