/* The metrics in the text of lode suspects. */
#include "answers/suspects/text_parts.h"
#include "base/escape.h"
#include "document/table.h"
#include "document/units.h"

enum { shown_metrics = 8, name_bytes = 2400 };

static void set_metric(struct lode_table *table, const struct lode_suspects_metric *metric)
{
	const struct lode_tally_metric *m = &metric->of;
	const struct lode_suspects_values *values = &metric->values;
	char name[name_bytes];
	size_t row = lode_table_row(table);

	lode_table_set(table, row, 0, "%s", lode_escape_fit(name, sizeof(name), m->name, 24));
	lode_table_set_count(table, row, 1, values->n);
	lode_table_set_cost(table, row, 2, values->mean, m->unit);
	lode_table_set_cost(table, row, 3, values->std, m->unit);
	if (m->is_labelled) {
		lode_table_set_cost(table, row, 4, m->thresholds.failed, m->unit);
		lode_table_set_count(table, row, 5, m->n[LODE_SIDE_SUBJECT][LODE_LABEL_FAILED]);
		if (strcmp(m->unit, "ns") == 0)
			lode_table_set_cost(table, row, 6, metric->failed_total, "ns");
	} else {
		lode_table_set(table, row, 5, "-");
	}
}

static void print_more_metrics(FILE *out, size_t n, size_t n_shown)
{
	if (n_shown < n)
		fprintf(out, "%zu more metrics; --histograms shows all.\n", n - n_shown);
}

void lode_suspects_print_metrics(FILE *out, const struct lode_suspects_answer *answer,
				 const struct lode_text_page *page)
{
	char axis[LODE_SPARKLINE_BYTES] = "", spark[LODE_SPARKLINE_BYTES];
	const struct lode_table_column columns[] = {
		{"metric", false},	 {"n", true},	 {"mean", true, 2},   {"σ", true, 1},
		{"slow above", true, 3}, {"slow", true}, {"in all", true, 4}, {axis, false},
	};
	struct lode_table *table = lode_table_new(columns, 8, 0);
	struct lode_sparkline line;
	size_t n = 0, room;

	/* Those of which nothing was measured stand at the end. */
	while (n < answer->n_metrics && n < shown_metrics && answer->metrics[n].values.n)
		set_metric(table, &answer->metrics[n++]);
	room = lode_table_fit(table, page->columns, 22, 7, NULL);
	/* Two columns go to the thresholds. */
	line = lode_sparkline_make(answer->metrics, n, (unsigned)(room < 42 ? room - 2 : 40));
	lode_sparkline_axis(axis, &line);
	for (size_t i = 0; i < n; i++) {
		const struct lode_suspects_metric *m = &answer->metrics[i];

		if (strcmp(m->of.unit, "ns") != 0)
			continue;
		lode_sparkline_draw(spark, &line, m->values.histogram,
				    m->of.is_labelled ? &m->of.thresholds : NULL);
		lode_table_set(table, i, 7, "%s", spark);
	}
	lode_table_print(table, out, page->has_color);
	lode_table_free(table);
	print_more_metrics(out, answer->n_metrics_used, n);
}

/* ---- Two sets ---- */

static void set_mean(struct lode_table *table, size_t row, size_t column,
		     const struct lode_suspects_values *values, const char *unit)
{
	char text[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s",
		       values->n ? lode_format_cost(text, values->mean, unit) : "-");
}

void lode_suspects_print_metrics_of_sides(FILE *out, const struct lode_suspects_answer *answer,
					  const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"metric", false}, {"calls slow", true},   {"fast", true},    {"time slow", true},
		{"fast", true},	   {"mean slow", true, 1}, {"fast", true, 1},
	};
	struct lode_table *table = lode_table_new(columns, 7, 0);
	size_t n = answer->n_metrics < shown_metrics ? answer->n_metrics : shown_metrics;
	char name[name_bytes];

	for (size_t i = 0; i < n; i++) {
		const struct lode_suspects_metric *m = answer->by_extra[i];
		size_t row;

		if (!m->values.n && !m->other->n)
			continue;
		row = lode_table_row(table);
		lode_table_set(table, row, 0, "%s",
			       lode_escape_fit(name, sizeof(name), m->of.name, 24));
		lode_suspects_set_sides(table, row, 1, &m->pace, m->of.unit);
		set_mean(table, row, 5, &m->values, m->of.unit);
		set_mean(table, row, 6, m->other, m->of.unit);
	}
	lode_table_fit(table, page->columns, 8, 6, NULL);
	lode_table_print(table, out, page->has_color);
	lode_table_free(table);
	print_more_metrics(out, answer->n_metrics_used, n);
}
