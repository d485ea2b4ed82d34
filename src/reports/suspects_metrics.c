#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/suspects_parts.h"
#include "reports/table.h"
#include "reports/units.h"

enum { shown_metrics = 8, name_bytes = 2400 };

static void set_metric(struct lode_table *table, const struct lode_tally_metric *m,
		       const struct lode_sparkline *line)
{
	const struct lode_moments *moments = &m->moments[LODE_SIDE_SUBJECT];
	const uint64_t *n = m->n[LODE_SIDE_SUBJECT];
	char text[LODE_UNITS_BUFFER], name[name_bytes], spark[LODE_SPARKLINE_BYTES];
	size_t row = lode_table_row(table);

	lode_table_set(table, row, 0, "%s", lode_escape_fit(name, sizeof(name), m->name, 24));
	lode_table_set(table, row, 1, "%s", lode_format_count(text, moments->n));
	lode_table_set(table, row, 2, "%s",
		       lode_format_cost(text, lode_moments_mean(moments), m->unit));
	lode_table_set(table, row, 3, "%s",
		       lode_format_cost(text, lode_moments_std(moments), m->unit));
	if (m->is_labelled) {
		lode_table_set(table, row, 4, "%s",
			       lode_format_cost(text, m->thresholds.failed, m->unit));
		lode_table_set(table, row, 5, "%s", lode_format_count(text, n[LODE_LABEL_FAILED]));
		if (strcmp(m->unit, "ns") == 0)
			lode_table_set(table, row, 6, "%s", lode_format_sum(text, m->failed_sum));
	} else {
		lode_table_set(table, row, 5, "-");
	}
	if (!line || strcmp(m->unit, "ns") != 0 || !m->histogram[LODE_SIDE_SUBJECT])
		return;
	lode_sparkline_draw(spark, line, m->histogram[LODE_SIDE_SUBJECT],
			    m->is_labelled ? &m->thresholds : NULL);
	lode_table_set(table, row, 7, "%s", spark);
}

static struct lode_table *metric_table(const struct lode_suspects *s, const uint32_t *order,
				       size_t n, const struct lode_table_column *columns,
				       const struct lode_sparkline *line)
{
	struct lode_table *table = lode_table_new(columns, 8, 0);

	for (size_t i = 0; i < n; i++) {
		const struct lode_tally_metric *m = &s->tally.metrics.at[order[i]];

		if (m->moments[LODE_SIDE_SUBJECT].n)
			set_metric(table, m, line);
	}
	return table;
}

static size_t n_used_metrics(const struct lode_suspects *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->tally.metrics.n; i++)
		n += s->tally.metrics.at[i].moments[LODE_SIDE_SUBJECT].n +
			     s->tally.metrics.at[i].moments[LODE_SIDE_OTHER].n >
		     0;
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
	struct lode_table_column columns[] = {
		{"metric", false},	{"n", true},	  {"mean", true},   {"σ", true},
		{"failed above", true}, {"failed", true}, {"in all", true}, {axis, false},
	};
	uint32_t *order = lode_suspects_metric_order(s);
	size_t n = s->tally.metrics.n, n_used = n_used_metrics(s);
	struct lode_sparkline line;
	struct lode_table *table;
	size_t room;

	n = n < shown_metrics ? n : shown_metrics;
	table = metric_table(s, order, n, columns, NULL);
	room = lode_table_room(table, report->columns);
	lode_table_free(table);
	/* Two columns go to the thresholds. */
	line = lode_sparkline_make(s, order, n, (unsigned)(room < 42 ? room - 2 : 40));
	lode_sparkline_axis(axis, &line);
	table = metric_table(s, order, n, columns, &line);
	lode_table_print(table, out, report->is_terminal);
	lode_table_free(table);
	print_more_metrics(out, n_used, n);
	free(order);
}

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

/* ---- Two sets ---- */

void lode_suspects_print_metrics_of_sides(FILE *out, const struct lode_suspects_report *report)
{
	static const struct lode_table_column columns[] = {
		{"metric", false}, {"calls slow", true}, {"fast", true}, {"time slow", true},
		{"fast", true},	   {"mean slow", true},	 {"fast", true},
	};
	const struct lode_suspects *s = report->suspects;
	size_t n = s->tally.metrics.n, n_used = n_used_metrics(s);
	struct sortable_metric *order = lode_alloc(n * sizeof(*order));
	struct lode_table *table = lode_table_new(columns, 7, 0);
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
		row = lode_table_row(table);

		lode_table_set(table, row, 0, "%s",
			       lode_escape_fit(name, sizeof(name), m->name, 24));
		lode_suspects_set_sides(table, s, row, 1, calls, m->moments, m->unit);
		for (unsigned side = 0; side < LODE_N_SIDES; side++)
			lode_table_set(
				table, row, 5 + side, "%s",
				calls[side] ? lode_format_cost(text,
							       lode_moments_mean(&m->moments[side]),
							       m->unit)
					    : "-");
	}
	lode_table_print(table, out, report->is_terminal);
	lode_table_free(table);
	print_more_metrics(out, n_used, n < shown_metrics ? n : shown_metrics);
	free(order);
}
