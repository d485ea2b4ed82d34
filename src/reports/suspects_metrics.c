#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/suspects_parts.h"
#include "reports/sheet.h"
#include "reports/units.h"

enum { shown_metrics = 8, name_bytes = 2400 };

static void set_metric(struct lode_sheet *sheet, const struct lode_tally_metric *m)
{
	const struct lode_moments *moments = &m->moments[LODE_SIDE_SUBJECT];
	const uint64_t *n = m->n[LODE_SIDE_SUBJECT];
	char text[LODE_UNITS_BUFFER], name[name_bytes];
	size_t row = lode_sheet_row(sheet);

	lode_sheet_set(sheet, row, 0, "%s", lode_escape_fit(name, sizeof(name), m->name, 24));
	lode_sheet_set(sheet, row, 1, "%s", lode_format_count(text, moments->n));
	lode_sheet_set(sheet, row, 2, "%s",
		       lode_format_cost(text, lode_moments_mean(moments), m->unit));
	lode_sheet_set(sheet, row, 3, "%s",
		       lode_format_cost(text, lode_moments_std(moments), m->unit));
	if (m->is_labelled) {
		lode_sheet_set(sheet, row, 4, "%s",
			       lode_format_cost(text, m->thresholds.failed, m->unit));
		lode_sheet_set(sheet, row, 5, "%s", lode_format_count(text, n[LODE_LABEL_FAILED]));
		if (strcmp(m->unit, "ns") == 0)
			lode_sheet_set(sheet, row, 6, "%s", lode_format_sum(text, m->failed_sum));
	} else {
		lode_sheet_set(sheet, row, 5, "-");
	}
}

static void set_sparkline(struct lode_sheet *sheet, size_t row, const struct lode_tally_metric *m,
			  const struct lode_sparkline *line)
{
	char spark[LODE_SPARKLINE_BYTES];

	if (strcmp(m->unit, "ns") != 0)
		return;
	lode_sparkline_draw(spark, line, m->histogram[LODE_SIDE_SUBJECT],
			    m->is_labelled ? &m->thresholds : NULL);
	lode_sheet_set(sheet, row, 7, "%s", spark);
}

static size_t n_used_metrics(const struct lode_suspects *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->tally.metrics.n; i++) {
		const struct lode_moments *m = s->tally.metrics.at[i].moments;

		n += m[LODE_SIDE_SUBJECT].n + m[LODE_SIDE_OTHER].n > 0;
	}
	return n;
}

static void print_more_metrics(FILE *out, size_t n, size_t n_shown)
{
	if (n_shown < n)
		fprintf(out, "%zu more metrics; --histograms shows all.\n", n - n_shown);
}

void lode_suspects_print_metrics(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	char axis[LODE_SPARKLINE_BYTES] = "";
	const struct lode_sheet_column columns[] = {
		{"metric", false},	   {"n", true},	     {"mean", true, 2},	  {"σ", true, 1},
		{"failed above", true, 3}, {"failed", true}, {"in all", true, 4}, {axis, false},
	};
	uint32_t *order = lode_suspects_metric_order(s);
	struct lode_sheet *sheet = lode_sheet_new(columns, 8, 0);
	size_t n = 0, room;
	struct lode_sparkline line;

	/* Those of which nothing was measured stand at the end. */
	while (n < s->tally.metrics.n && n < shown_metrics &&
	       s->tally.metrics.at[order[n]].moments[LODE_SIDE_SUBJECT].n)
		set_metric(sheet, &s->tally.metrics.at[order[n++]]);
	room = lode_sheet_fit(sheet, report->columns, 22, 7, NULL);
	/* Two columns go to the thresholds. */
	line = lode_sparkline_make(s, order, n, (unsigned)(room < 42 ? room - 2 : 40));
	lode_sparkline_axis(axis, &line);
	for (size_t i = 0; i < n; i++)
		set_sparkline(sheet, i, &s->tally.metrics.at[order[i]], &line);
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
	print_more_metrics(out, n_used_metrics(s), n);
	free(order);
}

/* ---- Two sets ---- */

struct sortable_metric {
	const struct lode_tally_metric *metric;
	uint32_t index;
};

static int most_extra_first(const void *a, const void *b)
{
	const struct sortable_metric *x = a, *y = b;
	const struct lode_moments *mx = x->metric->moments, *my = y->metric->moments;
	double dx = (double)mx[LODE_SIDE_SUBJECT].sum - (double)mx[LODE_SIDE_OTHER].sum;
	double dy = (double)my[LODE_SIDE_SUBJECT].sum - (double)my[LODE_SIDE_OTHER].sum;

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return strcmp(x->metric->name, y->metric->name);
}

void lode_suspects_print_metrics_of_sides(FILE *out, const struct lode_suspects_report *report)
{
	static const struct lode_sheet_column columns[] = {
		{"metric", false}, {"calls slow", true},   {"fast", true},    {"time slow", true},
		{"fast", true},	   {"mean slow", true, 1}, {"fast", true, 1},
	};
	const struct lode_suspects *s = report->suspects;
	size_t n = s->tally.metrics.n, n_used = n_used_metrics(s);
	struct sortable_metric *order = lode_alloc(n * sizeof(*order));
	struct lode_sheet *sheet = lode_sheet_new(columns, 7, 0);
	char name[name_bytes], text[LODE_UNITS_BUFFER];

	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct sortable_metric){&s->tally.metrics.at[i], i};
	if (n)
		qsort(order, n, sizeof(*order), most_extra_first);
	for (size_t i = 0; i < n && i < shown_metrics; i++) {
		const struct lode_tally_metric *m = order[i].metric;
		uint64_t calls[LODE_N_SIDES] = {m->moments[0].n, m->moments[1].n};
		size_t row;

		if (!calls[0] && !calls[1])
			continue;
		row = lode_sheet_row(sheet);
		lode_sheet_set(sheet, row, 0, "%s",
			       lode_escape_fit(name, sizeof(name), m->name, 24));
		lode_suspects_set_sides(sheet, s, row, 1, calls, m->moments, m->unit);
		for (unsigned side = 0; side < LODE_N_SIDES; side++)
			lode_sheet_set(
				sheet, row, 5 + side, "%s",
				calls[side] ? lode_format_cost(text,
							       lode_moments_mean(&m->moments[side]),
							       m->unit)
					    : "-");
	}
	lode_sheet_fit(sheet, report->columns, 8, 6, NULL);
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
	print_more_metrics(out, n_used, n < shown_metrics ? n : shown_metrics);
	free(order);
}
