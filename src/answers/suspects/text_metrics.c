/* The metrics in the text of lode suspects, with their histograms. */
#include <math.h>

#include "answers/suspects/text_parts.h"
#include "base/escape.h"
#include "document/table.h"
#include "document/units.h"

static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* The bounds that are drawn, the next one first. */
struct marks {
	int64_t bound[2];
	unsigned n, at;
};

static struct marks marks_of(const struct lode_thresholds *thresholds)
{
	struct marks marks = {.n = thresholds ? 2 : 0};

	if (thresholds) {
		marks.bound[0] = thresholds->success;
		marks.bound[1] = thresholds->failed;
	}
	return marks;
}

/* All values of the bucket, and of those behind it, are above the next bound. */
static bool is_marked(const struct marks *marks, unsigned bucket)
{
	return marks->at < marks->n &&
	       (marks->bound[marks->at] < 0 ||
		(uint64_t)marks->bound[marks->at] < lode_latency_bucket_start(bucket));
}

/* ---- Histograms as lines of a few columns ---- */

/* The line of latency columns in tables, and its title: an axis. */
struct sparkline {
	unsigned first, last; /* buckets */
	unsigned columns;
};
enum { SPARKLINE_BYTES = 512 };

/* Blanks at the end go. */
static void trim(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
}

/* Spans all values of these metrics that are times. */
static struct sparkline make_sparkline(const struct lode_suspects_metric *metrics, size_t n,
				       unsigned columns)
{
	struct sparkline line = {.first = LODE_LATENCY_BUCKETS, .columns = columns};

	for (size_t i = 0; i < n; i++) {
		const struct lode_latency_histogram *h = metrics[i].values.histogram;

		if (!h || strcmp(metrics[i].of.unit, "ns") != 0)
			continue;
		for (unsigned b = 0; b < LODE_LATENCY_BUCKETS; b++) {
			if (h->n[b] && b < line.first)
				line.first = b;
			if (h->n[b] && b > line.last)
				line.last = b;
		}
	}
	if (line.first > line.last)
		line.first = line.last = 0;
	/* No wider than its buckets. */
	if (line.last - line.first + 1 < columns)
		line.columns = line.last - line.first + 1;
	return line;
}

static unsigned column_of(const struct sparkline *line, unsigned bucket)
{
	return (bucket - line->first) * line->columns / (line->last - line->first + 1);
}

static void put_axis(char *buffer, const struct sparkline *line)
{
	static const char *const labels[] = {"1ns", "10ns", "100ns", "1µs", "10µs", "100µs",
					     "1ms", "10ms", "100ms", "1s",  "10s",  "100s"};
	size_t used = 0, column = 0;
	uint64_t value = 1;

	buffer[0] = '\0';
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++, value *= 10) {
		unsigned bucket = lode_latency_bucket(value), at;
		/* µ is one column in two bytes */
		size_t width = strlen(labels[i]) - (strchr(labels[i], '\302') != NULL);

		if (bucket < line->first || bucket > line->last)
			continue;
		at = column_of(line, bucket);
		if (at < column || at + width > line->columns + 2)
			continue;
		used += (size_t)snprintf(buffer + used, SPARKLINE_BYTES - used, "%*s%s ",
					 (int)(at - column), "", labels[i]);
		column = at + width + 1;
	}
	trim(buffer);
}

/* `thresholds` NULL: none to draw in. */
static void draw_sparkline(char *buffer, const struct sparkline *line,
			   const struct lode_latency_histogram *histogram,
			   const struct lode_thresholds *thresholds)
{
	uint64_t n[128] = {0}, most = 1;
	unsigned columns = line->columns < 128 ? line->columns : 128, height;
	struct marks marks = marks_of(thresholds);
	size_t used = 0;

	for (unsigned b = line->first; b <= line->last; b++) {
		unsigned c = column_of(line, b);

		if (c < columns)
			n[c] += histogram->n[b];
		if (c < columns && n[c] > most)
			most = n[c];
	}
	for (unsigned c = 0, b = line->first; c < columns; c++) {
		while (b < line->last && column_of(line, b) < c)
			b++;
		for (; is_marked(&marks, b); marks.at++)
			used += (size_t)snprintf(buffer + used, SPARKLINE_BYTES - used, "%s",
						 marks.at ? "│" : "┊");
		/* Logarithmic heights: what is slow is rare, and must not vanish. */
		height = n[c] ? 1 + (unsigned)(7 * log((double)n[c]) / log((double)most + 0.5)) : 0;
		used += (size_t)snprintf(buffer + used, SPARKLINE_BYTES - used, "%s",
					 blocks[height < 8 ? height : 8]);
	}
	trim(buffer);
}

