/*
 * lode digest: keeps what mining needs of each recording, and merges it.
 *
 *	request --> digests of recordings, kept in a folder, merged to a file --> answer --> text,
 * JSON
 *
 * What a digest is: model/digest.h; how it is made: streams/digest_job.h.
 */
#pragma once

#include "document/fields.h"
#include "document/findings.h"
#include "streams/digest_job.h"

struct lode_digest_request {
	char *const *inputs;
	size_t n_inputs;
	struct lode_digest_job_options job; /* its folder is where digests are kept */
	const char *merged;		    /* file with all in one; NULL: none */
	size_t top;			    /* longest list; 0: no bound */
};

struct lode_digest_sums {
	size_t n_made, n_kept, n_given;
	int64_t input_bytes, digest_bytes; /* of those in the folder */
	int64_t content_bytes;		   /* 0: not known of all */
};

struct lode_digest_merged {
	const char *path;
	int64_t bytes;
	size_t n_streams, n_symptoms, n_rows;
};

struct lode_digest_answer {
	struct lode_opening opening;
	const struct lode_digest_job *job; /* what was read, and what was not */
	const char *folder;		   /* where digests are kept; NULL: nowhere */
	struct lode_digest_sums sums;
	const char **shape; /* options that decide what is in these digests */
	size_t n_shape;
	const struct lode_digest_output *list; /* in input order */
	size_t n_listed, n_more;
	const struct lode_digest_merged *merged; /* NULL: not asked for */

	struct lode_digest_answer_state *state; /* what all of this points into */
};

/*
 * `*out` is the caller's to free, also on failure: what was skipped says why nothing was usable.
 * LODE_ERR_EMPTY: no recording is usable; else as lode_digest_job_run and lode_digest_save.
 */
int lode_digest_run(struct lode_digest_answer **out, const struct lode_digest_request *request,
		    struct lode_error *err);
void lode_digest_answer_free(struct lode_digest_answer *answer);

/* "lode/digest/1", docs/digest.md. */
extern const struct lode_document lode_digest_document;
