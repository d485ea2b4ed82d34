/*
 * Why a recording has no symptom, in words: which part of what was asked for matched nothing, and
 * what there is instead.
 *
 *	no thread is named 'gti'; did you mean 'git'? The recording has git (12 threads), sh (2)
 */
#pragma once

#include "model/symptom_events.h"
#include "model/stream.h"

/* What was asked for, and how far it was found. */
struct lode_symptom_none {
	const char *comm, *only_comm; /* globs, NULL: any. `only_`: of --comm and --pid */
	int32_t pid, tid, only_pid;   /* -1: any */
	bool is_process;	      /* `comm` and `pid` mean a process's main thread */
	size_t n_threads;	      /* that these parts mean, and that have an event */
	const struct lode_point *from, *to;
	size_t n_from, n_to, n_pairs; /* in these threads */
	int64_t min_ns, longest_ns;   /* of the pairs */
};

/* On the heap. */
char *lode_symptom_none_text(const struct lode_symptom_none *none,
			     const struct lode_stream *stream);
/* The same of a table with `n_rows` rows of the recording. */
char *lode_symptom_none_row_text(size_t n_rows);
