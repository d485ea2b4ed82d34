/* Cells that several tables of lode suspects have. */
#include "answers/suspects/text_parts.h"

#include <math.h>

#include "document/table.h"
#include "document/units.h"

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

/* Amounts of one recording of each set. */
static void set_pace(struct lode_table *table, size_t row, size_t column, const double *amounts,
		     const char *unit)
{
	for (unsigned side = 0; side < LODE_N_SIDES; side++) {
		double amount = amounts[side] < 9e18 ? amounts[side] + 0.5 : 9e18;

		lode_table_set_cost(table, row, column + side, (int64_t)amount, unit);
	}
}

void lode_suspects_set_sides(struct lode_table *table, size_t row, size_t column,
			     const struct lode_suspects_pace *pace, const char *unit)
{
	set_pace(table, row, column, pace->calls, "");
	set_pace(table, row, column + 2, pace->sum, unit);
}
