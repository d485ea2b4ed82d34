#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/coverage_report.h"
#include "reports/sheet.h"
#include "reports/table.h"
#include "reports/units.h"

enum { NAME_COLUMNS = 40, TEXT_COLUMNS = 32, GROUP_COLUMNS = 20, MOST_GROUPS = 15 };

/* ---- Order ---- */

static int64_t rank_value(const struct lode_signature_cost *cost, enum lode_coverage_rank rank)
{
	switch (rank) {
	case LODE_COVERAGE_BY_EXCLUSIVE:
		return cost->exclusive_ns;
	case LODE_COVERAGE_BY_STREAMS:
		return cost->n_streams;
	case LODE_COVERAGE_BY_NAME:
		return 0;
	case LODE_COVERAGE_BY_TOTAL:
		break;
	}
	return cost->total_ns;
}

static int best_first(const void *a, const void *b, void *context)
{
	const struct lode_coverage_report *report = context;
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	const struct lode_signature *s = report->job->signatures->list.at;
	const struct lode_signature_cost *cost = report->job->coverage.signatures;
	int64_t x = rank_value(&cost[p], report->rank), y = rank_value(&cost[q], report->rank);

	if (s[p].is_retired != s[q].is_retired)
		return s[p].is_retired ? 1 : -1;
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(s[p].name, s[q].name);
}

uint32_t *lode_coverage_order(const struct lode_coverage_report *report)
{
	size_t n = report->job->coverage.n_signatures;
	uint32_t *order = lode_alloc(n * sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), best_first, (void *)report);
	return order;
}

/* ---- Above the table ---- */

static const struct lode_digest *digest_of(const struct lode_coverage_report *report)
{
	return report->job->streams.job.digest;
}

static size_t count_active(const struct lode_coverage_report *report)
{
	size_t n = 0;

	for (size_t i = 0; i < report->job->signatures->list.n; i++)
		n += !report->job->signatures->list.at[i].is_retired;
	return n;
}

static void print_heading(FILE *out, const struct lode_coverage_report *report)
{
	const struct lode_digest *digest = digest_of(report);
	const struct lode_stream_cover *all = &report->job->coverage.all;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER],
		e[LODE_UNITS_BUFFER], f[LODE_UNITS_BUFFER];
	size_t n = count_active(report);

	fprintf(out, "%s, %s of %s; %s explain%s %s of it (%s)\n",
		lode_format_plural(a, digest->streams.n, "stream"),
		lode_format_plural(b, digest->symptoms.n, "symptom"),
		lode_format_cost_long(c, all->symptom_ns, digest->unit),
		lode_format_plural(d, n, "signature"), n == 1 ? "s" : "",
		lode_format_share(e, all->covered_ns, all->symptom_ns),
		lode_format_cost(f, all->covered_ns, digest->unit));
}

/* ---- The table ---- */

enum column { NAME, TOTAL, SHARE, EXCLUSIVE, STREAMS, AVERAGE, OWNER, BUG, WORST, N_COLUMNS };

static const struct lode_sheet_column sheet_columns[N_COLUMNS] = {
	[NAME] = {"signature", false, 0}, [TOTAL] = {"total", true, 0},
	[SHARE] = {"share", true, 0},	  [EXCLUSIVE] = {"exclusive", true, 5},
	[STREAMS] = {"streams", true, 4}, [AVERAGE] = {"avg", true, 1},
	[OWNER] = {"owner", false, 3},	  [BUG] = {"bug", false, 2},
	[WORST] = {"worst in", false, 0},
};

static void set_text(struct lode_sheet *sheet, size_t row, enum column column, const char *text,
		     size_t columns)
{
	char safe[1024];

	lode_sheet_set(sheet, row, column, "%s",
		       *text ? lode_escape_fit(safe, sizeof(safe), text, columns) : "-");
}

