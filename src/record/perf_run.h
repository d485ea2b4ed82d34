/*
 * perf beside the command that it records.
 *
 *   lode --+-- perf record -a    events off until all is set up; SIGINT closes its file
 *          +-- the command       named perf-exec, as perf's own would be, until perf says that
 *          |                     events are on; then it begins
 *          +-- lode-watch        (parent_watch.h)
 *
 * While it records, lode is called lode-record, and perf lode-perf.
 *
 * The command is no child of perf, which would end it (SIGTERM) whenever the recording ends: when
 * lode is killed, perf closes its file and is gone, and the command goes on.
 */
#pragma once

#include "record/recorder.h"

struct lode_perf_run {
	pid_t command;	    /* 0: none */
	int command_status; /* as waitpid gives it; -1: none, it never began or has not ended */
	bool was_stopped;   /* by a signal or by the duration */
	bool has_recorded;  /* events were on, */
	int64_t begin_ns;   /* from here on, by CLOCK_MONOTONIC */
	enum lode_stack_kind
		kind;	     /* unless CHAINS, there are dumps beside (record/dump_recorder.h) */
	bool ended_early;    /* perf ended before it was asked to */
	pid_t still_running; /* the command, which did not end when it was asked to; 0: it has */
};

/*
 * Records into the file `data` until the command or the last of options->pids ends, the duration is
 * over, or SIGINT, SIGTERM or
 * SIGHUP reach this process: then perf gets SIGINT and the command SIGTERM, and both are waited
 * for; a second signal leaves the command to itself. `note` is called before anything is recorded,
 * with the process that will be the command.
 */
int lode_perf_run(struct lode_perf_run *out, const struct lode_record_options *options,
		  const char *data, void (*note)(void *context, pid_t command), void *context,
		  struct lode_error *err);
