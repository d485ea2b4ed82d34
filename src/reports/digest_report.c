#include "reports/digest_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "job/shape.h"
#include "reports/input_fields.h"
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

/* ---- The document ---- */

static const char *const states[] = {
	[LODE_DIGEST_MADE] = "made",
	[LODE_DIGEST_KEPT] = "kept",
	[LODE_DIGEST_GIVEN] = "given",
	NULL,
};

#define OUTPUT(key, member, text) \
	LODE_FIELD_AS(key, struct lode_digest_output, member, text, .is_positive = true)

static const struct lode_field output_fields[] = {
	LODE_FIELD(struct lode_digest_output, path, "the input"),
	LODE_FIELD_AS("digest", struct lode_digest_output, digest_path, "its digest"),
	LODE_FIELD_CHOICE("state", struct lode_digest_output, state, states, NULL),
	OUTPUT("input_bytes", input_bytes, "size of the recording on disk"),
	OUTPUT("content_bytes", content_bytes, "its size, uncompressed; 0: not known"),
	OUTPUT("digest_bytes", digest_bytes, NULL),
	OUTPUT("symptoms", n_symptoms, NULL),
	OUTPUT("rows", n_rows, "distinct stack, symptom, kind of event, reason and waker"),
	LODE_FIELDS_END,
};
static const struct lode_record output_record = {"digest", output_fields,
						 sizeof(struct lode_digest_output)};

struct merged {
	const char *path;
	int64_t bytes;
	size_t n_streams, n_symptoms, n_rows;
};

static const struct lode_field merged_fields[] = {
	LODE_FIELD(struct merged, path, NULL),
	LODE_FIELD(struct merged, bytes, NULL, .is_positive = true),
	LODE_FIELD_AS("streams", struct merged, n_streams, NULL),
	LODE_FIELD_AS("symptoms", struct merged, n_symptoms, NULL),
	LODE_FIELD_AS("rows", struct merged, n_rows, NULL),
	LODE_FIELDS_END,
};
static const struct lode_record merged_record = {"merged", merged_fields, sizeof(struct merged)};

struct digests {
	const struct lode_digest_job *job;
	const char *folder;
	struct sums sums;
	const char **shape;
	size_t n_shape;
	const struct lode_digest_output *list;
	size_t n_listed, n_more;
	const struct merged *merged;
};

static const struct lode_field count_fields[] = {
	LODE_FIELD_AS("streams", struct lode_digest_job, n_inputs,
		      "recordings, those inside of digests and those that were skipped included"),
	LODE_FIELDS_END,
};
static const struct lode_record count_record = {"streams", count_fields,
						sizeof(struct lode_digest_job)};

static const struct lode_field symptom_fields[] = {
	LODE_FIELD_AS("symptoms", struct lode_digest_job, symptom_text,
		      "what counted as a symptom, in words"),
	LODE_FIELDS_END,
};
static const struct lode_record symptom_record = {"symptoms", symptom_fields,
						  sizeof(struct lode_digest_job)};

#define SUM(key, member, text) \
	LODE_FIELD_AS(key, struct digests, sums.member, text, .is_positive = true)

static const struct lode_field digests_fields[] = {
	LODE_FIELDS_AT(struct digests, job, &count_record),
	LODE_FIELD(struct digests, folder, "where digests are kept", .absent = "without -o"),
	SUM("made", n_made, "digests that were made by this run"),
	SUM("kept", n_kept, "digests that were there and up to date"),
	SUM("given", n_given, "inputs that are digests"),
	SUM("input_bytes", input_bytes,
	    "size on disk of the recordings whose digests are in the folder"),
	SUM("content_bytes", content_bytes,
	    "size of these recordings, uncompressed; 0: not known of all"),
	SUM("digest_bytes", digest_bytes, "size of these digests"),
	LODE_FIELDS_AT(struct digests, job, &symptom_record),
	LODE_COLUMN("shape", struct digests, shape, n_shape,
		    "the options that decide what is in these digests: only those of one shape can "
		    "be mined together"),
	LODE_LIST("digests", struct digests, list, n_listed, &output_record, "in input order"),
	LODE_FIELD_AS("more", struct digests, n_more, "digests left out by --top",
		      .absent = "none was"),
	LODE_FIELD_POINTER("merged", struct digests, merged, &merged_record, "the digest of all",
			   .absent = "without --merge"),
	LODE_FIELDS_AT(struct digests, job, &lode_job_inputs_record),
	LODE_FIELDS_END,
};
static const struct lode_record digests_record = {"digests", digests_fields,
						  sizeof(struct digests)};

const struct lode_document lode_digest_document = {
	.schema = "lode/digest/1",
	.file = "digest",
	.title = "lode digest --json",
	.record = &digests_record,
};

void lode_digest_report_json(FILE *out, const struct lode_digest_report *report)
{
	const struct lode_digest_job *job = report->job;
	size_t n = job->outputs.n;
	struct lode_arena arena = {0};
	struct merged merged;
	struct digests digests = {
		.job = job,
		.folder = report->folder,
		.sums = sum_up(report),
		.list = job->outputs.at,
		.n_listed = report->top && report->top < n ? report->top : n,
	};

	digests.n_more = n - digests.n_listed;
	digests.shape = lode_shape_lines(job->origin.shape, &digests.n_shape, &arena);
	if (report->merged) {
		merged = (struct merged){report->merged, report->merged_bytes,
					 job->digest->streams.n, job->digest->symptoms.n,
					 job->digest->rows.n};
		digests.merged = &merged;
	}
	lode_document_put(out, &lode_digest_document, &digests, NULL);
	lode_arena_release(&arena);
}