static void set_numbers(struct lode_sheet *sheet, const struct lode_coverage_report *report,
			uint32_t signature)
{
	const struct lode_signature *s = &report->job->signatures->list.at[signature];
	const struct lode_signature_cost *cost = &report->job->coverage.signatures[signature];
	const char *unit = digest_of(report)->unit;
	char text[LODE_UNITS_BUFFER], name[256];
	size_t row = lode_sheet_row(sheet);

	snprintf(name, sizeof(name), "%s%s", s->name, s->is_retired ? " (retired)" : "");
	set_text(sheet, row, NAME, name, NAME_COLUMNS);
	lode_sheet_set(sheet, row, TOTAL, "%s", lode_format_cost(text, cost->total_ns, unit));
	lode_sheet_set(sheet, row, SHARE, "%s",
		       lode_format_share(text, cost->total_ns,
					 report->job->coverage.all.symptom_ns));
	lode_sheet_set(sheet, row, EXCLUSIVE, "%s",
		       lode_format_cost(text, cost->exclusive_ns, unit));
	lode_sheet_set(sheet, row, STREAMS, "%u", cost->n_streams);
	lode_sheet_set(sheet, row, AVERAGE, "%s",
		       cost->n_events
			       ? lode_format_cost(text, cost->total_ns / (int64_t)cost->n_events,
						  unit)
			       : "-");
	set_text(sheet, row, OWNER, s->owner, TEXT_COLUMNS);
	set_text(sheet, row, BUG, s->bug, TEXT_COLUMNS);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "startup-07.perf.data.zst, 2.10 s" */
static void set_worst(struct lode_sheet *sheet, const struct lode_coverage_report *report,
		      size_t row, uint32_t signature, size_t room)
{
	const struct lode_signature_cost *cost = &report->job->coverage.signatures[signature];
	const struct lode_digest *digest = digest_of(report);
	const struct lode_digest_symptom *symptom;
	char text[LODE_UNITS_BUFFER], name[1024];
	size_t width;

	if (cost->worst_symptom == LODE_NONE) {
		lode_sheet_set(sheet, row, WORST, "-");
		return;
	}
	symptom = &digest->symptoms.at[cost->worst_symptom];
	lode_format_cost(text, cost->worst_ns, digest->unit);
	width = strlen(text) + 2;
	lode_escape_fit(
		name, sizeof(name),
		base_name(digest->tree.strings.text.at[digest->streams.at[symptom->stream].path]),
		room > width + 4 ? room - width : 4);
	lode_sheet_set(sheet, row, WORST, "%s, %s", name, text);
}

static size_t shown(const struct lode_coverage_report *report, size_t n)
{
	return report->top && report->top < n ? report->top : n;
}

/* Retired ones are shown when they have returned. */
static size_t count_listed(const struct lode_coverage_report *report, const uint32_t *order)
{
	size_t n = 0;

	while (n < report->job->coverage.n_signatures &&
	       (!report->job->signatures->list.at[order[n]].is_retired ||
		report->job->coverage.signatures[order[n]].total_ns))
		n++;
	return n;
}

static void print_table(FILE *out, const struct lode_coverage_report *report, const uint32_t *order,
			size_t n)
{
	struct lode_sheet *sheet = lode_sheet_new(sheet_columns, N_COLUMNS, 0);
	size_t room;

	for (size_t i = 0; i < n; i++)
		set_numbers(sheet, report, order[i]);
	room = lode_sheet_fit(sheet, report->columns, 24, WORST, NULL);
	for (size_t i = 0; i < n; i++)
		set_worst(sheet, report, i, order[i], room);
	fputc('\n', out);
	lode_sheet_print(sheet, out, report->is_terminal);
	lode_sheet_free(sheet);
}

static void print_rest(FILE *out, const struct lode_coverage_report *report, size_t n_listed)
{
	const struct lode_stream_cover *all = &report->job->coverage.all;
	const char *unit = digest_of(report)->unit;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];
	size_t n_quiet = report->job->coverage.n_signatures - n_listed;
	int64_t rest = all->aoi_ns - all->covered_ns;

	fputc('\n', out);
	if (shown(report, n_listed) < n_listed)
		fprintf(out, "%zu more; --top 0 shows all.\n", n_listed - shown(report, n_listed));
	if (n_quiet)
		fprintf(out, "%zu retired %s not come back.\n", n_quiet,
			n_quiet == 1 ? "signature has" : "signatures have");
	fprintf(out, "Not explained: %s (%s)", lode_format_cost(a, rest, unit),
		lode_format_share(b, rest, all->symptom_ns));
	if (all->returned_ns)
		fprintf(out, "; retired signatures alone match %s of it",
			lode_format_cost(a, all->returned_ns, unit));
	fputs(".\n", out);
	if (all->aoi_ns != all->symptom_ns)
		fprintf(out, "Area of interest: %s, %s of the symptoms' time.\n",
			lode_format_cost(a, all->aoi_ns, unit),
			lode_format_share(b, all->aoi_ns, all->symptom_ns));
}

