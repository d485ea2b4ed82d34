/* Fields of the document of lode digest. */
#include "answers/digest/digest.h"
#include "answers/input_fields.h"

static const char *const states[] = {
	[LODE_DIGEST_MADE] = "made",
	[LODE_DIGEST_KEPT] = "kept",
	[LODE_DIGEST_GIVEN] = "given",
	NULL,
};

#define OUTPUT(key, member, text) \
	LODE_FIELD_AS(key, struct lode_digest_output, member, text, .is_positive = true)

static const struct lode_field output_fields[] = {
	LODE_FIELD(struct lode_digest_output, path, "path of the input"),
	LODE_FIELD_AS("digest", struct lode_digest_output, digest_path, "path of its digest"),
	LODE_FIELD_CHOICE("state", struct lode_digest_output, state, states, NULL),
	OUTPUT("input_bytes", input_bytes, "size of the recording on disk"),
	OUTPUT("content_bytes", content_bytes, "uncompressed size; 0: unknown"),
	OUTPUT("digest_bytes", digest_bytes, NULL),
	OUTPUT("symptoms", n_symptoms, NULL),
	OUTPUT("rows", n_rows,
	       "distinct combinations of stack, symptom, kind of event, wait reason and waker"),
};
LODE_RECORD(output, struct lode_digest_output);

static const struct lode_field merged_fields[] = {
	LODE_FIELD(struct lode_digest_merged, path, NULL),
	LODE_FIELD(struct lode_digest_merged, bytes, NULL, .is_positive = true),
	LODE_FIELD_AS("streams", struct lode_digest_merged, n_streams, NULL),
	LODE_FIELD_AS("symptoms", struct lode_digest_merged, n_symptoms, NULL),
	LODE_FIELD_AS("rows", struct lode_digest_merged, n_rows, NULL),
};
LODE_RECORD(merged, struct lode_digest_merged);

static const struct lode_field count_fields[] = {
	LODE_FIELD_AS("streams", struct lode_digest_job, n_inputs,
		      "recordings, including those inside digests and those skipped"),
};
LODE_RECORD(count, struct lode_digest_job);

static const struct lode_field symptom_fields[] = {
	LODE_FIELD_AS("symptoms", struct lode_digest_job, symptom_text,
		      "description of what counts as a symptom"),
};
LODE_RECORD(symptom, struct lode_digest_job);

#define SUM(key, member, text) \
	LODE_FIELD_AS(key, struct lode_digest_answer, sums.member, text, .is_positive = true)

static const struct lode_field digests_fields[] = {
	LODE_FIELDS_OF(struct lode_digest_answer, opening, &lode_opening_record),
	LODE_FIELDS_AT(struct lode_digest_answer, job, &count_record),
	LODE_FIELD(struct lode_digest_answer, folder, "folder of the digests",
		   .absent = "-o is not given"),
	SUM("made", n_made, "digests made by this run"),
	SUM("kept", n_kept, "existing digests that were up to date"),
	SUM("given", n_given, "inputs that are digests"),
	SUM("input_bytes", input_bytes,
	    "size on disk of the recordings with digests in the folder"),
	SUM("content_bytes", content_bytes,
	    "uncompressed size of these recordings; 0: unknown for some"),
	SUM("digest_bytes", digest_bytes, "size of these digests"),
	LODE_FIELDS_AT(struct lode_digest_answer, job, &symptom_record),
	LODE_COLUMN("shape", struct lode_digest_answer, shape, n_shape,
		    "options that determine the contents of these digests: only digests of the "
		    "same shape can be mined together"),
	LODE_LIST("digests", struct lode_digest_answer, list, n_listed, &output_record,
		  "in input order"),
	LODE_FIELD_AS("more", struct lode_digest_answer, n_more, "digests left out by --top",
		      .absent = "none were"),
	LODE_FIELD_POINTER("merged", struct lode_digest_answer, merged, &merged_record,
			   "path of the merged digest", .absent = "--merge is not given"),
	LODE_FIELDS_AT(struct lode_digest_answer, job, &lode_job_inputs_record),
};
LODE_RECORD(digests, struct lode_digest_answer);

const struct lode_document lode_digest_document = {
	.schema = "lode/digest/1",
	.file = "digest",
	.title = "lode digest --json",
	.record = &digests_record,
};
