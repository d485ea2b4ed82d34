/*
 * perf-cpu*.dat of a uftrace directory: perf's records of one CPU each, without perf.data's header.
 * When threads left and entered a CPU, and what they called themselves.
 */
#pragma once

#include "base/map.h"
#include "model/loss.h"

enum lode_uftrace_sched_kind {
	LODE_UFTRACE_OUT,
	LODE_UFTRACE_OUT_PREEMPTED,
	LODE_UFTRACE_IN,
};

struct lode_uftrace_sched_event {
	int64_t t_ns;
	int32_t tid;
	uint32_t kind; /* enum lode_uftrace_sched_kind */
};

struct lode_uftrace_sched {
	LODE_VEC(struct lode_uftrace_sched_event) events; /* by thread, then by time */
	struct lode_map first;				  /* tid -> index of its first event */
	struct lode_strings names;			  /* of threads */
	struct lode_map name_of;			  /* tid -> string id of its last name */
};

/* A directory without such files gives nothing; bad records are counted. */
void lode_uftrace_sched_load(struct lode_uftrace_sched *sched, const char *directory,
			     struct lode_losses *losses);
void lode_uftrace_sched_release(struct lode_uftrace_sched *sched);

/* The thread's events, by time; `*n` of them. */
const struct lode_uftrace_sched_event *lode_uftrace_sched_of(const struct lode_uftrace_sched *sched,
							     int32_t tid, size_t *n);
/* Its name, NULL if none was recorded. */
const char *lode_uftrace_name_of(const struct lode_uftrace_sched *sched, int32_t tid);
