/*
 * From recordings to executions: the part of `lode suspects` that is done stream by stream.
 *
 *   stream --> events --> pairs --+--> execution set      (engine/suspects/execution.h)
 *   stream --> events --> pairs --+        |
 *   broken --> skipped                     labels, scores, reports
 *
 * Streams are read one after another, each by all threads; what is measured goes into the set as
 * it ends, so memory does not grow with the number of executions. One bad stream never costs the
 * others: it is listed with its reason. The result is the same for any number of threads.
 *
 * With symptoms, given or by a table beside the recording, only executions count that overlap a
 * slow window, and only those of the symptom's own thread: of block requests, that of the insert.
 * A table's row that is the life of a recorded command means all of its threads and children. What
 * belongs to no thread (irq, softirq, net) counts where it was asked for by name, all of that time.
 * The metrics of the critical path are always those of the symptoms (without any: every thread of
 * the recorded command, whole stream).
 */
#pragma once

#include "engine/suspects/execution.h"
#include "engine/suspects/metric_spec.h"
#include "streams/digest_job.h"
#include "model/builder.h"
#include "model/symptom.h"
#include "input/symbols/symbols.h"

struct lode_suspects_job_options {
	struct lode_symbol_options symbols;
	struct lode_narrow narrow;
	struct lode_symptom_options symptoms;
	const struct lode_metric_spec *metrics; /* NULL: everything */
	bool kernel_frames;  /* keep the kernel's frames in stacks of system calls */
	unsigned n_threads;  /* 0: all CPUs */
	size_t memory_bytes; /* 0: lode_memory_budget(0) */
	/* Called from any thread, often; may be NULL. */
	void (*progress)(void *context, const struct lode_digest_progress *progress);
	void *progress_context;
};

/* A metric that could not be measured in a stream although it was asked for, or only in part. */
struct lode_metric_note {
	const char *path; /* of the stream; NULL: of all */
	const char *text; /* "lock: the recording has no event lock:contention_begin" */
};

struct lode_suspects_job {
	const char *symptom_text; /* in words: the windows that count; NULL: whole streams */
	LODE_VEC(struct lode_skipped_input) skipped;	/* streams without any result */
	LODE_VEC(struct lode_skipped_input) incomplete; /* used, but their files are cut or bad */
	LODE_VEC(struct lode_metric_note) notes;
	size_t n_other;		    /* files of folders that are no inputs */
	size_t n_inputs, n_streams; /* all inputs; those that were read */
	int64_t input_bytes;	    /* of the inputs, on disk */
	uint64_t n_events;	    /* samples in the recordings, measured or not */
	uint64_t n_lost;	    /* events that the recorders dropped */
	/* Of system calls, where these were recorded; else of tracepoints. The best of all. */
	enum { LODE_STACKS_NONE, LODE_STACKS_CHAINS, LODE_STACKS_DUMPS } stacks;
	struct lode_arena arena;
};

/*
 * Appends the executions of all inputs to `set`, which is the caller's: several runs may fill one
 * set (two sides of a comparison, a baseline), each adding its streams behind those before
 * (set->streams.n before and after tells which). `*out` is the caller's to release, also on
 * failure. Fails on wrong options (LODE_ERR_ARG), on symbol files that were named but cannot be
 * used, and on a full disk. A stream that cannot be used is no failure.
 */
int lode_suspects_job_run(struct lode_suspects_job *out, struct lode_execution_set *set,
			  char *const *inputs, size_t n_inputs,
			  const struct lode_suspects_job_options *options, struct lode_error *err);
void lode_suspects_job_release(struct lode_suspects_job *job);
