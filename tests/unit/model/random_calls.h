/*
 * Random function traces for tests, and the plainest pairing of them: one list of calls per thread,
 * each with its caller, found by looking.
 */
#ifndef LODE_TEST_RANDOM_CALLS_H
#define LODE_TEST_RANDOM_CALLS_H

#include "base/mem.h"
#include "model/call_intake.h"
#include "model/call_trace.h"
#include "model/calls.h"
#include "random.h"

enum { RANDOM_MAX_THREADS = 5, RANDOM_MAX_FUNCTIONS = 8 };

struct random_thread {
	LODE_VEC(struct lode_call_event) events;
};

struct random_trace {
	size_t n_threads, n_functions;
	struct random_thread threads[RANDOM_MAX_THREADS];
	struct test_random random; /* of the order in which events are delivered */
};

struct random_options {
	size_t max_events; /* per thread */
	unsigned depth;	   /* about how deep */
	unsigned faults;   /* of 100 events: lost ones, exits without entry, cuts, times back */
	int64_t long_step; /* now and then, so long passes */
};

void random_trace_make(struct random_trace *trace, struct test_random *random,
		       const struct random_options *options);
void random_trace_release(struct random_trace *trace);

/* A lode_call_reader; `context` is the trace. Events come in batches of random length, threads in
   random turns. */
int random_trace_read(void *context, struct lode_call_sink *sink, struct lode_error *err);
struct lode_call_trace *random_trace_intake(struct random_trace *trace, unsigned n_threads,
					    unsigned block_bits);

/* ---- Plain calls ---- */

struct plain_call {
	int64_t start, end;
	uint32_t function, depth;
	size_t caller; /* index, or SIZE_MAX */
};

struct plain_thread {
	LODE_VEC(struct plain_call) calls; /* in order of start, callers first */
	uint64_t repairs[LODE_N_REPAIRS];
};

void plain_pair(struct plain_thread *out, const struct random_thread *thread);

/* Whether two calls have the same functions on their stacks. */
bool plain_same_stack(const struct plain_thread *thread, size_t a, size_t b);

#endif
