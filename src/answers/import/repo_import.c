#include <string.h>

#include "base/escape.h"
#include "answers/repo/repo_fields.h"
#include "answers/repo/repo_report.h"
#include "document/units.h"

void lode_import_report_line(FILE *out, const char *path, enum lode_repo_added added,
			     size_t n_streams)
{
	char safe[8192];

	fprintf(out, "%s  %s", lode_repo_added_names[added], lode_escape(safe, sizeof(safe), path));
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
	size_t n = import->inputs.n;
	size_t n_shown = report->top && report->top < n ? report->top : n;
	struct lode_import_summary summary = {
		.repo = lode_repo_path(report->repo),
		.n_streams = report->sums.n_streams,
		.import = import,
		.inputs = import->inputs.at,
		.n_inputs = n_shown,
		.n_more = n - n_shown,
	};

	lode_document_put(out, &lode_import_document, &summary, NULL);
}
