/*
 * Whether this machine's tracepoints run on CPUs that idle. On some virtual machines they do not:
 * sched_switch tells that a CPU goes idle, and nothing of who comes in after it.
 */
#pragma once

#include <stdbool.h>

/*
 * Sleeps some times on each CPU that this process may use, a millisecond for each, and counts the
 * switches to idle and from it. True: on some CPU there were switches to idle only. A machine that
 * is busy meanwhile shows nothing. Needs the rights that a recording needs.
 */
bool lode_idle_is_untraced(void);
