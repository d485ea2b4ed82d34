/*
 * Taking in a trace: a source's events -> struct lode_call_trace.
 *
 *   source   events of threads 7 9 7 8 9 ...      one at a time, as they come
 *   pairing  |7 7| |8| |9 9|                      side by side, each thread's in order
 *
 * While the source reads, other threads of ours pair; a source that is ahead helps. What comes out
 * does not depend on how many there are.
 */
#pragma once

#include "model/call_trace.h"
#include "model/calls.h"

/* A source: calls the sink, gives LODE_OK or an error (lode_calls_read of input/call_source.h).
 */
typedef int lode_call_reader(void *context, struct lode_call_sink *sink, struct lode_error *err);

struct lode_call_intake_options {
	unsigned n_threads;  /* 0: one */
	unsigned block_bits; /* 0: LODE_CALL_BLOCK_BITS */
	size_t memory_bytes; /* of packed calls; what is beyond goes to a file. 0: no bound */
};

/* Reads a whole trace. `path` is borrowed, for messages. */
int lode_call_intake(struct lode_call_trace **out, const char *path, lode_call_reader *read,
		     void *context, const struct lode_call_intake_options *options,
		     struct lode_error *err);
