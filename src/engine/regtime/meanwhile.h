/*
 * What every thread did during a span of time (task T3 of the thesis), and what a function did over
 * time (T1): from the index of calls, exact to the nanosecond.
 *
 * A leaf function's time is that in which it was innermost: leaf times and idle time tile the span.
 */
#pragma once

#include "engine/regtime/regtime.h"
#include "model/call_cursor.h"
#include "model/call_trace.h"

/*
 * What a thread did at one moment: its stack, call by call, and the item of its timeline.
 */

struct lode_moment {
	size_t thread;
	int64_t t_ns;
	lode_call_vec open; /* outermost first */
	/* The innermost item that holds the moment, or NULL: nothing was called. */
	const struct lode_regtime_item *item;
	int64_t t0_ns, t1_ns; /* of the item, or of the time in which nothing was called */
};

int lode_moment_find(struct lode_moment *out, const struct lode_regtime *regtime, size_t thread,
		     int64_t t_ns, struct lode_error *err);
void lode_moment_release(struct lode_moment *moment);

struct lode_leaf {
	uint32_t function;
	uint64_t leaf_ns;
	uint64_t n_calls; /* that overlap the span */
};

struct lode_meanwhile_thread {
	const struct lode_call_thread *thread;
	uint64_t idle_ns; /* nothing was called: also before its first call and behind its last */
	uint64_t n_calls;
	LODE_VEC(struct lode_leaf) leaves; /* by time, then by name */
};

struct lode_meanwhile {
	int64_t t0_ns, t1_ns;
	uint32_t clock;	  /* that the span is on: of threads on other ones nothing is known */
	size_t n_threads; /* of the trace, in its order */
	struct lode_meanwhile_thread *threads;
};

/* The order of functions by name; LODE_NONE is last. */
int lode_function_compare(uint32_t x, uint32_t y, const struct lode_calltree *functions);
/* The order of leaves: below 0 when `x` comes first. */
int lode_leaf_compare(const struct lode_leaf *x, const struct lode_leaf *y,
		      const struct lode_calltree *functions);
/* A thread's, in that order. */
void lode_leaves_sort(struct lode_meanwhile_thread *out, const struct lode_calltree *functions);

/* Whether it is known what a thread did. */
static inline bool lode_meanwhile_knows(const struct lode_meanwhile *meanwhile, size_t thread)
{
	return meanwhile->threads[thread].thread->clock == meanwhile->clock;
}

/* `only` NULL: all threads, of a span on `clock`; else that one, and n_threads is 1. Of many
   spans: meanwhile_many.h. */
int lode_meanwhile_make(struct lode_meanwhile *out, struct lode_call_trace *trace,
			const struct lode_call_thread *only, uint32_t clock, int64_t t0_ns,
			int64_t t1_ns, unsigned n_threads, struct lode_error *err);
/* Of a thread that was compressed as a whole: as above over its own time, from what is known. */
void lode_meanwhile_of_whole(struct lode_meanwhile_thread *out, const struct lode_call_trace *trace,
			     const struct lode_regtime_thread *thread);
void lode_meanwhile_release(struct lode_meanwhile *meanwhile);

/*
 * For each of `n_bins` equal parts of [t0, t1): how long the thread was in `function`, callees
 * included, recursion counted once.
 */
int lode_function_over_time(uint64_t *bins_ns, size_t n_bins, struct lode_call_trace *trace,
			    const struct lode_call_thread *thread, uint32_t function, int64_t t0_ns,
			    int64_t t1_ns, struct lode_error *err);

/* The calls of one function in a thread that overlap [t0, t1), or all where these are equal: how
   many, their time in it (recursion counted once), and the longest as a whole. */
struct lode_function_use {
	uint64_t n_calls, total_ns;
	struct lode_call longest; /* n_calls 0: none */
};
int lode_function_use(struct lode_function_use *out, struct lode_call_trace *trace,
		      const struct lode_call_thread *thread, uint32_t function, int64_t t0_ns,
		      int64_t t1_ns, struct lode_error *err);
