/* Fields of what `lode repo` and `lode import` say. */
#include "answers/repo/repo_fields.h"

#include "answers/input_fields.h"

/* ---- lode repo list, show ---- */

static const struct lode_field label_fields[] = {
	LODE_FIELD(struct lode_repo_label, key, NULL),
	LODE_FIELD(struct lode_repo_label, value, NULL),
	LODE_FIELDS_END,
};
static const struct lode_record label_record = {"label", label_fields,
						sizeof(struct lode_repo_label)};

static const char *const time_of[] = {"file", "recording", NULL};

static const struct lode_field stream_fields[] = {
	LODE_FIELD_ID("id", struct lode_repo_stream, content_hash, "hash of its content"),
	LODE_FIELD(struct lode_repo_stream, path, "of the recording, as it was given then"),
	LODE_FIELD(struct lode_repo_stream, host, NULL),
	LODE_FIELD(struct lode_repo_stream, kernel, NULL),
	LODE_FIELD(struct lode_repo_stream, time_ns, "start of the recording, since 1970 (UTC)"),
	LODE_FIELD_CHOICE("time_of", struct lode_repo_stream, is_clock, time_of,
			  "where that time comes from"),
	LODE_FIELD(struct lode_repo_stream, imported_ns, "when it was imported, since 1970 (UTC)"),
	LODE_FIELD(struct lode_repo_stream, length_ns, "of the recording", .is_positive = true),
	LODE_FIELD_AS("symptoms", struct lode_repo_stream, n_symptoms, NULL),
	LODE_FIELD(struct lode_repo_stream, symptom_ns, "sum of their lengths",
		   .is_positive = true),
	LODE_MAP_FIELD("labels", struct lode_repo_stream, labels, n_labels, &label_record, NULL),
	LODE_FIELDS_END,
};
static const struct lode_record stream_record = {"stream", stream_fields,
						 sizeof(struct lode_repo_stream)};

#define SUM(key, member, text) \
	LODE_FIELD_AS(key, struct lode_repo_sums, member, text, .is_positive = true)

static const struct lode_field sums_fields[] = {
	SUM("streams", n_streams, NULL),
	SUM("symptoms", n_symptoms, NULL),
	SUM("symptom_ns", symptom_ns, "sum of their lengths"),
	SUM("signatures", n_signatures, NULL),
	SUM("digests", n_digests, "inputs that were imported"),
	SUM("segments", n_segments, "merged groups of digests"),
	SUM("file_bytes", file_bytes, NULL),
	SUM("digest_bytes", digest_bytes, NULL),
	SUM("segment_bytes", segment_bytes, NULL),
	SUM("free_bytes", free_bytes, "unused: lode repo compact gives them back"),
	LODE_FIELDS_END,
};
static const struct lode_record sums_record = {"sums", sums_fields, sizeof(struct lode_repo_sums)};

static const struct lode_field listing_fields[] = {
	LODE_FIELD_AS("repo", struct lode_repo_listing, path, "its file"),
	LODE_FIELDS_OF(struct lode_repo_listing, sums, &sums_record),
	LODE_COLUMN("shape", struct lode_repo_listing, shape, n_shape,
		    "options that its digests were made with"),
	LODE_FIELD(struct lode_repo_listing, where, "the query", .absent = "all streams"),
	LODE_FIELD_AS("picked", struct lode_repo_listing, n_picked, "streams that fit"),
	LODE_LIST("list", struct lode_repo_listing, streams, n_streams, &stream_record, "by time"),
	LODE_FIELD_AS("more", struct lode_repo_listing, n_more, "left out by --top",
		      .absent = "none"),
	LODE_FIELDS_END,
};
static const struct lode_record listing_record = {"repo", listing_fields,
						  sizeof(struct lode_repo_listing)};

const struct lode_document lode_repo_document = {
	.schema = "lode/repo/1",
	.file = "repo",
	.title = "lode repo list --json, lode repo show --json",
	.record = &listing_record,
};

/* ---- lode repo labels ---- */

static const struct lode_field count_fields[] = {
	LODE_FIELD(struct lode_repo_label_count, key, NULL),
	LODE_FIELD(struct lode_repo_label_count, value, NULL),
	LODE_FIELD_AS("streams", struct lode_repo_label_count, n_streams, "that have it",
		      .is_positive = true),
	LODE_FIELDS_END,
};
static const struct lode_record count_record = {"count", count_fields,
						sizeof(struct lode_repo_label_count)};