/* ---- Histograms as bars ---- */

enum { bar_rows = 24, label_columns = 12, count_columns = 13 };

static void put_bar(FILE *out, uint64_t n, uint64_t most, unsigned columns, bool is_padded)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	unsigned length = (unsigned)((double)n / (double)most * columns * 8 + 0.5);

	/* Something is never drawn as nothing. */
	if (n && !length)
		length = 1;
	for (unsigned i = 0; i < length / 8; i++)
		fputs("█", out);
	fputs(eighths[length % 8], out);
	if (is_padded)
		fprintf(out, "%*s", (int)(columns - (length + 7) / 8), "");
}

static void put_padded(FILE *out, const char *text, unsigned columns)
{
	size_t width = lode_escape_width(text);

	fprintf(out, "%*s%s", (int)(width < columns ? columns - width : 0), "", text);
}

static void put_mark(FILE *out, struct marks *marks, const char *unit, unsigned columns)
{
	char value[LODE_UNITS_BUFFER], text[2 * LODE_UNITS_BUFFER];

	snprintf(text, sizeof(text), "  ── above %s: %s ",
		 lode_format_cost(value, marks->bound[marks->at], unit),
		 marks->at ? "slow" : "in between");
	fputs(text, out);
	for (size_t i = lode_escape_width(text); i < columns; i++)
		fputs("─", out);
	fputc('\n', out);
	marks->at++;
}

struct range {
	unsigned first, last, step;
};

static struct range range_of(const struct lode_bars *bars)
{
	struct range r = {.first = LODE_LATENCY_BUCKETS, .step = 1};

	for (unsigned b = 0; b < LODE_LATENCY_BUCKETS; b++) {
		if (!bars->histogram->n[b] && !(bars->other && bars->other->n[b]))
			continue;
		r.first = b < r.first ? b : r.first;
		r.last = b;
	}
	if (r.first > r.last)
		r.first = r.last;
	while ((r.last - r.first) / r.step + 1 > bar_rows)
		r.step *= 2;
	/* Whole powers of two where buckets are joined. */
	r.first -= r.first % r.step;
	return r;
}

static uint64_t sum_of(const struct lode_latency_histogram *h, unsigned from, unsigned step)
{
	uint64_t n = 0;

	for (unsigned b = from; b < from + step && b < LODE_LATENCY_BUCKETS; b++)
		n += h->n[b];
	return n;
}

static uint64_t most_of(const struct lode_latency_histogram *h, const struct range *r)
{
	uint64_t most = 1;

	for (unsigned b = r->first; b <= r->last; b += r->step) {
		uint64_t n = sum_of(h, b, r->step);

		most = n > most ? n : most;
	}
	return most;
}

/* The counts and bars of one line, without blanks at its end. */
static void put_bars(FILE *out, const struct lode_bars *bars, unsigned bucket, unsigned step,
		     const uint64_t *most, unsigned bar)
{
	uint64_t n = sum_of(bars->histogram, bucket, step);
	uint64_t n_other = bars->other ? sum_of(bars->other, bucket, step) : 0;
	char text[LODE_UNITS_BUFFER];

	if (n || n_other)
		put_padded(out, n ? lode_format_count(text, n) : "", count_columns);
	if (n || n_other)
		fputs("  ", out);
	put_bar(out, n, most[0], bar, n_other > 0);
	if (!n_other)
		return;
	put_padded(out, lode_format_count(text, n_other), count_columns);
	fputs("  ", out);
	put_bar(out, n_other, most[1], bar, false);
}

