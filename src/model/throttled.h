/*
 * Threads that the CPU limit of their cgroup took off the CPU (cpu.max, cfs_quota_us).
 *
 *   thread   |run|~~~~~~~~ off the run queue ~~~~~~~~|run|~~~~~~~~     time -->
 *   period   |20 ms used up                          |next period
 *
 * Since Linux 6.18 such a thread leaves its CPU in a task work on its way to user space, and no
 * other task work gives the CPU away. The switch says that it is runnable, but no free CPU would
 * have helped it: that is a wait for the next period, and no ready time.
 *
 * LIMIT: before 6.18 the stack of the switch is that of any preemption, and the time is ready time,
 * with `[idle]` for who ran instead if the CPU was free. The same holds for a thread that is woken
 * while its cgroup is throttled.
 */
#pragma once

#include "model/frame.h"

/* Per node of `tree`: is it the stack of such a switch? The caller frees it. */
bool *lode_throttled_stacks(const struct lode_calltree *tree);
