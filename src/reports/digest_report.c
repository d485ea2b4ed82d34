#include "reports/digest_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/units.h"

struct sums {
	size_t n_made, n_kept, n_given;
	int64_t input_bytes, digest_bytes; /* of those in the folder */
	int64_t content_bytes;		   /* 0: not known of all */
};

static struct sums sum_up(const struct lode_digest_report *report)
{
	struct sums sums = {0};
	bool is_known = true;

	for (size_t i = 0; i < report->job->outputs.n; i++) {
		const struct lode_digest_output *output = &report->job->outputs.at[i];

		if (output->state == LODE_DIGEST_GIVEN) {
			sums.n_given++;
			continue;
		}
		sums.n_made += output->state == LODE_DIGEST_MADE;
		sums.n_kept += output->state == LODE_DIGEST_KEPT;
		sums.input_bytes += output->input_bytes;
		sums.digest_bytes += output->digest_bytes;
		sums.content_bytes += output->content_bytes;
		is_known &= output->content_bytes > 0;
	}
	if (!is_known)
		sums.content_bytes = 0;
	return sums;
}

/* Compressed recordings have two sizes, and a share of each. */
static void put_share(FILE *out, int64_t bytes, int64_t content_bytes, int64_t input_bytes)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];
	bool is_compressed = content_bytes > input_bytes;
	int64_t of_bytes = is_compressed ? content_bytes : input_bytes;

	fprintf(out, "%s", lode_format_bytes(a, bytes));
	if (of_bytes > 0)
		fprintf(out, ", %s of %s recordings", lode_format_share(share, bytes, of_bytes),
			lode_format_bytes(b, of_bytes));
	if (is_compressed)
		fprintf(out, ", %s of the %s they take compressed",
			lode_format_share(share, bytes, input_bytes),
			lode_format_bytes(b, input_bytes));
}

void lode_digest_report_text(FILE *out, const struct lode_digest_report *report)
{
	struct sums sums = sum_up(report);
	size_t n = sums.n_made + sums.n_kept;
	char name[4096];

	if (report->folder) {
		fprintf(out, "%zu digest%s in %s (%zu made, %zu kept): ", n, n == 1 ? "" : "s",
			lode_escape(name, sizeof(name), report->folder), sums.n_made, sums.n_kept);
		put_share(out, sums.digest_bytes, sums.content_bytes, sums.input_bytes);
		fputc('\n', out);
	}
	if (report->merged) {
		fprintf(out,
			"%llu stream%s in %s: ", (unsigned long long)report->job->digest->streams.n,
			report->job->digest->streams.n == 1 ? "" : "s",
			lode_escape(name, sizeof(name), report->merged));
		put_share(out, report->merged_bytes, report->job->origin.content_bytes,
			  report->job->input_bytes);
		fputc('\n', out);
	}
}

static void put_outputs(struct lode_json *json, const struct lode_digest_report *report)
{
	static const char *const states[] = {"made", "kept", "given"};
	size_t n = report->job->outputs.n;
	size_t n_shown = report->top && report->top < n ? report->top : n;

	lode_json_array(json, "digests");
	for (size_t i = 0; i < n_shown; i++) {
		const struct lode_digest_output *output = &report->job->outputs.at[i];

		lode_json_object(json, NULL);
		lode_json_text(json, "path", output->path);
		lode_json_text(json, "digest", output->digest_path);
		lode_json_text(json, "state", states[output->state]);
		lode_json_int(json, "input_bytes", output->input_bytes);
		lode_json_int(json, "content_bytes", output->content_bytes);
		lode_json_int(json, "digest_bytes", output->digest_bytes);
		lode_json_int(json, "symptoms", (int64_t)output->n_symptoms);
		lode_json_int(json, "rows", (int64_t)output->n_rows);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_more(json, "more", n, n_shown);
}

void lode_digest_report_json(FILE *out, const struct lode_digest_report *report)
{
	const struct lode_digest_job *job = report->job;
	struct lode_json *json = lode_json_open(out, "lode/digest/1");
	struct sums sums = sum_up(report);

	lode_json_int(json, "streams", (int64_t)job->n_inputs);
	if (report->folder)
		lode_json_text(json, "folder", report->folder);
	lode_json_int(json, "made", (int64_t)sums.n_made);
	lode_json_int(json, "kept", (int64_t)sums.n_kept);
	lode_json_int(json, "given", (int64_t)sums.n_given);
	lode_json_int(json, "input_bytes", sums.input_bytes);
	lode_json_int(json, "content_bytes", sums.content_bytes);
	lode_json_int(json, "digest_bytes", sums.digest_bytes);
	lode_json_text(json, "symptoms", job->symptom_text);
	lode_json_shape(json, job->origin.shape);
	put_outputs(json, report);
	if (report->merged) {
		lode_json_object(json, "merged");
		lode_json_text(json, "path", report->merged);
		lode_json_int(json, "bytes", report->merged_bytes);
		lode_json_int(json, "streams", (int64_t)job->digest->streams.n);
		lode_json_int(json, "symptoms", (int64_t)job->digest->symptoms.n);
		lode_json_int(json, "rows", (int64_t)job->digest->rows.n);
		lode_json_end_object(json);
	}
	lode_json_job_inputs(json, job);
	lode_json_close(json);
}
