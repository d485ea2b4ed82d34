/*
 * Processes that end when lode does, however it ends: kill -9 included.
 *
 *   lode --fork--> child        PR_SET_PDEATHSIG: the kernel tells it that lode is gone
 *     '----fork--> lode-watch   holds pidfds of both: for a child whose program has rights of its
 *                               own (setuid, file capabilities), for which the kernel forgets it
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * In a child, between fork and exec: it gets `signum` when the thread that forked it ends. Ends the
 * process at once if `parent`, of before the fork, is gone already.
 */
void lode_end_with_parent(pid_t parent, int signum);

/*
 * Starts a watcher of `child`, which is not reaped yet: sends it SIGINT when lode is gone, or at
 * `end_ns` of CLOCK_MONOTONIC (INT64_MAX: never), and SIGKILL when it outlives lode by minutes. The
 * watcher ends with the child; when lode is gone by then, it removes the file `leftover` (NULL:
 * none). Gives its pid for lode_watcher_wait; -1: this kernel has no pidfds.
 */
pid_t lode_watcher_start(pid_t child, int64_t end_ns, const char *leftover);
/* Tells when that process has ended, by poll; -1: there is none, or this kernel has no pidfds. */
int lode_pidfd_open(pid_t pid);

/* Reaps it, after its child. */
void lode_watcher_wait(pid_t watcher);
