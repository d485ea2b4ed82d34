/*
 * Threads of Go programs that have no goroutine to run.
 *
 *   main.serve > runtime.gopark > runtime.mcall > runtime.park_m > runtime.schedule >
 *   runtime.findRunnable > runtime.netpoll > runtime.epollwait > [kernel] ep_poll > schedule
 *
 * The goroutine parked, and its thread looks for another: what the goroutine waits for is not in
 * the recording, nor is what the thread sleeps in of any meaning, and the frames above
 * runtime.mcall are those of whichever goroutine parked last. Such waits are all one stack,
 * `(no goroutine to run)` of the program's file, with the reason LODE_REASON_IDLE and no waker.
 *
 * The same holds for Go's monitor thread, which runs none.
 *
 * Recognised by two functions of Go's scheduler, of one file, of which the first calls the second:
 * their names contain a dot, which no C or C++ function does. System calls of goroutines, and locks
 * of C code, are below neither.
 */
#pragma once

#include "model/frame.h"

#define LODE_GO_IDLE "(no goroutine to run)"

/* Per node of `tree`, to which stacks are added: the stack of a thread that waits there without a
   goroutine, or 0. NULL: there is none. The caller frees it. O(frames + nodes). */
uint32_t *lode_go_idle_stacks(struct lode_calltree *tree);
