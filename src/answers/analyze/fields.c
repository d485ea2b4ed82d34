/* The document of lode analyze. */
#include "answers/analyze/analyze.h"

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
	LODE_FIELD(struct detail_row, share, "share of the total that the summary names",
		   .absent = "it is not a part of that", .is_positive = true, .most = 1),
	LODE_COLUMN("path", struct detail_row, path, n_path,
		    "location on the report's page: path components of the URL after the report's "
		    "name"),
	LODE_MAP_FIELD("params", struct detail_row, params, n_params, &param_record,
		       "query parameters of that URL"),
};
LODE_RECORD(detail, struct detail_row);

static const char *const analyses[] = {"mine", "triage", "suspects", "timeline",
				       "pio",  "page",	 NULL};

static const struct lode_field run_fields[] = {
	LODE_FIELD(struct lode_analyze_run, analysis, NULL, .choices = analyses),
	LODE_FIELD(struct lode_analyze_run, title, "the folder or file analysed"),
	LODE_FIELD(struct lode_analyze_run, command,
		   "the equivalent command line; empty for an existing page that was read"),
	LODE_FIELD(struct lode_analyze_run, report, "name of its report on the page",
		   .absent = "it produced none", .is_null = true),
	LODE_FIELD(struct lode_analyze_run, exit_code, NULL),
	LODE_FIELD(struct lode_analyze_run, elapsed_ns, NULL, .is_positive = true),
	LODE_FIELD_AS("summary", struct lode_analyze_run, findings.summary,
		      "the report's main finding"),
	LODE_FIELD_AS("next_command", struct lode_analyze_run, findings.next_command,
		      "the command to run next, quoted for a shell",
		      .absent = "there is no next step"),
	LODE_ROWS("details", struct lode_analyze_run, findings.n_details, make_detail,
		  &detail_record, "findings, worst first"),
};
LODE_RECORD(run, struct lode_analyze_run);

#define FOUND(key, kind) LODE_FIELD_AS(key, struct lode_analyze_answer, n_found[kind], NULL)

static const struct lode_field found_fields[] = {
	FOUND("recordings", LODE_SURVEY_RECORDING),  FOUND("function_traces", LODE_SURVEY_CALLS),
	FOUND("request_logs", LODE_SURVEY_REQUESTS), FOUND("counter_files", LODE_SURVEY_COUNTERS),
	FOUND("models", LODE_SURVEY_MODEL),	     FOUND("pages", LODE_SURVEY_PAGE),
	FOUND("other_files", LODE_SURVEY_OTHER),
};
LODE_RECORD(found, struct lode_analyze_answer);

static const struct lode_field unread_fields[] = {
	LODE_FIELD(struct lode_survey_unread, path, NULL),
	LODE_FIELD(struct lode_survey_unread, reason, NULL),
};
LODE_RECORD(unread, struct lode_survey_unread);

static const struct lode_field survey_fields[] = {
	LODE_LIST("unread", struct lode_survey, unread.at, unread.n, &unread_record, NULL),
};
LODE_RECORD(survey, struct lode_survey);

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_analyze_answer, opening, &lode_opening_record),
	LODE_COLUMN("inputs", struct lode_analyze_answer, inputs, n_inputs, NULL),
	LODE_RECORD_HERE("found", &found_record, "number of input files by type"),
	LODE_FIELDS_AT(struct lode_analyze_answer, survey, &survey_record),
	LODE_LIST("runs", struct lode_analyze_answer, runs, n_runs, &run_record, NULL),
};
LODE_RECORD(answer, struct lode_analyze_answer);

const struct lode_document lode_analyze_document = {
	.schema = "lode/analyze/1",
	.file = "analyze",
	.title = "lode analyze --json",
	.doc = "The input files, the analyses that ran on them, and what each one found.",
	.record = &answer_record,
};
