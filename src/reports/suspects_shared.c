#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/suspects_parts.h"
#include "reports/sheet.h"
#include "reports/units.h"

const char *lode_format_log_p(char *buffer, double log_p)
{
	double log10_p = log_p / log(10), exponent = floor(log10_p + 1e-9);

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

const char *lode_format_sum(char *buffer, lode_u128 sum)
{
	return lode_format_cost(buffer, sum < INT64_MAX ? (int64_t)sum : INT64_MAX, "ns");
}

size_t lode_suspects_n_shown(const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	size_t n = s->functions.n, i;

	if (report->top && report->top < n)
		n = report->top;
	if (!report->has_min_increase)
		return n;
	/* Ranked by something else, the others stand between them: the last one counts. */
	for (i = n; i > 0 && s->ranked[i - 1].scores.increase < report->min_increase;)
		i--;
	return i;
}

struct sortable_metric {
	const struct lode_tally_metric *metric;
	uint32_t index;
};

static int slowest_first(const void *a, const void *b)
{
	const struct lode_tally_metric *x = ((const struct sortable_metric *)a)->metric;
	const struct lode_tally_metric *y = ((const struct sortable_metric *)b)->metric;
	lode_u128 sum_x = x->moments[LODE_SIDE_SUBJECT].sum,
		  sum_y = y->moments[LODE_SIDE_SUBJECT].sum;

	if (x->failed_sum != y->failed_sum)
		return x->failed_sum > y->failed_sum ? -1 : 1;
	if (sum_x != sum_y)
		return sum_x > sum_y ? -1 : 1;
	return strcmp(x->name, y->name);
}

uint32_t *lode_suspects_metric_order(const struct lode_suspects *suspects)
{
	size_t n = suspects->tally.metrics.n;
	struct sortable_metric *sortable = lode_alloc(n * sizeof(*sortable));
	uint32_t *order = lode_alloc(n * sizeof(*order));

	for (size_t i = 0; i < n; i++)
		sortable[i] = (struct sortable_metric){&suspects->tally.metrics.at[i], (uint32_t)i};
	if (n)
		qsort(sortable, n, sizeof(*sortable), slowest_first);
	for (size_t i = 0; i < n; i++)
		order[i] = sortable[i].index;
	free(sortable);
	return order;
}

/* Amounts of one recording of each set. */
static void set_pair(struct lode_sheet *sheet, size_t row, size_t column, double slow, double fast,
		     const char *unit)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	lode_sheet_set(sheet, row, column, "%s",
		       lode_format_cost(a, (int64_t)(slow < 9e18 ? slow + 0.5 : 9e18), unit));
	lode_sheet_set(sheet, row, column + 1, "%s",
		       lode_format_cost(b, (int64_t)(fast < 9e18 ? fast + 0.5 : 9e18), unit));
}

void lode_suspects_set_sides(struct lode_sheet *sheet, const struct lode_suspects *s, size_t row,
			     size_t column, const uint64_t *n, const struct lode_moments *moments,
			     const char *unit)
{
	double slow_runs = (double)s->n_streams[LODE_SIDE_SUBJECT];
	double fast_runs = (double)s->n_streams[LODE_SIDE_OTHER];

	set_pair(sheet, row, column, (double)n[LODE_SIDE_SUBJECT] / slow_runs,
		 (double)n[LODE_SIDE_OTHER] / fast_runs, "");
	set_pair(sheet, row, column + 2, (double)moments[LODE_SIDE_SUBJECT].sum / slow_runs,
		 (double)moments[LODE_SIDE_OTHER].sum / fast_runs, unit);
}
