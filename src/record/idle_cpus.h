/*
 * CPUs that idle: whether this machine's tracepoints run on them, and how they are kept from it. On
 * some virtual machines tracepoints do not: sched_switch says that a CPU goes idle, and nothing
 * about who comes in after it; wake-ups by interrupts are missing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Sleeps some times on each CPU that this process may use, a millisecond for each, and counts the
 * switches to idle and from it. True: on some CPU there were switches to idle only. A machine that
 * is busy meanwhile shows nothing. Needs the rights that a recording needs.
 */
bool lode_idle_is_untraced(void);

/*
 * Spinners that keep every CPU from idling. One of class SCHED_IDLE on each CPU makes the recording
 * complete. It yields at once only within its own autogroup or cgroup, and so slows others
 * (docs/record.md).
 */
struct lode_spinners {
	pid_t *pids;
	size_t n;
};

/* One child process per CPU that this process may use. They die with it, whatever happens. */
int lode_spinners_start(struct lode_spinners *spinners, struct lode_error *err);
void lode_spinners_stop(struct lode_spinners *spinners);