void lode_bars_print(FILE *out, const struct lode_bars *bars, unsigned columns)
{
	struct range r = range_of(bars);
	unsigned n_halves = bars->other ? 2 : 1;
	unsigned bar = (columns - label_columns) / n_halves - count_columns - 2;
	uint64_t most[2] = {most_of(bars->histogram, &r),
			    bars->other ? most_of(bars->other, &r) : 1};
	struct marks marks = marks_of(bars->thresholds);
	char text[LODE_UNITS_BUFFER];

	put_padded(out, "from", label_columns);
	put_padded(out, bars->title, count_columns);
	if (bars->other)
		put_padded(out, bars->other_title, bar + 2 + count_columns);
	fputc('\n', out);
	for (unsigned b = r.first; b <= r.last; b += r.step) {
		while (is_marked(&marks, b))
			put_mark(out, &marks, bars->unit, columns);
		put_padded(out,
			   lode_format_cost(text, (int64_t)lode_latency_bucket_start(b),
					    bars->unit),
			   label_columns);
		put_bars(out, bars, b, r.step, most, bar);
		fputc('\n', out);
	}
	while (marks.at < marks.n)
		put_mark(out, &marks, bars->unit, columns);
}

/* ---- The tables ---- */

enum { shown_metrics = 8, name_bytes = 2400 };

static void set_metric(struct lode_table *table, const struct lode_suspects_metric *metric)
{
	const struct lode_tally_metric *m = &metric->of;
	const struct lode_suspects_values *values = &metric->values;
	size_t row = lode_table_row(table);

	lode_table_set_text(table, row, 0, m->name, 24);
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
	char axis[SPARKLINE_BYTES] = "", spark[SPARKLINE_BYTES];
	const struct lode_table_column columns[] = {
		{"metric", false},	 {"n", true},	 {"mean", true, 2},   {"σ", true, 1},
		{"slow above", true, 3}, {"slow", true}, {"in all", true, 4}, {axis, false},
	};
	struct lode_table *table = lode_table_new(columns, 8, 0);
	struct sparkline line;
	size_t n = 0, room;

	/* Those of which nothing was measured stand at the end. */
	while (n < answer->n_metrics && n < shown_metrics && answer->metrics[n].values.n)
		set_metric(table, &answer->metrics[n++]);
	room = lode_table_fit(table, page->columns, 22, 7, NULL);
	/* Two columns go to the thresholds. */
	line = make_sparkline(answer->metrics, n, (unsigned)(room < 42 ? room - 2 : 40));
	put_axis(axis, &line);
	for (size_t i = 0; i < n; i++) {
		const struct lode_suspects_metric *m = &answer->metrics[i];

		if (strcmp(m->of.unit, "ns") != 0)
			continue;
		draw_sparkline(spark, &line, m->values.histogram,
			       m->of.is_labelled ? &m->of.thresholds : NULL);
		lode_table_set(table, i, 7, "%s", spark);
	}
	lode_table_end(table, out, page);
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

	for (size_t i = 0; i < n; i++) {
		const struct lode_suspects_metric *m = answer->by_extra[i];
		size_t row;

		if (!m->values.n && !m->other->n)
			continue;
		row = lode_table_row(table);
		lode_table_set_text(table, row, 0, m->of.name, 24);
		lode_suspects_set_sides(table, row, 1, &m->pace, m->of.unit);
		set_mean(table, row, 5, &m->values, m->of.unit);
		set_mean(table, row, 6, m->other, m->of.unit);
	}
	lode_table_fit(table, page->columns, 8, 6, NULL);
	lode_table_end(table, out, page);
	print_more_metrics(out, answer->n_metrics_used, n);
}

/* ---- The histograms of all ---- */

void lode_suspects_histograms(FILE *out, const struct lode_suspects_answer *answer,
			      const struct lode_text_page *page)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], name[name_bytes];
	bool versus = answer->is_versus, is_first = true;

	for (size_t i = 0; i < answer->n_metrics; i++) {
		const struct lode_suspects_metric *m = &answer->metrics[i];
		struct lode_bars bars = {
			.histogram = m->values.histogram,
			.other = versus ? m->other->histogram : NULL,
			.title = versus ? "slow" : "n",
			.other_title = "fast",
			.thresholds = versus || !m->of.is_labelled ? NULL : &m->of.thresholds,
			.unit = m->of.unit,
		};

		if (!bars.histogram)
			continue;
		fprintf(out, "%s%s: %s, mean %s, σ %s\n", is_first ? "" : "\n",
			lode_escape_fit(name, sizeof(name), m->of.name, 60),
			lode_format_plural(a, m->values.n, "call"),
			lode_format_cost(b, m->values.mean, m->of.unit),
			lode_format_cost(c, m->values.std, m->of.unit));
		lode_bars_print(out, &bars, page->columns);
		is_first = false;
	}
}
