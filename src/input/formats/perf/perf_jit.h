/*
 * Functions of a runtime that were at the same addresses one after the other, by a jitdump with
 * times: each one's addresses are mapped to its own place while it is there.
 *
 *   jit-PID.dump is mapped --> turns, in order of time --> the process's maps, when each begins
 */
#pragma once

#include "input/formats/perf/perf_dsos.h"
#include "input/symbols/spaces.h"

struct lode_perf_jit_process {
	int32_t pid;
	uint32_t dso; /* of its code */
	lode_jit_turns turns;
	size_t n_begun;
};

/* `{ .next_ns = INT64_MAX }` is empty. */
struct lode_perf_jit {
	LODE_VEC(struct lode_perf_jit_process) processes; /* that have turns */
	int64_t next_ns;				  /* when the next turn begins */
};

void lode_perf_jit_release(struct lode_perf_jit *jit);
/* The process has mapped its jitdump. */
void lode_perf_jit_add(struct lode_perf_jit *jit, struct lode_dso *dump, int32_t pid, uint32_t dso);
/* Turns that begin by `t_ns`. */
void lode_perf_jit_advance(struct lode_perf_jit *jit, struct lode_spaces *spaces, int64_t t_ns);
/* Memory of the process was mapped again, as when code becomes writable and back. */
void lode_perf_jit_mapped(struct lode_perf_jit *jit, struct lode_spaces *spaces, int32_t pid,
			  uint64_t start, uint64_t size);
