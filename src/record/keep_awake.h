/*
 * Spinners that keep every CPU from idling.
 *
 * Some virtual machines trace nothing while a CPU idles: wake-ups by interrupts are then missing. A
 * spinner of class SCHED_IDLE on each CPU makes the recording complete. It yields at once only
 * within its own autogroup or cgroup, and so slows others (docs/record.md).
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct lode_spinners {
	pid_t *pids;
	size_t n;
};

/* One child process per CPU that this process may use. They die with it, whatever happens. */
int lode_spinners_start(struct lode_spinners *spinners, struct lode_error *err);
void lode_spinners_stop(struct lode_spinners *spinners);
