/*
 * What processes are called while a recording runs: a child of lode reads their command lines,
 * which perf does not record.
 *
 *   t_ns <tab> pid <tab> title          t_ns of CLOCK_MONOTONIC, as the recording's
 *   2151653288825  7315  cc1\0giant.c
 *   2151703288825  801   postgres: app shop [local]
 *
 * A process is read when it starts a program, where the kernel tells (below), and
 * within 100 ms of its birth, again until it is a second old, then about each second, since it may
 * call itself something else; a line is written when it changed. What is stored of it:
 * record/stored_words.h. The lines go to a file without a name; at the end titles.tsv of the bundle
 * gets those of processes that matter, so that of others nothing is ever in a folder. The reader of
 * it: input/titles.h.
 */
#pragma once

#include "record/recorder.h"

/*
 * Starts it, writing to `fd`; it ends with lode, whatever happens. 0: it could not be started,
 * which costs names only.
 */
pid_t lode_title_watch_start(int fd, enum lode_titles titles);
/* Lets it look once more, and waits for its end. */
void lode_title_watch_stop(pid_t watch);
/*
 * Writes titles.tsv from what it wrote to `fd`, of the processes that have a number in `pids`;
 * NULL: of all. *n is how many they are; without any there is no file.
 */
int lode_titles_write(size_t *n, const char *bundle, int fd, const struct lode_map *pids,
		      struct lode_error *err);

/*
 * Who starts a program, told by the kernel at once (its process connector): needs root, and the
 * machine's own numbers of processes.
 */

/* A descriptor that can be polled, non-blocking; -1: the kernel does not tell this process. */
int lode_exec_events_open(void);
/* Process numbers that came since, at most `most`; 0: none is left. */
size_t lode_exec_events_read(int fd, int32_t *pids, size_t most);
