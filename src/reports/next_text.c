#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/common_part.h"
#include "reports/next_report.h"
#include "reports/sheet.h"
#include "reports/units.h"
#include "reports/variants.h"

enum { least_room = 24, stream_columns = 36 };

/* The last part of a path is what tells streams apart; all of it where that is too little. */
static const char *stream_name(char *buffer, size_t size, const struct lode_next_report *report,
			       uint32_t stream)
{
	const struct lode_digest *digest = report->next->digest;
	const char *path = digest->tree.strings.text.at[digest->streams.at[stream].path];
	const char *slash = strrchr(path, '/');

	return lode_escape_fit(buffer, size, slash && slash[1] ? slash + 1 : path, stream_columns);
}

/* What a stream without anything new is good for: finding what has no signature. */
static const char *rest_text(char *buffer, size_t size, const struct lode_next_report *report,
			     uint32_t stream)
{
	const struct lode_order_stream *s = &report->next->input.streams[stream];
	char cost[LODE_UNITS_BUFFER];

	snprintf(buffer, size, "nothing new; %s unexplained",
		 lode_format_cost(cost, s->symptom_ns - s->covered_ns, report->next->digest->unit));
	return buffer;
}

/* A signature's name, or what tells of a cluster. */
static const char *what_name(char *buffer, size_t size, const struct lode_next_report *report,
			     const struct lode_order_step *step, size_t columns)
{
	const struct lode_next_job *next = report->next;
	uint32_t number = step->signature;
	const struct lode_cluster *cluster;
	struct lode_mainline mainline;
	size_t used;

	if (number == LODE_NONE)
		return rest_text(buffer, size, report, step->stream);
	if (next->signatures)
		return lode_escape_fit(
			buffer, size, next->signatures->list.at[next->which[number]].name, columns);
	cluster = &next->mined->clusters[next->which[number]];
	snprintf(buffer, size, "#%u ", cluster->rank);
	used = strlen(buffer);
	lode_mainline_build(&mainline, cluster);
	lode_common_part_short(buffer + used, size - used, next->digest, mainline.frames.at,
			       mainline.gap_before.at, mainline.frames.n,
			       columns > used ? columns - used : 1, columns, 1);
	lode_mainline_release(&mainline);
	return buffer;
}

static void print_heading(FILE *out, const struct lode_next_report *report)
{
	const struct lode_next_job *next = report->next;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER];

	fprintf(out, "%s, %s of symptoms; ",
		lode_format_plural(a, next->digest->streams.n, "stream"),
		lode_format_cost_long(b, next->symptom_ns, next->digest->unit));
	fprintf(out, "%s explain %s\n",
		lode_format_plural(a, next->n_which, next->signatures ? "signature" : "cluster"),
		lode_format_share(c, next->covered_ns, next->symptom_ns));
	if (!next->signatures)
		fprintf(out, "No signatures: clusters stand in for them.\n");
	if (next->n_opened)
		fprintf(out, "Opened already: %s with %zu of them, %s.\n",
			lode_format_plural(a, next->n_opened, "stream"), next->order.n_seen,
			lode_format_share(b, next->order.start_ns, next->symptom_ns));
}

/* ---- The streams to open ---- */

enum column { NUMBER, STREAM, COVERED, ADDS, NEW, FOR, n_columns };

static const struct lode_sheet_column columns[n_columns] = {
	[NUMBER] = {"#", true, 0},	  [STREAM] = {"stream", false, 0},
	[COVERED] = {"covered", true, 0}, [ADDS] = {"adds", true, 1},
	[NEW] = {"new", true, 2},	  [FOR] = {"opened for", false, 0},
};

static void print_steps(FILE *out, const struct lode_next_report *report)
{
	const struct lode_next_job *next = report->next;
	const struct lode_order_step *steps = next->order.steps.at;
	struct lode_sheet *sheet = lode_sheet_new(columns, n_columns, 0);
	int64_t before_ns = next->order.start_ns;
	char text[LODE_COMMON_LINE + 200];
	size_t room;

	for (size_t i = 0; i < next->order.steps.n; i++) {
		size_t row = lode_sheet_row(sheet);

		lode_sheet_set(sheet, row, NUMBER, "%zu", i + 1);
		lode_sheet_set(sheet, row, STREAM, "%s",
			       stream_name(text, sizeof(text), report, steps[i].stream));
		lode_sheet_set(sheet, row, COVERED, "%s",
			       lode_format_share(text, steps[i].covered_ns, next->symptom_ns));
		lode_sheet_set(sheet, row, ADDS, "%s",
			       lode_format_share(text, steps[i].covered_ns - before_ns,
						 next->symptom_ns));
		lode_sheet_set(sheet, row, NEW, "%u", steps[i].n_new);
		before_ns = steps[i].covered_ns;
	}
	room = lode_sheet_fit(sheet, report->columns, least_room, FOR, NULL);
	for (size_t i = 0; i < next->order.steps.n; i++)
		lode_sheet_set(sheet, i, FOR, "%s",
			       what_name(text, sizeof(text), report, &steps[i], room));
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
}

