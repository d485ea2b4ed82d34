#include <string.h>

#include "base/escape.h"
#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/repo_report.h"
#include "reports/units.h"

static const char *const states[] = {
	[LODE_REPO_ADDED] = "added",
	[LODE_REPO_THERE] = "there",
	[LODE_REPO_REPLACED] = "replaced",
	[LODE_REPO_OVERLAPS] = "overlaps",
};

void lode_import_report_line(FILE *out, const char *path, enum lode_repo_added added,
			     size_t n_streams)
{
	char safe[8192];

	fprintf(out, "%s  %s", states[added], lode_escape(safe, sizeof(safe), path));
	if (n_streams > 1)
		fprintf(out, " (%zu streams)", n_streams);
	fputc('\n', out);
}

void lode_import_report_text(FILE *out, const struct lode_import_report *report)
{
	const struct lode_import *import = report->import;
	char path[4096], n[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], bytes[LODE_UNITS_BUFFER];

	fprintf(out, "%s added", lode_format_plural(n, import->n_streams_added, "stream"));
	if (import->n_replaced)
		fprintf(out, ", %s replaced", lode_format_plural(n, import->n_replaced, "input"));
	if (import->n_there)
		fprintf(out, ", %s there already", lode_format_plural(n, import->n_there, "input"));
	if (import->job.skipped.n)
		fprintf(out, ", %s skipped", lode_format_plural(n, import->job.skipped.n, "input"));
	fprintf(out, "; %s: %s, %s\n",
		lode_escape(path, sizeof(path), lode_repo_path(report->repo)),
		lode_format_plural(all, (uint64_t)report->sums.n_streams, "stream"),
		lode_format_bytes(bytes, report->sums.file_bytes));
}

void lode_import_report_json(FILE *out, const struct lode_import_report *report)
{
	const struct lode_import *import = report->import;
	struct lode_json *json = lode_json_open(out, "lode/import/1");
	size_t n = import->inputs.n;
	size_t n_shown = report->top && report->top < n ? report->top : n;

	lode_json_text(json, "repo", lode_repo_path(report->repo));
	lode_json_int(json, "streams", report->sums.n_streams);
	lode_json_int(json, "streams_added", (int64_t)import->n_streams_added);
	lode_json_int(json, "added", (int64_t)import->n_added);
	lode_json_int(json, "there", (int64_t)import->n_there);
	lode_json_int(json, "replaced", (int64_t)import->n_replaced);
	lode_json_array(json, "inputs");
	for (size_t i = 0; i < n_shown; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "path", import->inputs.at[i].path);
		lode_json_text(json, "state", states[import->inputs.at[i].added]);
		lode_json_int(json, "streams", (int64_t)import->inputs.at[i].n_streams);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_more(json, "more", n, n_shown);
	lode_json_job_inputs(json, &import->job);
	lode_json_close(json);
}
