/*
 * Function traces for tests: random ones, and what a source delivers of one, in the same shape.
 *
 * Functions are numbers; a source sees them as "f<number>" (an XRay log without names gives
 * "#<number>", which is the same).
 */
#ifndef LODE_TEST_CALL_TRACE_H
#define LODE_TEST_CALL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"
#include "model/calls.h"
#include "random.h"

enum { TEST_NO_FUNCTION = 0 };

struct test_event {
	int64_t t;	   /* ns; in traces to be written as ticks: ticks */
	uint32_t function; /* TEST_NO_FUNCTION for exits of anything, and cuts */
	uint8_t kind;	   /* enum lode_call_event_kind */
};

struct test_thread {
	int32_t pid, tid;
	char name[64]; /* "": none */
	LODE_VEC(struct test_event) events;
};

struct test_trace {
	LODE_VEC(struct test_thread) threads;
};

struct test_shape {
	uint32_t max_threads, max_events; /* events per thread */
	uint32_t n_functions;
	int64_t start; /* of the earliest event, at least */
	int64_t typical_gap, rare_gap;
	bool is_open; /* threads may begin in the middle of a stack, and end in one */
	bool has_tail_exits;
};

/* Properly nested but for `is_open`; times of a thread never fall. Threads have pid 100. */
void test_trace_random(struct test_trace *trace, const struct test_shape *shape,
		       struct test_random *random);
void test_trace_release(struct test_trace *trace);
struct test_thread *test_trace_thread(struct test_trace *trace, int32_t pid, int32_t tid);

/* Prints the first difference and gives false; order of threads, and those without events, do not
   count. */
bool test_trace_equal(const struct test_trace *want, const struct test_trace *have);

/* ---- What a source delivers ---- */

struct test_collector {
	struct lode_call_sink sink; /* to be given to the source */
	struct lode_losses losses;
	struct test_trace trace;
	LODE_VEC(uint32_t) functions; /* [sink's id]: number */
	struct lode_strings names;    /* [number - 1000000]: functions with other names */
	uint64_t n_events;
};

#define TEST_OTHER_FUNCTION 1000000

void test_collector_init(struct test_collector *collector);
void test_collector_release(struct test_collector *collector);

#endif
