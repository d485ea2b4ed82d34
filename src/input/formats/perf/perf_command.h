/*
 * Which threads are the recorded command's.
 *
 * perf forks, calls its child "perf-exec", and the child executes the command: the thread that
 * leaves that name behind is the command's first. A recording of all threads shows the commands of
 * other perfs as well, which began beside it:
 *
 *   perf (recorded this)    |~~~~ perf-exec |exec make ...............|   the command
 *   perf (another)               |exec perf |~ perf-exec |exec sleep ..   no child of the recorder,
 *                                                                         which was there before
 * Of several that may be it, the first with a name that stands in perf's own command line, else the
 * first, is the command's. When the recording shows none of the recorder's: the threads perf was
 * told to record (THREAD_MAP), else the first program executed by a child of "perf". What `lode
 * record` notes comes before all of these.
 */
#pragma once

#include "model/stream.h"

/* A thread that was called "perf-exec", and what it was called then. */
struct lode_perf_exec {
	lode_thread_id thread;
	uint32_t comm;
};

struct lode_perf_command {
	struct lode_map marks; /* tid -> bits of what is known of it */
	LODE_VEC(struct lode_perf_exec) execs;
	lode_thread_id child_root;	 /* of "perf", by its first exec */
	LODE_VEC(int32_t) recorded_pids; /* of THREAD_MAP, or given */
	bool has_given_pids;
	bool is_system_wide; /* THREAD_MAP says "all" */
};

void lode_perf_command_init(struct lode_perf_command *command);
void lode_perf_command_release(struct lode_perf_command *command);

/* To be called after the stream knows of it. */
void lode_perf_command_comm(struct lode_perf_command *command, const struct lode_stream *stream,
			    int32_t tid, const char *comm, bool is_exec);
void lode_perf_command_fork(struct lode_perf_command *command, int32_t tid, int32_t parent_tid);
void lode_perf_command_thread_map(struct lode_perf_command *command, int32_t pid);

/* "12,13": whatever the recording shows besides, these processes were recorded. */
void lode_perf_command_give_pids(struct lode_perf_command *command, const char *pids);

/* Marks the finished stream's threads: the command's first, and all that descend from it; and
   whether perf was attached to them. */
void lode_perf_command_mark(const struct lode_perf_command *command, struct lode_stream *stream);
