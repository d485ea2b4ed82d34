/*
 * Threads: runs n independent jobs on at most `n_threads` threads.
 *
 * Jobs are started in order of their index (dynamic schedule). A job writes only to what belongs to
 * its index; whatever is combined is combined by the caller, in index order, after the run: so
 * results are the same for any number of threads.
 */
#ifndef LODE_POOL_H
#define LODE_POOL_H

#include <stddef.h>

/* `worker` is 0..n_threads-1: an index for per-thread scratch. With one thread, runs inline. */
void lode_pool_run(unsigned n_threads, size_t n_jobs,
		   void (*job)(void *context, size_t index, unsigned worker), void *context);

/* Number of CPUs that this process may use. */
unsigned lode_pool_cpus(void);

#endif
