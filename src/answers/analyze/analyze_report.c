#include "answers/analyze/analyze_report.h"

#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "document/units.h"

/* In the order of enum lode_survey_kind. */
static const char *const nouns[LODE_N_SURVEY_KINDS] = {
	"recording", "function trace", "request log", "counter file", "model", "page",
};

enum { LINES = 10, MAX_DETAILS = 6 };

void lode_analyze_count(struct lode_analyze_report *report)
{
	const struct lode_survey *survey = report->survey;

	memset(report->n_found, 0, sizeof(report->n_found));
	for (size_t i = 0; i < survey->folders.n; i++)
		for (int kind = 0; kind < LODE_N_SURVEY_KINDS; kind++)
			report->n_found[kind] += survey->folders.at[i].of[kind].n;
	report->n_found[LODE_SURVEY_OTHER] = survey->n_other;
}

size_t lode_analyze_details(size_t n_runs)
{
	size_t each = n_runs ? LINES / n_runs : LINES;

	/* The line above them says what the analysis found as a whole. */
	return each < 2 ? 1 : each > MAX_DETAILS ? MAX_DETAILS : each - 1;
}

/* ---- The document ---- */

struct detail_row {
	const char *text;
	double share;
	const char *const *path;
	size_t n_path;
	const struct lode_finding_param *params;
	size_t n_params;
};

static void make_detail(void *row, const void *owner, size_t i)
{
	const struct lode_finding *finding =
		&((const struct lode_analyze_run *)owner)->findings.details[i];
	struct detail_row *out = row;

	*out = (struct detail_row){.text = finding->text,
				   .share = finding->share,
				   .path = &finding->path,
				   .n_path = finding->path != NULL,
				   .params = finding->params};
	while (out->n_params < LODE_FINDING_PARAMS && finding->params[out->n_params].name)
		out->n_params++;
}

static const struct lode_field param_fields[] = {
	LODE_FIELD(struct lode_finding_param, name, NULL),
	LODE_FIELD(struct lode_finding_param, value, NULL),
};
LODE_RECORD(param, struct lode_finding_param);

static const struct lode_field detail_fields[] = {
	LODE_FIELD(struct detail_row, text, NULL),
	LODE_FIELD(struct detail_row, share, "of what the summary names",
		   .absent = "it is no part of that", .is_positive = true, .most = 1),
	LODE_COLUMN("path", struct detail_row, path, n_path,
		    "where it is on the report's page: the steps of the address behind the "
		    "report's name"),
	LODE_MAP_FIELD("params", struct detail_row, params, n_params, &param_record,
		       "and the address's parameters"),
};
LODE_RECORD(detail, struct detail_row);

static const char *const analyses[] = {"mine", "triage", "suspects", "timeline",
				       "pio",  "page",	 NULL};

static const struct lode_field run_fields[] = {
	LODE_FIELD(struct lode_analyze_run, analysis, NULL, .choices = analyses),
	LODE_FIELD(struct lode_analyze_run, title, "the folder or file that it is of"),
	LODE_FIELD(struct lode_analyze_run, command,
		   "the same, to be run by hand; empty of a page that was read"),
	LODE_FIELD(struct lode_analyze_run, report, "its name among the reports of the page",
		   .absent = "it gave none", .is_null = true),
	LODE_FIELD(struct lode_analyze_run, exit_code, NULL),
	LODE_FIELD(struct lode_analyze_run, elapsed_ns, NULL, .is_positive = true),
	LODE_FIELD_AS("summary", struct lode_analyze_run, findings.summary, NULL),
	LODE_ROWS("details", struct lode_analyze_run, findings.n_details, make_detail,
		  &detail_record, "what it found, the worst first"),
};
LODE_RECORD(run, struct lode_analyze_run);

#define FOUND(key, kind) LODE_FIELD_AS(key, struct lode_analyze_report, n_found[kind], NULL)

static const struct lode_field found_fields[] = {
	FOUND("recordings", LODE_SURVEY_RECORDING),  FOUND("function_traces", LODE_SURVEY_CALLS),
	FOUND("request_logs", LODE_SURVEY_REQUESTS), FOUND("counter_files", LODE_SURVEY_COUNTERS),
	FOUND("models", LODE_SURVEY_MODEL),	     FOUND("pages", LODE_SURVEY_PAGE),
	FOUND("other_files", LODE_SURVEY_OTHER),
};
LODE_RECORD(found, struct lode_analyze_report);

static const struct lode_field unread_fields[] = {
	LODE_FIELD(struct lode_survey_unread, path, NULL),
	LODE_FIELD(struct lode_survey_unread, reason, NULL),
};
LODE_RECORD(unread, struct lode_survey_unread);

static const struct lode_field survey_fields[] = {
	LODE_LIST("unread", struct lode_survey, unread.at, unread.n, &unread_record, NULL),
};
LODE_RECORD(survey, struct lode_survey);

static const struct lode_field report_fields[] = {
	LODE_COLUMN("inputs", struct lode_analyze_report, inputs, n_inputs, NULL),
	LODE_RECORD_HERE("found", &found_record, "files by what they are"),
	LODE_FIELDS_AT(struct lode_analyze_report, survey, &survey_record),
	LODE_LIST("runs", struct lode_analyze_report, runs, n_runs, &run_record, NULL),
};
LODE_RECORD(report, struct lode_analyze_report);

const struct lode_document lode_analyze_document = {
	.schema = "lode/analyze/1",
	.file = "analyze",
	.title = "lode analyze --json",
	.doc = "What was there, which analyses ran on it, and what each found.",
	.record = &report_record,
};

/* ---- Text ---- */

static void put_line(FILE *out, const struct lode_analyze_report *report, unsigned indent,
		     const char *text)
{
	char line[2400];

	fprintf(out, "%*s%s\n", (int)indent, "",
		lode_escape_fit(line, sizeof(line), text, report->columns - indent));
}

static void put_heading(FILE *out, const struct lode_analyze_report *report,
			const struct lode_analyze_run *run)
{
	char text[800], line[3300];

	snprintf(text, sizeof(text), "%s  %s", run->analysis, run->title);
	fprintf(out, "%s%s%s\n", report->is_terminal ? "\033[1m" : "",
		lode_escape_fit(line, sizeof(line), text, report->columns),
		report->is_terminal ? "\033[0m" : "");
}

void lode_analyze_text(FILE *out, const struct lode_analyze_report *report)
{
	char n[LODE_UNITS_BUFFER];
	const char *parting = "";

	for (int kind = 0; kind < LODE_N_SURVEY_KINDS; kind++) {
		if (!report->n_found[kind])
			continue;
		fprintf(out, "%s%s", parting,
			lode_format_plural(n, report->n_found[kind], nouns[kind]));
		parting = ", ";
	}
	if (report->survey->n_other)
		fprintf(out, "; %s skipped",
			lode_format_plural(n, report->survey->n_other, "file"));
	fputc('\n', out);
	for (size_t i = 0; i < report->n_runs; i++) {
		const struct lode_analyze_run *run = &report->runs[i];

		fputc('\n', out);
		put_heading(out, report, run);
		if (!run->report)
			put_line(out, report, 2, "gave nothing; what it said stands above");
		else
			put_line(out, report, 2, run->findings.summary);
		for (size_t k = 0; k < run->findings.n_details; k++)
			put_line(out, report, 4, run->findings.details[k].text);
	}
}
