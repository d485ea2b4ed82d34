/*
 * Threads that run, block, wake each other and are preempted on a few CPUs, told to a perf.data
 * writer as perf would record it. What the planted patterns truly cost is kept beside.
 *
 *   picked -> activity at a site: running, perhaps preempted, until it blocks
 *          -> blocked at that site -> woken by a thread or a device -> ready -> running: next site
 *
 * A planted pattern's cost is the time that threads spend in activities at its sites, in all three
 * states.
 */
#ifndef GEN_SCHED_H
#define GEN_SCHED_H

#include <stdint.h>

#include "gen_perf.h"
#include "gen_world.h"

struct gen_sched_options {
	uint64_t seed;
	uint64_t n_events; /* stop after so many samples; 0: no bound */
	uint64_t n_bytes;  /* stop after so many bytes; 0: no bound */
	uint32_t n_threads, n_cpus;
	bool has_losses; /* now and then a CPU drops samples, and says so */
};

struct gen_cost {
	int64_t run_ns, wait_ns, ready_ns;
	uint64_t n; /* activities */
};

struct gen_truth {
	struct gen_cost *planted; /* per planted pattern */
	struct gen_cost all;
	int64_t t0_ns, t1_ns;
	uint64_t n_samples, n_lost, n_switches, n_wakings;
};

/* Fills one file. `truth->planted` has room for the world's patterns; all is added to `truth`. */
void gen_sched_run(struct gen_perf *perf, const struct gen_world *world,
		   const struct gen_sched_options *options, struct gen_truth *truth);

#endif
