/*
 * Waits for a disk that ended without a recorded waking, on a CPU that idled.
 *
 *   thread   |run|~~~~ io_schedule ~~~~|run|
 *   CPU      |run|.... idle ...........|run|     the request's completion is not traced
 *
 * Some virtual machines trace nothing while a CPU idles, and so not the interrupt of a request that
 * completes there. A thread that wakes another is at work on a CPU and recorded: what ended the
 * wait was the disk, as where the interrupt was traced. Otherwise one place would have two kinds of
 * waits, "→ disk" and nothing, whose costs fall into two clusters.
 *
 * io_uring waits for any kind of request; what it waits for is a disk if the thread sent one a
 * request since its last wait.
 */
#pragma once

#include "model/stream.h"

enum lode_io_wait {
	LODE_IO_NONE,
	LODE_IO_DISK, /* the kernel counts it as I/O, and nothing but its end ends it */
	LODE_IO_RING, /* io_uring: a disk if a request was sent to one */
};

/* Per node of `tree`, enum lode_io_wait; NULL if there is no such stack. The caller frees it. */
uint8_t *lode_io_stacks(const struct lode_calltree *tree);

/* Did the CPU that the thread went on at after event `wait` idle until then? */
bool lode_came_from_idle(const struct lode_stream *stream, const struct lode_events *events,
			 size_t wait);
