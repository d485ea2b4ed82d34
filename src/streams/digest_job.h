/*
 * From inputs to one digest: the part of `lode mine` that is done stream by stream.
 *
 *   stream --> load --> symptoms --> area of interest --> digest ---+
 *   stream --> load --> symptoms --> area of interest --> digest ---+--> merged, in input order
 *   digest ----------------------------------------------------------+
 *   broken --> skipped                                              |
 *
 * Streams are read side by side as far as the memory bound allows, and freed as soon as their
 * digest is made; with few streams the threads go into each of them. Digests that wait to be merged
 * are on the disk, or packed. One bad stream never costs the others: it is listed with its reason.
 * The result is the same for any number of threads.
 */
#pragma once

#include "engine/waits/aoi.h"
#include "model/digest.h"
#include "model/symptom.h"
#include "input/source.h"
#include "store/digest_file.h"

/* How far reading has come; all counts only grow. */
struct lode_digest_progress {
	size_t n_streams, n_done;
	int64_t total_bytes, done_bytes; /* as they lie on disk; total 0 when not
					    known, both 0 of a repository */
};

/* An input's digest on its way to its owner. */
struct lode_digest_taken {
	const char *path;	    /* what the input is called */
	const char *file;	    /* where it lies */
	const char *labels;	    /* "KEY=VALUE", separated by tabs, of a manifest; "" */
	uint64_t key;		    /* of the file as it lies on the disk (digest_dir.h); 0: none */
	struct lode_digest *digest; /* the taker's */
	const struct lode_digest_origin *origin;
	const lode_byte_vec *packed; /* the bytes that it was read from; NULL: there are none */
	size_t place;		     /* among the inputs */
	bool is_given;		     /* the input is a digest: the next will come at once */
};

/* Keeps digests somewhere else than in a folder, each as soon as it is there. */
struct lode_digest_sink {
	void *context;
	/* Does it keep digests of that shape? `path` NULL: recordings'. Asked before any is read.
	 */
	int (*agree)(void *context, const char *shape, const char *path, struct lode_error *err);
	/* Is this file there already, and need not be read? From any thread. */
	bool (*has)(void *context, const char *path, uint64_t key);
	/* From any thread. A failure ends the run. */
	int (*take)(void *context, const struct lode_digest_taken *taken, struct lode_error *err);
};

struct lode_digest_job_options {
	struct lode_symbol_options symbols;
	struct lode_narrow narrow;
	enum lode_event_kind folded_kind;
	const char *unit;
	struct lode_symptom_options symptoms;
	struct lode_aoi_options aoi;
	bool is_scope_given, are_stacks_given; /* digests of another scope are then refused */
	/* Folder in which each stream's digest is kept; NULL: none is. A stream whose digest is
	   there and up to date is not read, unless `again`. */
	const char *digest_dir;
	bool again;
	/* The inputs are recordings of one moment on several hosts: one stream (model/join.h). Of
	   all but the first, what to add to their times; n_offsets 0: by their clocks. */
	bool is_joined;
	const int64_t *clock_offsets;
	size_t n_offsets;
	/* The merged digest does not depend on the order of the inputs (model/digest_canonical.h);
	   so it is with a manifest among them. */
	bool is_canonical;
	bool no_merge;			     /* only the folder's digests are wanted */
	const struct lode_digest_sink *sink; /* gets all digests: none is merged. May be NULL */
	unsigned n_threads;		     /* 0: all CPUs */
	size_t memory_bytes;		     /* 0: lode_memory_budget(0) */
	/* Recordings to leave in memory once they are digested, as many as take up so much, about:
	   for who reads them again. 0: none. */
	size_t keep_bytes;
	/* Called from any thread, often; may be NULL. */
	void (*progress)(void *context, const struct lode_digest_progress *progress);
	void *progress_context;
};

/* A recording that was joined to the first one. */
struct lode_joined_input {
	const char *path;
	int64_t offset_ns; /* what was added to its times */
	size_t n_links;	   /* receives of bytes of other hosts that its clock was held to */
	size_t n_turns;	   /* turns of messages between the hosts that gave the offset */
};

/* A recording that is still in memory. */
struct lode_kept_stream {
	const char *path;
	struct lode_stream *stream; /* NULL: taken */
};

struct lode_skipped_input {
	const char *path, *reason;
};

enum lode_digest_state {
	LODE_DIGEST_MADE, /* read, and written to the folder */
	LODE_DIGEST_KEPT, /* it was there, and up to date */
	LODE_DIGEST_GIVEN /* the input is a digest */
};

/* What one input came to, when digests are kept. */
struct lode_digest_output {
	const char *path;	 /* of the input */
	const char *digest_path; /* of its digest */
	enum lode_digest_state state;
	int64_t input_bytes, digest_bytes; /* of recording and digest, as they lie on the disk */
	int64_t content_bytes;		   /* of the recording, uncompressed; 0: not known */
	size_t n_symptoms, n_rows;
};

struct lode_digest_job {
	struct lode_digest *digest; /* NULL when nothing was usable, or with `no_merge` */
	/* What it was made of: for keeping it. Its shape is that of all inputs. */
	struct lode_digest_origin origin;
	LODE_VEC(struct lode_digest_output) outputs; /* in input order; of inputs that are usable */
	const char *symptom_text;		     /* in words: what counted as a symptom */
	bool is_default_symptoms;		     /* the user did not specify symptoms */
	/* Why a recording has no symptom, in words; NULL: not known. */
	const char *why_none;
	/* By path: streams without any result; those that are used, but their files are cut or bad
	 */
	LODE_VEC(struct lode_skipped_input) skipped;
	LODE_VEC(struct lode_skipped_input) incomplete;
	LODE_VEC(struct lode_joined_input) joined;
	LODE_VEC(struct lode_kept_stream) kept;
	size_t n_other;	     /* files of folders that are no inputs */
	size_t n_inputs;     /* streams; those of digests as well */
	size_t n_unread;     /* of these, digests that could not be read */
	int64_t input_bytes; /* of the streams, on disk */
	struct lode_arena arena;
};

/*
 * `*out` is the caller's, to release also on failure: what was skipped says why nothing was usable.
 * Fails on wrong options (LODE_ERR_ARG), which digests of another shape are (streams/shape.h), on
 * symbol files that were named but cannot be used, and on a folder that cannot be written. A stream
 * that cannot be used is no failure. When the symptoms are not given, a `symptoms.tsv` beside a
 * recording says them (as bundles of `lode record` have), else they are lode's default.
 */
int lode_digest_job_run(struct lode_digest_job *out, char *const *inputs, size_t n_inputs,
			const struct lode_digest_job_options *options, struct lode_error *err);
void lode_digest_job_release(struct lode_digest_job *job);

/* The recording at `path`, the caller's from here on; NULL: it was not kept. */
struct lode_stream *lode_digest_job_take_stream(struct lode_digest_job *job, const char *path);
/* Frees those that were not taken. */
void lode_digest_job_forget_streams(struct lode_digest_job *job);

/*
 * What a stream's file lacks, in words, if it ends early or holds bad records, or if the bundle
 * that `recording` (or NULL) lies in says that it is incomplete; else NULL. The caller's to free.
 */
char *lode_job_cut_text(const struct lode_losses *losses, const char *recording);
/* The same of a stream of a digest. */
char *lode_job_digest_cut_text(const struct lode_digest *digest,
			       const struct lode_digest_stream *stream);

/* Why an input cannot be used, in words that stand behind its path. The caller's to free. */
char *lode_job_reason(const char *path, const struct lode_error *err);
