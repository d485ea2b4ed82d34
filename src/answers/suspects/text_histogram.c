/* Latency histograms in text: lines of a few columns, and bars. */
#include <math.h>

#include "answers/suspects/text_parts.h"
#include "base/escape.h"
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

/* ---- Lines of a few columns ---- */

/* Blanks at the end go. */
static void trim(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
}

struct lode_sparkline lode_sparkline_make(const struct lode_suspects_metric *metrics, size_t n,
					  unsigned columns)
{
	struct lode_sparkline line = {.first = LODE_LATENCY_BUCKETS, .columns = columns};

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

static unsigned column_of(const struct lode_sparkline *line, unsigned bucket)
{
	return (bucket - line->first) * line->columns / (line->last - line->first + 1);
}

void lode_sparkline_axis(char *buffer, const struct lode_sparkline *line)
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
		used += (size_t)snprintf(buffer + used, LODE_SPARKLINE_BYTES - used, "%*s%s ",
					 (int)(at - column), "", labels[i]);
		column = at + width + 1;
	}
	trim(buffer);
}

void lode_sparkline_draw(char *buffer, const struct lode_sparkline *line,
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
			used += (size_t)snprintf(buffer + used, LODE_SPARKLINE_BYTES - used, "%s",
						 marks.at ? "│" : "┊");
		/* Logarithmic heights: what is slow is rare, and must not vanish. */
		height = n[c] ? 1 + (unsigned)(7 * log((double)n[c]) / log((double)most + 0.5)) : 0;
		used += (size_t)snprintf(buffer + used, LODE_SPARKLINE_BYTES - used, "%s",
					 blocks[height < 8 ? height : 8]);
	}
	trim(buffer);
}

/* ---- Bars ---- */

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
