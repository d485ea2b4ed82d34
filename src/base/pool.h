/*
 * Threads: runs n independent jobs on at most `n_threads` threads.
 *
 * Jobs are started in order of their index (dynamic schedule). A job writes only to what belongs to
 * its index; whatever is combined is combined by the caller, in index order, after the run: so
 * results are the same for any number of threads.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* `worker` is 0..n_threads-1: an index for per-thread scratch. With one thread, runs inline. */
void lode_pool_run(unsigned n_threads, size_t n_jobs,
		   void (*job)(void *context, size_t index, unsigned worker), void *context);

/* The first job, by index, that failed of those that a worker ran; `{ 0 }`: none. One per worker,
   since there may be millions of jobs. */
struct lode_pool_failure {
	size_t job;
	struct lode_error err; /* status LODE_OK: none */
};

/* Takes note of what a job gave; `err` is read if rc < 0. */
void lode_pool_note(struct lode_pool_failure *failure, size_t job, int rc,
		    const struct lode_error *err);
/* The first of all workers, into `err`, which may be NULL; LODE_OK: none. */
int lode_pool_first_failure(const struct lode_pool_failure *failures, unsigned n_workers,
			    struct lode_error *err);

/* Number of CPUs that this process may use. */
unsigned lode_pool_cpus(void);
