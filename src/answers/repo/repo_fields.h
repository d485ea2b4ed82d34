/*
 * What `lode repo` and `lode import` say, as documents (document/fields.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "document/fields.h"
#include "streams/digest_job.h"
#include "answers/import/import_job.h"
#include "store/repo.h"
#include "store/repo_care.h"

/* "lode/repo/1": a repository, and those of its streams that were asked for. */
struct lode_repo_listing {
	const char *path;
	struct lode_repo_sums sums; /* of all streams */
	const char **shape;	    /* options that its digests were made with */
	size_t n_shape;
	const char *where;			/* NULL: all */
	size_t n_picked;			/* by that */
	const struct lode_repo_stream *streams; /* the newest of these */
	size_t n_streams, n_more;
};
extern const struct lode_document lode_repo_document;

/* "lode/repo-labels/1", of struct lode_repo_label_counts; "lode/repo-check/1". */
extern const struct lode_document lode_repo_labels_document;

struct lode_repo_verdict {
	bool is_sound;
	const struct lode_repo_check *check;
};
extern const struct lode_document lode_repo_check_document;

/* "lode/import/1" */
struct lode_import_summary {
	const char *repo;
	int64_t n_streams; /* in the repository, afterwards */
	const struct lode_import *import;
	const struct lode_imported *inputs; /* the first of its inputs */
	size_t n_inputs, n_more;
};
extern const struct lode_document lode_import_document;

/* Names of enum lode_repo_added. */
extern const char *const lode_repo_added_names[];
