/*
 * From a function trace, or an index of one, to its timeline.
 *
 *   trace --> calls --+--> RegTime --> outliers
 *   index ------------+--> index file
 *
 * The file says itself what it is.
 */
#pragma once

#include "engine/regtime/meanwhile.h"
#include "engine/regtime/outliers.h"
#include "engine/regtime/regtime.h"
#include "model/call_trace.h"
#include "input/call_source.h"

struct lode_timeline_job_options {
	struct lode_call_options reading; /* n_threads and memory_bytes are set by the job */
	struct lode_regtime_options regtime;
	const char *index;   /* where the index goes; NULL: nowhere */
	unsigned n_threads;  /* 0: all CPUs */
	size_t memory_bytes; /* of packed calls; 0: lode_memory_budget(0) */
};

struct lode_timeline_job {
	struct lode_call_trace *trace;
	struct lode_regtime *regtime;
	struct lode_outliers outliers;
	bool is_index;	     /* the input was one */
	int64_t index_bytes; /* of the index that was written */
	unsigned n_threads;
};

/* Reads the trace. */
int lode_timeline_job_read(struct lode_timeline_job *job, const char *path,
			   const struct lode_timeline_job_options *options, struct lode_error *err);
/* Writes its index, once the request is known to be sound; NULL: nowhere. */
int lode_timeline_job_save(struct lode_timeline_job *job, const char *index,
			   struct lode_error *err);
/* Compresses it. */
int lode_timeline_job_compress(struct lode_timeline_job *job,
			       const struct lode_regtime_options *options, struct lode_error *err);
/* Each thread's leaves over its own time, in the order of the trace's threads. `is_shown` by
   thread: of others there are none; NULL: of all. */
int lode_timeline_job_leaves(struct lode_meanwhile *out, const struct lode_timeline_job *job,
			     const bool *is_shown, struct lode_error *err);
void lode_timeline_job_release(struct lode_timeline_job *job);

/* In words, what of the trace is missing, or NULL: the caller's. */
char *lode_timeline_incomplete(const struct lode_call_trace *trace);

/*
 * Writes the outliers as symptoms for the other commands (model/symptom_table.h): all, or those of
 * one function.
 */
int lode_timeline_symptoms(const char *path, const struct lode_timeline_job *job, uint32_t function,
			   struct lode_error *err);