/* ---- By groups ---- */

/* As many of the last groups as fit beside the names. */
static size_t first_group(const struct lode_coverage_report *report, size_t name_width)
{
	const struct lode_coverage_job *job = report->job;
	size_t first = job->trend.n_groups, used = name_width, width;

	while (first > 0 && job->trend.n_groups - first < MOST_GROUPS) {
		width = lode_escape_width(job->groups[first - 1]);
		width = width > GROUP_COLUMNS ? GROUP_COLUMNS : width < 7 ? 7 : width;
		if (used + 2 + width > report->columns && first < job->trend.n_groups)
			break;
		used += 2 + width;
		first--;
	}
	return first;
}

static void set_share(struct lode_table *table, size_t row, size_t column, int64_t part,
		      int64_t whole)
{
	char text[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s", part ? lode_format_share(text, part, whole) : "-");
}

static void print_trend(FILE *out, const struct lode_coverage_report *report, const uint32_t *order,
			size_t n)
{
	const struct lode_signature_trend *trend = &report->job->trend;
	struct lode_table_column columns[MOST_GROUPS + 1] = {{"share of symptom time", false}};
	char titles[MOST_GROUPS][4 * GROUP_COLUMNS + 8], name[1024];
	size_t name_width = strlen(columns[0].title), first, n_shown, row;
	struct lode_table *table;

	for (size_t i = 0; i < n; i++) {
		size_t width = lode_escape_width(report->job->signatures->list.at[order[i]].name);

		width = width > NAME_COLUMNS ? NAME_COLUMNS : width;
		name_width = width > name_width ? width : name_width;
	}
	first = first_group(report, name_width);
	n_shown = trend->n_groups - first;
	for (size_t g = 0; g < n_shown; g++)
		columns[g + 1] = (struct lode_table_column){
			lode_escape_fit(titles[g], sizeof(titles[g]),
					report->job->groups[first + g], GROUP_COLUMNS),
			true};
	table = lode_table_new(columns, n_shown + 1, 0);
	for (size_t i = 0; i < n; i++) {
		row = lode_table_row(table);
		lode_table_set(table, row, 0, "%s",
			       lode_escape_fit(name, sizeof(name),
					       report->job->signatures->list.at[order[i]].name,
					       NAME_COLUMNS));
		for (size_t g = first; g < trend->n_groups; g++)
			set_share(table, row, g - first + 1,
				  lode_trend_cell(trend, order[i], g)->total_ns,
				  trend->groups[g].symptom_ns);
	}
	row = lode_table_row(table);
	lode_table_set(table, row, 0, "any of them");
	for (size_t g = first; g < trend->n_groups; g++)
		set_share(table, row, g - first + 1, trend->groups[g].covered_ns,
			  trend->groups[g].symptom_ns);
	row = lode_table_row(table);
	lode_table_set(table, row, 0, "streams");
	for (size_t g = first; g < trend->n_groups; g++)
		lode_table_set(table, row, g - first + 1, "%u", trend->n_streams[g]);
	fprintf(out, "\nBy %s%s:\n\n",
		lode_escape_fit(name, sizeof(name), report->job->by, NAME_COLUMNS),
		first ? ", the last of them" : "");
	lode_table_print(table, out, report->is_terminal);
	lode_table_free(table);
	if (first)
		fprintf(out, "\n%zu before these; --json has all.\n", first);
}

void lode_coverage_report_text(FILE *out, const struct lode_coverage_report *report)
{
	uint32_t *order = lode_coverage_order(report);
	size_t n_listed = count_listed(report, order), n = shown(report, n_listed);

	print_heading(out, report);
	if (n)
		print_table(out, report, order, n);
	print_rest(out, report, n_listed);
	if (report->job->by)
		print_trend(out, report, order, n);
	free(order);
}
