/*
 * Who had the CPU while a thread was ready: woken or preempted, and in the queue of a CPU.
 *
 *   thread   |~~ wait ~~|  ready         |run|
 *   its CPU  | cc1          | sh | idle |thread|
 *   instead             |cc1| sh | idle |            they sum to the ready time
 *
 * A preempted thread stands in the queue of the CPU that it left, a woken one in that of the CPU
 * which it gets. Who moves on to another CPU while it is ready waits in several; the recording
 * does not say since when.
 */
#pragma once

#include "model/stream.h"

struct lode_ran_instead {
	/* Set by lode_ran_instead_next: */
	lode_thread_id thread; /* LODE_IDLE: none; LODE_NONE: not recorded */
	int64_t cost_ns;

	const struct lode_cpu_run *runs; /* of the CPU; NULL: not known which that is */
	size_t n, next;
	int64_t at_ns, end_ns;
};

/*
 * For [start_ns, end_ns) of a ready event. `near` has a number for each CPU of the stream, 0 at
 * first: where the last one was found, which the next is mostly close to; may be NULL. O(log
 * runs of the CPU between the two), then O(1) for each stretch.
 */
void lode_ran_instead_begin(struct lode_ran_instead *ran, const struct lode_stream *stream,
			    lode_thread_id thread, size_t event, int64_t start_ns, int64_t end_ns,
			    size_t *near);
/* The next stretch of time in which one had the CPU; false: there are no more. */
bool lode_ran_instead_next(struct lode_ran_instead *ran);