/* ---- The four curves ---- */

/* In the order of the paper's legend, ours last as there. */
static const unsigned shown_curves[LODE_N_CURVES] = {LODE_CURVE_RANDOM, LODE_ORDER_TOTAL,
						     LODE_ORDER_MAX, LODE_ORDER_BEST};

static const struct lode_sheet_column needed_columns[] = {
	{"coverage", true, 0},	 {"random", true, 0}, {"greedy-total", true, 0},
	{"greedy-max", true, 0}, {"lode", true, 0},
};

static const struct lode_sheet_column opened_columns[] = {
	{"opened", true, 0},	 {"random", true, 0}, {"greedy-total", true, 0},
	{"greedy-max", true, 0}, {"lode", true, 0},
};

static void print_needed(FILE *out, const struct lode_order_curves *curves)
{
	struct lode_sheet *sheet = lode_sheet_new(needed_columns, 1 + LODE_N_CURVES, 0);

	for (size_t i = 0; i < curves->levels.n; i++) {
		const struct lode_curve_level *level = &curves->levels.at[i];
		size_t row = lode_sheet_row(sheet);
		char text[LODE_UNITS_BUFFER];

		lode_sheet_set(sheet, row, 0, "%s", lode_format_pct(text, 100 * level->share));
		for (unsigned c = 0; c < LODE_N_CURVES; c++)
			lode_sheet_set(sheet, row, 1 + c, "%zu", level->needed[shown_curves[c]]);
	}
	fprintf(out, "Streams to open for a coverage:\n\n");
	lode_sheet_print(sheet, out, false);
	lode_sheet_free(sheet);
}

/* 1, 2, 3, 5, 10, 20, 30, 50, 100 ... */
static size_t next_shown(size_t k)
{
	size_t decade = 1;

	while (k >= 10 * decade)
		decade *= 10;
	return k < 2 * decade	? 2 * decade
	       : k < 3 * decade ? 3 * decade
	       : k < 5 * decade ? 5 * decade
				: 10 * decade;
}

static void print_opened(FILE *out, const struct lode_order_curves *curves)
{
	struct lode_sheet *sheet = lode_sheet_new(opened_columns, 1 + LODE_N_CURVES, 0);
	size_t end = curves->levels.at[curves->levels.n - 1].needed[LODE_CURVE_RANDOM];

	for (size_t k = 1; k <= curves->n; k = next_shown(k)) {
		size_t row = lode_sheet_row(sheet);
		char text[LODE_UNITS_BUFFER];

		lode_sheet_set(sheet, row, 0, "%zu", k);
		for (unsigned c = 0; c < LODE_N_CURVES; c++)
			lode_sheet_set(
				sheet, row, 1 + c, "%s",
				lode_format_pct(text, 100 * curves->covered_ns[shown_curves[c]][k] /
							      (double)curves->symptom_ns));
		if (k >= end)
			break;
	}
	fprintf(out, "\nCoverage by streams opened:\n\n");
	lode_sheet_print(sheet, out, false);
	lode_sheet_free(sheet);
}

static void print_curves(FILE *out, const struct lode_next_report *report)
{
	const struct lode_order_curves *curves = &report->next->curves;

	if (!curves->levels.n) {
		fprintf(out, "Nothing is left to be seen: the orders are all alike.\n");
		return;
	}
	print_needed(out, curves);
	print_opened(out, curves);
	fprintf(out,
		"\nrandom: the expectation over all orders. Over the coverages above lode needs "
		"%.0f %% of the streams that\nrandom needs, %.0f %% of greedy-total's and %.0f %% "
		"of greedy-max's.\n",
		100 * curves->best_share[LODE_CURVE_RANDOM],
		100 * curves->best_share[LODE_ORDER_TOTAL],
		100 * curves->best_share[LODE_ORDER_MAX]);
}

void lode_next_report_text(FILE *out, const struct lode_next_report *report)
{
	const struct lode_next_job *next = report->next;
	size_t n_left = next->input.n_streams - next->n_opened;

	print_heading(out, report);
	fputc('\n', out);
	if (report->has_curves) {
		print_curves(out, report);
		return;
	}
	if (n_left == 0) {
		fprintf(out, "Every stream is opened.\n");
		return;
	}
	print_steps(out, report);
	if (next->order.steps.n < n_left)
		fprintf(out, "%zu more; --top 0 shows all.\n", n_left - next->order.steps.n);
}
