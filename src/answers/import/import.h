/*
 * lode import: from inputs to a repository.
 *
 *	request --> recordings --> digest job --+--> intake --> repository --> answer --> text, JSON
 *		    digests --------------------+
 *
 * Each recording is stored as soon as it is read, so an import that is interrupted goes on where it
 * was: files that are there already, unchanged, are not read again. One bad input never costs the
 * others.
 */
#pragma once

#include "document/fields.h"
#include "document/findings.h"
#include "store/repo.h"
#include "streams/digest_job.h"

struct lode_import_request {
	struct lode_repo *repo; /* opened to be written to */
	char *const *inputs;
	size_t n_inputs;
	struct lode_digest_job_options reading;
	const struct lode_repo_label *labels; /* of all streams that are added */
	size_t n_labels;
	bool again; /* read also what is there, and keep the new digest */
	bool defer; /* leave merging to lode_repo_compact */
	size_t top; /* longest list; 0: no bound */
	/* Told of each input as it is on the disk; may be NULL. From one thread at a time. */
	void (*told)(void *context, const char *path, enum lode_repo_added added, size_t n_streams);
	void *context;
};

struct lode_imported {
	const char *path;
	enum lode_repo_added added;
	size_t n_streams; /* of the input; 0: it was not read, since it is there */
};

struct lode_import_answer {
	struct lode_opening opening;
	const struct lode_digest_job *job; /* what was skipped, what is incomplete */
	const char *repo;		   /* its file */
	int64_t n_streams, file_bytes;	   /* of the repository, afterwards */
	size_t n_inputs, n_added, n_there, n_replaced;
	size_t n_streams_added;
	const struct lode_imported *list; /* the first of the inputs, by path */
	size_t n_listed, n_more;

	struct lode_import_state *state; /* what all of this points into */
};

/*
 * `*out` is the caller's to free, also on failure. Fails as lode_digest_job_run does, on what the
 * repository cannot store, and, with LODE_ERR_ARG, on options or digests of another shape than the
 * repository's: what was stored before stays.
 */
int lode_import_run(struct lode_import_answer **out, const struct lode_import_request *request,
		    struct lode_error *err);
void lode_import_free(struct lode_import_answer *answer);

/* "lode/import/1", docs/repo.md. */
extern const struct lode_document lode_import_document;
/* "added" ... of enum lode_repo_added. */
extern const char *const lode_repo_added_names[];
