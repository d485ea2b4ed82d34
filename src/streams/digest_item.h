/*
 * One input of a digest job, and the work on it alone: a stream becomes a digest, a digest is read.
 * Inside of job/ only.
 */
#pragma once

#include <stdatomic.h>

#include "streams/digest_dir.h"
#include "streams/digest_job.h"
#include "streams/job_symptoms.h"

struct lode_job_run;

/* A recording that is joined to the item's. */
struct lode_job_beside {
	const char *path;
	struct lode_job_spec symptoms;
};

/* Written by one thread at a time. */
struct lode_job_item {
	const char *path; /* what it is called */
	const char *file; /* where it lies: the same, unless a manifest says otherwise */
	const struct lode_manifest_line *line; /* what a manifest says of it; NULL */
	struct lode_job_run *run;
	bool is_given_digest; /* the input itself is one */
	bool needs_filter;    /* it was made without the content filters of this run */
	struct lode_job_spec symptoms;
	int64_t size_bytes, need_bytes; /* on disk; in memory, about */
	atomic_llong consumed_bytes;
	LODE_VEC(struct lode_job_beside) beside;
	LODE_VEC(struct lode_joined_input) joined; /* what came of these */
	struct lode_input *input; /* standard input, which is opened once; else NULL */

	/* What it came to: a digest that is in memory, packed in memory, or on disk; or a reason.
	 */
	struct lode_digest *digest;
	struct lode_stream *kept; /* what it was made of; NULL: that is freed */
	lode_byte_vec packed;	  /* of a given digest: for the sink */
	uint64_t key;
	char *digest_path; /* of a stream's digest in the folder; NULL */
	struct lode_digest_origin origin;
	enum lode_digest_state state;
	size_t digest_bytes, n_symptoms, n_rows;
	char *skipped;	/* why nothing came of it; NULL */
	char *cut;	/* of a stream: what its file lacks; NULL */
	char *why_none; /* of a stream that was read: why it has no symptom; NULL */
};

struct lode_job_run {
	const struct lode_digest_job_options *options;
	struct lode_symboliser *symboliser;
	struct lode_digest_dir dir;
	const char *shape, *symptom_text; /* of the streams' digests */
	unsigned n_threads_each;	  /* threads that one stream may use */
	size_t memory_each;		  /* and how much memory */
	bool is_packed;			  /* many streams: digests wait in packed form */
	struct lode_job_item *items;
	size_t n_items;
	struct lode_strings texts; /* shapes and symptoms of given digests: mostly the same ones */
	size_t *streams; /* items to read, largest first: none of those is left for the end */
	size_t n_streams;
	int64_t total_bytes;
	atomic_llong done_bytes;
	atomic_size_t n_done;
	atomic_llong kept_bytes; /* of recordings that stay in memory; more when one did not fit */
	/* The first failure to keep a digest: a full disk ends the run. */
	atomic_bool has_failed;
	atomic_flag is_failing;
	struct lode_error error;
};

/* Stream or digest? Reads the digest's origin; measures the stream. */
void lode_job_item_look(struct lode_job_item *item);

/* Nothing comes of it, for this reason. */
void lode_job_item_skip(struct lode_job_item *item, const struct lode_error *err);

/* Makes the stream's digest, or finds it in the folder. */
void lode_job_item_make(struct lode_job_item *item);

/*
 * Gives the item's digest, wherever it is; NULL if there is none, which is no fault by itself.
 * What cannot be read (any more) becomes skipped.
 */
struct lode_digest *lode_job_item_take_digest(struct lode_job_item *item);

/* Gives a digest, which is the item's, to the run's sink. */
void lode_job_item_sink(struct lode_job_item *item, struct lode_digest *digest);

/* It is done; counts for the progress. */
void lode_job_item_done(struct lode_job_item *item);

void lode_job_item_release(struct lode_job_item *item);
