#include "reports/analyze_report.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "reports/json.h"
#include "reports/units.h"

/* What a set of files is called, in the order of enum lode_survey_kind. */
static const struct {
	const char *key, *noun;
} kinds[LODE_N_SURVEY_KINDS] = {
	{"recordings", "recording"},
	{"function_traces", "function trace"},
	{"request_logs", "request log"},
	{"counter_files", "counter file"},
	{"models", "model"},
	{"pages", "page"},
};

enum { LINES = 10, MAX_DETAILS = 6 };

static size_t count(const struct lode_survey *survey, int kind)
{
	size_t n = 0;

	for (size_t i = 0; i < survey->folders.n; i++)
		n += survey->folders.at[i].of[kind].n;
	return n;
}

size_t lode_analyze_details(size_t n_runs)
{
	size_t each = n_runs ? LINES / n_runs : LINES;

	/* The line above them says what the analysis found as a whole. */
	return each < 2 ? 1 : each > MAX_DETAILS ? MAX_DETAILS : each - 1;
}

static void put_found(struct lode_json *json, const struct lode_survey *survey)
{
	lode_json_object(json, "found");
	for (int kind = 0; kind < LODE_N_SURVEY_KINDS; kind++)
		lode_json_int(json, kinds[kind].key, (int64_t)count(survey, kind));
	lode_json_int(json, "other_files", (int64_t)survey->n_other);
	lode_json_end_object(json);
	lode_json_array(json, "unread");
	for (size_t i = 0; i < survey->unread.n; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "path", survey->unread.at[i].path);
		lode_json_text(json, "reason", survey->unread.at[i].reason);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_finding(struct lode_json *json, const struct lode_finding *finding)
{
	lode_json_object(json, NULL);
	lode_json_text(json, "text", finding->text);
	if (!isnan(finding->share))
		lode_json_number(json, "share", finding->share);
	lode_json_array(json, "path");
	if (finding->path)
		lode_json_text(json, NULL, finding->path);
	lode_json_end_array(json);
	lode_json_object(json, "params");
	for (size_t i = 0; i < LODE_FINDING_PARAMS && finding->params[i].name; i++)
		lode_json_text(json, finding->params[i].name, finding->params[i].value);
	lode_json_end_object(json);
	lode_json_end_object(json);
}

void lode_analyze_json(FILE *out, const struct lode_analyze_report *report)
{
	struct lode_json *json = lode_json_open(out, "lode/analyze/1");

	lode_json_array(json, "inputs");
	for (size_t i = 0; i < report->n_inputs; i++)
		lode_json_text(json, NULL, report->inputs[i]);
	lode_json_end_array(json);
	put_found(json, report->survey);
	lode_json_array(json, "runs");
	for (size_t i = 0; i < report->n_runs; i++) {
		const struct lode_analyze_run *run = &report->runs[i];

		lode_json_object(json, NULL);
		lode_json_text(json, "analysis", run->analysis);
		lode_json_text(json, "title", run->title);
		lode_json_text(json, "command", run->command);
		if (run->report)
			lode_json_text(json, "report", run->report);
		else
			lode_json_null(json, "report");
		lode_json_int(json, "exit_code", run->exit_code);
		lode_json_int(json, "elapsed_ns", run->elapsed_ns);
		lode_json_text(json, "summary", run->findings.summary);
		lode_json_array(json, "details");
		for (size_t k = 0; k < run->findings.n_details; k++)
			put_finding(json, &run->findings.details[k]);
		lode_json_end_array(json);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_close(json);
}

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
		if (!count(report->survey, kind))
			continue;
		fprintf(out, "%s%s", parting,
			lode_format_plural(n, count(report->survey, kind), kinds[kind].noun));
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
