/*
 * task.txt of a uftrace directory: which threads and processes there were, and which program each
 * process ran from when on (a session; exec starts another).
 *
 *   SESS timestamp=2382.992937134 pid=17616 sid=c5728aecfb195779 exename="./demo"
 *   TASK timestamp=2382.992986668 tid=17616 pid=17616
 *   FORK timestamp=2382.993000000 pid=17700 ppid=17616
 *   DLOP timestamp=2382.994000000 tid=17616 sid=c5728aecfb195779 base=7f12 libname="/a/b.so"
 */
#pragma once

#include "base/map.h"
#include "model/loss.h"

struct lode_uftrace_session {
	int32_t pid;
	int64_t t_ns;
	const char *sid, *exename;
};

/* A library that was loaded later. */
struct lode_uftrace_dlopen {
	const char *sid, *path;
	uint64_t base;
};

struct lode_uftrace_tasks {
	LODE_VEC(struct lode_uftrace_session) sessions; /* in order of the file */
	LODE_VEC(struct lode_uftrace_dlopen) dlopens;
	struct lode_map pids;	 /* tid -> pid */
	struct lode_map parents; /* pid -> pid */
	struct lode_arena arena;
};

/* A missing task.txt is a loss: threads are then their own processes. */
void lode_uftrace_tasks_load(struct lode_uftrace_tasks *tasks, const char *directory,
			     struct lode_losses *losses);
void lode_uftrace_tasks_release(struct lode_uftrace_tasks *tasks);

/* The process of a thread; the thread itself where it is not known. */
int32_t lode_uftrace_pid(const struct lode_uftrace_tasks *tasks, int32_t tid);

/* Index of what process `pid` ran at `t_ns` (its parents' before it had one of its own), or
 * LODE_NONE if there is no session at all. */
uint32_t lode_uftrace_session_at(const struct lode_uftrace_tasks *tasks, int32_t pid, int64_t t_ns);
