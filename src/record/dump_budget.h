/*
 * Whether stack dumps come slowly enough for perf to write them.
 *
 *   each CPU's buffer   fills by the size of a dump with each switch and CPU sample, by so much a
 *                       second it is emptied; half full is too full
 *
 * Switches are counted by the kernel beside perf, so that this is known before dumps are lost.
 */
#pragma once

#include "record/recorder.h"

struct lode_dump_budget {
	int64_t most_bytes;    /* that may wait on a CPU */
	int64_t emptied_per_s; /* bytes, of each CPU */
	int64_t samples_per_s; /* of each CPU, beside what is counted */
	int64_t dump_bytes;
	size_t n_cpus;
	struct lode_dump_cpu {
		int counter; /* -1: none */
		uint64_t n_counted;
		int64_t waiting_bytes;
	} * cpus;
	int64_t seen_ns; /* up to when */
};

void lode_dump_budget_open(struct lode_dump_budget *budget,
			   const struct lode_record_options *options, int64_t now_ns);
void lode_dump_budget_close(struct lode_dump_budget *budget);

/* Whether what came meanwhile is too much for some CPU. */
bool lode_dump_budget_is_spent(struct lode_dump_budget *budget, int64_t now_ns);
/* The same of one CPU: `n_switches` in `for_ns`. */
bool lode_dump_budget_take(const struct lode_dump_budget *budget, struct lode_dump_cpu *cpu,
			   uint64_t n_switches, int64_t for_ns);
