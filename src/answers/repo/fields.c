/* Fields of the documents of lode repo. */
#include "answers/repo/repo.h"
#include "answers/input_fields.h"

/* ---- lode repo list, show ---- */

static const char *const time_of[] = {"file", "recording", NULL};

static const struct lode_field stream_fields[] = {
	LODE_FIELD_ID("id", struct lode_repo_stream, content_hash, "hash of its content"),
	LODE_FIELD(struct lode_repo_stream, path, "path of the recording at import"),
	LODE_FIELD(struct lode_repo_stream, host, NULL),
	LODE_FIELD(struct lode_repo_stream, kernel, NULL),
	LODE_FIELD(struct lode_repo_stream, time_ns, "start of the recording, since 1970 (UTC)"),
	LODE_FIELD_CHOICE("time_of", struct lode_repo_stream, is_clock, time_of,
			  "source of that time"),
	LODE_FIELD(struct lode_repo_stream, imported_ns, "when it was imported, since 1970 (UTC)"),
	LODE_FIELD(struct lode_repo_stream, length_ns, "of the recording", .is_positive = true),
	LODE_FIELD_AS("symptoms", struct lode_repo_stream, n_symptoms, NULL),
	LODE_FIELD(struct lode_repo_stream, symptom_ns, "total duration of the symptoms",
		   .is_positive = true),
	LODE_MAP_FIELD("labels", struct lode_repo_stream, labels, n_labels, &lode_repo_label_record,
		       NULL),
};
LODE_RECORD(stream, struct lode_repo_stream);

#define SUM(key, member, text) \
	LODE_FIELD_AS(key, struct lode_repo_answer, sums.member, text, .is_positive = true)

static const struct lode_field listing_fields[] = {
	LODE_FIELDS_OF(struct lode_repo_answer, opening, &lode_opening_record),
	LODE_FIELD_AS("repo", struct lode_repo_answer, path, "its file"),
	SUM("streams", n_streams, NULL),
	SUM("symptoms", n_symptoms, NULL),
	SUM("symptom_ns", symptom_ns, "total duration of the symptoms"),
	SUM("signatures", n_signatures, NULL),
	SUM("digests", n_digests, "imported inputs"),
	SUM("segments", n_segments, "merged groups of digests"),
	SUM("file_bytes", file_bytes, NULL),
	SUM("digest_bytes", digest_bytes, NULL),
	SUM("segment_bytes", segment_bytes, NULL),
	SUM("free_bytes", free_bytes, "unused; freed by lode repo compact"),
	LODE_COLUMN("shape", struct lode_repo_answer, shape, n_shape,
		    "options that its digests were made with"),
	LODE_FIELD(struct lode_repo_answer, where, "the query", .absent = "there is none"),
	LODE_FIELD_AS("picked", struct lode_repo_answer, n_picked, "matching recordings"),
	LODE_LIST("list", struct lode_repo_answer, streams, n_streams, &stream_record, "by time"),
	LODE_FIELD_AS("more", struct lode_repo_answer, n_more, "left out by --top",
		      .absent = "none were"),
};
LODE_RECORD(listing, struct lode_repo_answer);

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
};
LODE_RECORD(count, struct lode_repo_label_count);

static const struct lode_field labels_fields[] = {
	LODE_FIELDS_OF(struct lode_repo_answer, opening, &lode_opening_record),
	LODE_LIST("labels", struct lode_repo_answer, labels.list.at, labels.list.n, &count_record,
		  "by key, then in natural order"),
};
LODE_RECORD(labels, struct lode_repo_answer);

const struct lode_document lode_repo_labels_document = {
	.schema = "lode/repo-labels/1",
	.file = "repo-labels",
	.title = "lode repo labels --json",
	.record = &labels_record,
};

/* ---- lode repo prune ---- */

static const struct lode_field pruned_fields[] = {
	LODE_FIELD_AS("was_bytes", struct lode_repo_pruned, was_bytes,
		      "bytes in use before; the file may also have free space",
		      .is_positive = true),
	LODE_FIELD_AS("used_bytes", struct lode_repo_pruned, used_bytes, "bytes in use afterwards",
		      .is_positive = true),
	LODE_FIELD_AS("over", struct lode_repo_pruned, is_over,
		      "true: still over --max-size, but no other recording may be removed"),
};
LODE_RECORD(pruned, struct lode_repo_pruned);

static const struct lode_field prune_fields[] = {
	LODE_FIELDS_OF(struct lode_repo_answer, opening, &lode_opening_record),
	LODE_FIELD_AS("repo", struct lode_repo_answer, path, "its file"),
	LODE_FIELD(struct lode_repo_answer, where, "query for the recordings that may be removed",
		   .absent = "there is none"),
	LODE_FIELD_AS("done", struct lode_repo_answer, is_forgotten, "false with --dry-run"),
	LODE_FIELD_AS("removed", struct lode_repo_answer, n_picked, "recordings"),
	LODE_FIELDS_AT(struct lode_repo_answer, pruned, &pruned_record),
	LODE_LIST("list", struct lode_repo_answer, streams, n_streams, &stream_record,
		  "recordings removed, or that would be, by time"),
	LODE_FIELD_AS("more", struct lode_repo_answer, n_more, "older ones left out by --top",
		      .absent = "none were"),
};
LODE_RECORD(prune, struct lode_repo_answer);

const struct lode_document lode_repo_prune_document = {
	.schema = "lode/repo-prune/1",
	.file = "repo-prune",
	.title = "lode repo prune --json",
	.record = &prune_record,
};

/* ---- lode repo check ---- */

static const struct lode_field check_fields[] = {
	LODE_FIELDS_OF(struct lode_repo_answer, opening, &lode_opening_record),
	LODE_FIELD_AS("sound", struct lode_repo_answer, is_sound, NULL),
	LODE_FIELD_AS("digests", struct lode_repo_answer, check.n_digests, "read",
		      .is_positive = true),
	LODE_FIELD_AS("segments", struct lode_repo_answer, check.n_segments, "read",
		      .is_positive = true),
	LODE_FIELD_AS("faults", struct lode_repo_answer, check.n_faults, NULL, .is_positive = true),
	LODE_COLUMN("list", struct lode_repo_answer, check.faults.at, check.faults.n,
		    "problems found, 100 at most"),
};
LODE_RECORD(check, struct lode_repo_answer);

const struct lode_document lode_repo_check_document = {
	.schema = "lode/repo-check/1",
	.file = "repo-check",
	.title = "lode repo check --json",
	.record = &check_record,
};
