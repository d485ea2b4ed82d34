/*
 * From inputs to a repository: what `lode import` does.
 *
 *   recording --> digest job --+--> intake --> repository
 *   digest -------------------+
 *
 * Each recording is stored as soon as it is read, so an import that is interrupted goes on where it
 * was: files that are there already, unchanged, are not read again. One bad input never costs the
 * others.
 */
#pragma once

#include "streams/digest_job.h"
#include "store/repo.h"

struct lode_import_options {
	struct lode_digest_job_options job;
	const struct lode_repo_label *labels; /* of all streams that are added */
	size_t n_labels;
	bool again; /* read also what is there, and keep the new digest */
	/* Told of each input as it is on the disk; may be NULL. From one thread at a time. */
	void (*told)(void *context, const char *path, enum lode_repo_added added, size_t n_streams);
	void *context;
};

struct lode_imported {
	const char *path;
	enum lode_repo_added added;
	size_t n_streams; /* of the input; 0: it was not read, since it is there */
};

struct lode_import {
	struct lode_digest_job job;	       /* what was skipped, what is incomplete; no digest */
	LODE_VEC(struct lode_imported) inputs; /* by path */
	size_t n_added, n_there, n_replaced;   /* inputs */
	size_t n_streams_added;
	struct lode_arena arena;
};

/*
 * `*out` is the caller's to release, also on failure. Fails as lode_digest_job_run does, on what
 * the repository cannot store, and, with LODE_ERR_ARG, on options or digests of another shape than
 * the repository's: what was stored before stays.
 */
int lode_import_run(struct lode_import *out, struct lode_repo *repo, char *const *inputs,
		    size_t n_inputs, const struct lode_import_options *options,
		    struct lode_error *err);
void lode_import_release(struct lode_import *import);
