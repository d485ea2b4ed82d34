/*
 * From inputs to one digest: the part of `lode mine` that is done stream by stream.
 *
 *   inputs --> load --> symptoms --> area of interest --> digest ---+
 *   inputs --> load --> symptoms --> area of interest --> digest ---+--> merged, in input order
 *   broken --> skipped                                              |
 *
 * Streams are read side by side as far as the memory bound allows, and freed as soon as their
 * digest is made; with few streams the threads go into each of them. One bad stream never costs the
 * others: it is listed with its reason. The result is the same for any number of threads.
 */
#ifndef LODE_DIGEST_JOB_H
#define LODE_DIGEST_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/waits/aoi.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/digest.h"
#include "model/symptom.h"
#include "sources/source.h"

/* How far reading has come; all counts only grow. */
struct lode_digest_progress {
	size_t n_streams, n_done;
	int64_t total_bytes, done_bytes; /* as they lie on disk; total 0 when not known */
};

struct lode_digest_job_options {
	struct lode_symbol_options symbols;
	struct lode_narrow narrow;
	enum lode_event_kind folded_kind;
	const char *unit;
	struct lode_symptom_options symptoms;
	struct lode_aoi_options aoi;
	unsigned n_threads;  /* 0: all CPUs */
	size_t memory_bytes; /* 0: half of the machine */
	/* Called from any thread, often; may be NULL. */
	void (*progress)(void *context, const struct lode_digest_progress *progress);
	void *progress_context;
};

struct lode_skipped_input {
	const char *path, *reason;
};

struct lode_digest_job {
	struct lode_digest *digest;			/* NULL when nothing was usable */
	const char *symptom_text;			/* in words: what counted as a symptom */
	bool is_default_symptoms;			/* nobody said what the symptoms are */
	LODE_VEC(struct lode_skipped_input) skipped;	/* streams without any result */
	LODE_VEC(struct lode_skipped_input) incomplete; /* used, but their files are cut or bad */
	size_t n_inputs;
	int64_t input_bytes; /* on disk */
	struct lode_arena arena;
};

/*
 * `*out` is the caller's, to release also on failure: what was skipped says why nothing was usable.
 * Fails on wrong options (LODE_ERR_ARG) and on symbol files that were named but cannot be used. A
 * stream that cannot be used is no failure. When the symptoms are not given, a `symptoms.tsv`
 * beside a recording says them (as bundles of `lode record` have), else they are lode's default.
 */
int lode_digest_job_run(struct lode_digest_job *out, char *const *inputs, size_t n_inputs,
			const struct lode_digest_job_options *options, struct lode_error *err);
void lode_digest_job_release(struct lode_digest_job *job);

#endif
