/*
 * Threads of one trace that ran on different clocks: texts of two machines in one folder, times
 * since boot beside times since 1970.
 *
 *   recorded    |thread 1|                    45 million s                    |thread 2|
 *   here        |thread 1|
 *               |thread 2|        each clock from its own zero: the same time
 *
 * A trace is recorded in one go, so that its threads overlap, or follow each other within some
 * times of what was recorded. Where all threads lie on one side or the other of a time in which
 * nothing is called, longer than a day and than a hundred times all that was recorded, their clocks
 * cannot be compared; where they can (a thread that begins an hour later, or three days into a
 * recording of weeks), nothing changes. A gap within a thread parts nothing: a thread has one
 * clock.
 *
 * LIMIT: clocks that happen to show about the same time are not distinguished.
 */
#pragma once

#include "model/call_trace.h"

/* What parts clocks: longer than both. */
#define LODE_CALL_CLOCK_GAP_NS ((int64_t)86400 * 1000000000)
enum { LODE_CALL_CLOCK_TIMES = 100 };

/*
 * Finds the clocks of a trace whose threads are complete, but for what is not loaded; gives each
 * thread its clock, and moves the times of all to one zero: that of the first clock. Sets the
 * trace's first_ns and last_ns.
 */
void lode_call_clocks_find(struct lode_call_trace *trace);

/* Moves what has just been loaded of a thread as the rest of it was. */
void lode_call_clocks_move(const struct lode_call_trace *trace, struct lode_call_thread *thread);

/* "threads 3, 6, 8, 20": the threads of a clock, the first few by name; into `buffer`. */
const char *lode_call_clock_threads(const struct lode_call_trace *trace, uint32_t clock,
				    char *buffer, size_t size);