static const struct lode_field labels_fields[] = {
	LODE_LIST("labels", struct lode_repo_label_counts, list.at, list.n, &count_record,
		  "by key, then in natural order"),
	LODE_FIELDS_END,
};
static const struct lode_record labels_record = {"labels", labels_fields,
						 sizeof(struct lode_repo_label_counts)};

const struct lode_document lode_repo_labels_document = {
	.schema = "lode/repo-labels/1",
	.file = "repo-labels",
	.title = "lode repo labels --json",
	.record = &labels_record,
};

/* ---- lode repo check ---- */

static const struct lode_field check_fields[] = {
	LODE_FIELD_AS("digests", struct lode_repo_check, n_digests, "read", .is_positive = true),
	LODE_FIELD_AS("segments", struct lode_repo_check, n_segments, "read", .is_positive = true),
	LODE_FIELD_AS("faults", struct lode_repo_check, n_faults, NULL, .is_positive = true),
	LODE_COLUMN("list", struct lode_repo_check, faults.at, faults.n,
		    "what is wrong; 100 at most"),
	LODE_FIELDS_END,
};
static const struct lode_record check_record = {"check", check_fields,
						sizeof(struct lode_repo_check)};

static const struct lode_field verdict_fields[] = {
	LODE_FIELD_AS("sound", struct lode_repo_verdict, is_sound, NULL),
	LODE_FIELDS_AT(struct lode_repo_verdict, check, &check_record),
	LODE_FIELDS_END,
};
static const struct lode_record verdict_record = {"check", verdict_fields,
						  sizeof(struct lode_repo_verdict)};

const struct lode_document lode_repo_check_document = {
	.schema = "lode/repo-check/1",
	.file = "repo-check",
	.title = "lode repo check --json",
	.record = &verdict_record,
};

/* ---- lode import ---- */

const char *const lode_repo_added_names[] = {
	[LODE_REPO_ADDED] = "added",
	[LODE_REPO_THERE] = "there",
	[LODE_REPO_REPLACED] = "replaced",
	[LODE_REPO_OVERLAPS] = "overlaps",
	NULL,
};

static const struct lode_field imported_fields[] = {
	LODE_FIELD(struct lode_imported, path, NULL),
	LODE_FIELD_CHOICE("state", struct lode_imported, added, lode_repo_added_names, NULL),
	LODE_FIELD_AS("streams", struct lode_imported, n_streams,
		      "in it; 0: it was there already, and not read"),
	LODE_FIELDS_END,
};
static const struct lode_record imported_record = {"input", imported_fields,
						   sizeof(struct lode_imported)};

static const struct lode_field totals_fields[] = {
	LODE_FIELD_AS("streams_added", struct lode_import, n_streams_added, NULL),
	LODE_FIELD_AS("added", struct lode_import, n_added, "inputs"),
	LODE_FIELD_AS("there", struct lode_import, n_there, "inputs that were in it already"),
	LODE_FIELD_AS("replaced", struct lode_import, n_replaced, "inputs whose digests are new"),
	LODE_FIELDS_END,
};
static const struct lode_record totals_record = {"totals", totals_fields,
						 sizeof(struct lode_import)};

static const struct lode_field rest_fields[] = {
	LODE_SKIPPED_FIELDS(struct lode_import, job.skipped, job.incomplete),
	LODE_FIELDS_END,
};
static const struct lode_record rest_record = {"rest", rest_fields, sizeof(struct lode_import)};

static const struct lode_field import_fields[] = {
	LODE_FIELD(struct lode_import_summary, repo, "its file"),
	LODE_FIELD_AS("streams", struct lode_import_summary, n_streams,
		      "in the repository afterwards", .is_positive = true),
	LODE_FIELDS_AT(struct lode_import_summary, import, &totals_record),
	LODE_LIST("inputs", struct lode_import_summary, inputs, n_inputs, &imported_record,
		  "by path"),
	LODE_FIELD_AS("more", struct lode_import_summary, n_more, "left out by --top",
		      .absent = "none"),
	LODE_FIELDS_AT(struct lode_import_summary, import, &rest_record),
	LODE_FIELDS_END,
};
static const struct lode_record import_record = {"import", import_fields,
						 sizeof(struct lode_import_summary)};

const struct lode_document lode_import_document = {
	.schema = "lode/import/1",
	.file = "import",
	.title = "lode import --json",
	.record = &import_record,
};
