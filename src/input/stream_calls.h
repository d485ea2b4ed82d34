/*
 * Recordings of perf as function traces, so that `lode mine` and `lode timeline` show the same
 * trace: what each thread did at any time becomes calls, exactly as recorded, none from samples.
 *
 *   |running|  syscall:read                    |running  |syscall:..|ready|running
 *                 | wait:disk      | ready |
 *
 * In system calls (where they were recorded) a thread's waits are calls inside; outside of them it
 * is running, waiting or ready.
 */
#pragma once

#include "input/call_source.h"

/* Reads a recording of perf or what perf script printed. */
int lode_stream_calls_read(struct lode_input *input, const struct lode_call_options *options,
			   struct lode_call_sink *sink, struct lode_error *err);
