/* Fields of the document of lode import. */
#include "answers/import/import.h"
#include "answers/input_fields.h"

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
		      "recordings in it; 0: already imported, and not read"),
};
LODE_RECORD(imported, struct lode_imported);

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_import_answer, opening, &lode_opening_record),
	LODE_FIELD(struct lode_import_answer, repo, "its file"),
	LODE_FIELD_AS("streams", struct lode_import_answer, n_streams,
		      "in the repository after the import", .is_positive = true),
	LODE_FIELD_AS("streams_added", struct lode_import_answer, n_streams_added, NULL),
	LODE_FIELD_AS("added", struct lode_import_answer, n_added, "inputs"),
	LODE_FIELD_AS("there", struct lode_import_answer, n_there, "inputs already imported"),
	LODE_FIELD_AS("replaced", struct lode_import_answer, n_replaced, "inputs with new digests"),
	LODE_LIST("inputs", struct lode_import_answer, list, n_listed, &imported_record, "by path"),
	LODE_FIELD_AS("more", struct lode_import_answer, n_more, "left out by --top",
		      .absent = "none were"),
	LODE_FIELDS_AT(struct lode_import_answer, job, &lode_job_inputs_record),
};
LODE_RECORD(answer, struct lode_import_answer);

const struct lode_document lode_import_document = {
	.schema = "lode/import/1",
	.file = "import",
	.title = "lode import --json",
	.record = &answer_record,
};
