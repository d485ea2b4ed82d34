/*
 * What all threads do while one thread is in a function or idle, and what they do otherwise: is it
 * more than at other times? (The question of the thesis's study, appendix A, over all intervals.)
 *
 *   condition   sorter-1 in shelf_lock   ..####......####..####....    spans, inside
 *   archivist                            ..copy......copy..rest....    copy: inside 67 %, outside 0
 * %
 *
 * A thread's time is that of its leaf functions and idle time, so rows of a thread add up to the
 * time inside and outside.
 *
 * p: both are laid on LODE_DURING_BINS equal bins, and the condition is shifted against the thread
 * by each number of bins, around the end: p is the share of shifts with at least the difference of
 * no shift, in either direction. Shifting keeps how each of them goes by itself, such as phases and
 * long calls, and takes away only what they have to do with each other.
 */
#pragma once

#include "model/call_trace.h"

enum { LODE_DURING_BINS = 1024 };

struct lode_during_condition {
	size_t thread;	   /* of the trace */
	uint32_t function; /* anywhere on its stack; LODE_NONE: nothing is called */
};

struct lode_during_span {
	int64_t from_ns, to_ns;
};

struct lode_during_row {
	size_t thread;
	uint32_t function; /* LODE_NONE: idle */
	int64_t inside_ns, outside_ns;
	uint64_t n_inside, n_outside; /* calls of the function that begin then; of idle time 0 */
	double difference;	      /* share of the time inside - share of the time outside */
	double p; /* NaN: less than LODE_DURING_LEAST of both, or nothing to compare with */
};

/* Share of the time inside or outside from which on p is computed. */
#define LODE_DURING_LEAST 0.001

struct lode_during {
	int64_t t0_ns, t1_ns;
	int64_t inside_ns, outside_ns;
	/* In order, without overlaps; merged where one begins at the end of the one before. */
	LODE_VEC(struct lode_during_span) spans;
	/* Threads other than the condition's on the same clock; largest difference first, of either
	   direction, then by thread and name. */
	LODE_VEC(struct lode_during_row) rows;
};

/* Within [t0, t1). */
int lode_during_make(struct lode_during *out, struct lode_call_trace *trace,
		     const struct lode_during_condition *condition, int64_t t0, int64_t t1,
		     struct lode_error *err);
void lode_during_release(struct lode_during *during);
