/* Fields of the document of lode triage. */
#include "answers/triage/triage.h"
#include "answers/input_fields.h"

static const struct lode_field cover_fields[] = {
	LODE_FIELDS_HERE(&lode_cover_times_record),
	LODE_FIELD(struct lode_cover, unexplained_ns, "aoi_ns - covered_ns", .is_positive = true),
	LODE_FIELDS_HERE(&lode_cover_share_record),
};
LODE_RECORD(cover, struct lode_cover);

/* ---- A stream ---- */

static const char *const states[] = {"active", "retired", NULL};

static const struct lode_field known_fields[] = {
	LODE_FIELD(struct lode_triage_known, name, NULL),
	LODE_FIELD_CHOICE("state", struct lode_triage_known, is_retired, states, NULL),
	LODE_FIELD(struct lode_triage_known, owner, NULL),
	LODE_FIELD(struct lode_triage_known, bug, NULL),
	LODE_FIELD(struct lode_triage_known, total_ns, NULL, .is_positive = true),
	LODE_FIELD(struct lode_triage_known, exclusive_ns, NULL, .is_positive = true),
	LODE_FIELD_AS("events", struct lode_triage_known, n_events, NULL),
};
LODE_RECORD(known, struct lode_triage_known);

static const struct lode_field stream_fields[] = {
	LODE_FIELD_ID("id", struct lode_triage_stream, id, NULL),
	LODE_FIELD(struct lode_triage_stream, path, NULL),
	LODE_FIELD(struct lode_triage_stream, host, NULL),
	LODE_FIELD(struct lode_triage_stream, kernel, NULL),
	LODE_FIELDS_OF(struct lode_triage_stream, cover, &cover_record),
	LODE_FIELD_AS("over", struct lode_triage_stream, is_over,
		      "true: more is unexplained than --fail-over allows"),
	LODE_LIST("signatures", struct lode_triage_stream, known, n_known, &known_record,
		  "signatures that match it, by total cost"),
	LODE_FIELD_AS("signatures_more", struct lode_triage_stream, n_known_more,
		      "left out by --top", .absent = "none were"),
};
LODE_RECORD(stream, struct lode_triage_stream);

static const struct lode_field returned_fields[] = {
	LODE_FIELD(struct lode_triage_returned, name, NULL),
	LODE_FIELD(struct lode_triage_returned, owner, NULL),
	LODE_FIELD(struct lode_triage_returned, bug, NULL),
	LODE_FIELD(struct lode_triage_returned, total_ns, "in all recordings"),
	LODE_FIELD_AS("events", struct lode_triage_returned, n_events, NULL),
	LODE_FIELD_AS("streams", struct lode_triage_returned, n_streams, NULL),
};
LODE_RECORD(returned, struct lode_triage_returned);

static const struct lode_field input_fields[] = {
	LODE_FIELD_ID("id", struct lode_digest_stream, content_hash, NULL),
	LODE_FIELD_OF("path", LODE_TYPE_NAME, struct lode_digest_stream, path, NULL),
};
LODE_RECORD(input, struct lode_digest_stream);

/* ---- The document ---- */

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_triage_answer, opening, &lode_opening_record),
	LODE_FIELD(struct lode_triage_answer, unit, "unit of all costs, as in lode mine --json"),
	LODE_FIELD_AS("streams", struct lode_triage_answer, n_streams, NULL),
	LODE_FIELD_AS("symptoms", struct lode_triage_answer, n_symptoms, NULL),
	LODE_FIELDS_OF(struct lode_triage_answer, all, &cover_record),
	LODE_FIELD_AS("fail_over", struct lode_triage_answer, limit, "the threshold as text",
		      .absent = "--fail-over is not given"),
	LODE_FIELD_AS("over", struct lode_triage_answer, n_over,
		      "recordings over the threshold: the exit code is 5 if there are any",
		      .absent = "--fail-over is not given", .is_positive = true),
	LODE_LIST("triaged", struct lode_triage_answer, streams, n_listed, &stream_record,
		  "recordings, most unexplained first"),
	LODE_FIELD_AS("triaged_more", struct lode_triage_answer, n_more, "left out by --top",
		      .absent = "none were"),
	LODE_LIST("returned", struct lode_triage_answer, returned, n_returned, &returned_record,
		  "retired signatures that match again"),
	LODE_FIELD(struct lode_triage_answer, not_mined, "why the rest was not mined",
		   .absent = "it was, or mining was not requested"),
	LODE_FIELD(struct lode_triage_answer, lambda_ns, "minimum cost of a pattern of the rest",
		   .absent = "the rest was not mined", .is_positive = true),
	LODE_FIELD(struct lode_triage_answer, other_ns, "cost of the rest that is in no pattern",
		   .absent = "the rest was not mined", .is_positive = true),
	LODE_FIELDS_AT(struct lode_triage_answer, rows, &lode_cluster_rows_record,
		       .absent = "the rest was not mined"),
	LODE_LIST("inputs", struct lode_triage_answer, inputs, n_inputs, &input_record,
		  "all recordings, in the order of clusters[].by_stream",
		  .absent = "--detail is not given"),
	LODE_FIELDS_AT(struct lode_triage_answer, read, &lode_job_inputs_record),
};
LODE_RECORD(answer, struct lode_triage_answer);

const struct lode_document lode_triage_document = {
	.schema = "lode/triage/1",
	.file = "triage",
	.title = "lode triage --json",
	.record = &answer_record,
	.names = lode_triage_names,
	.find = lode_triage_findings,
};
