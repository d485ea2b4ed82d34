/*
 * A window of a trace, summarised again: what a page asks for when the reader zooms.
 *
 *   trace      |----------------------------------------------|
 *   window              [ t0      t1 )
 *   threads    as if the window were all: calls that overlap it, RegTime, or the calls themselves
 *              where there are few enough
 *
 * From an index (or a trace that was read) without reading the trace again; the same answer for any
 * number of our threads.
 */
#pragma once

#include "engine/regtime/regtime.h"
#include "model/call_trace.h"

/* Single calls of a thread that a page is given: as many as a wide screen has pixels for. */
enum { LODE_WINDOW_SINGLE_CALLS = 1500 };

struct lode_timeline_window_query {
	int64_t t0_ns, t1_ns; /* t0 < t1 */
	/* Thresholds that are shares are divided by this: 4 shows as much of a quarter of the
	   window as RegTime shows of a whole. 0 is 1. */
	unsigned detail;
	/* A thread with no more calls than this in the window comes as single calls: the pixels
	   that there are to draw them on are a good measure. 0: none does. */
	uint64_t single_calls;
	const struct lode_call_thread *only; /* NULL: all threads */
	unsigned n_threads;		     /* of ours; 0: one */
};

/* `options`: thresholds, and whether it is classic. */
int lode_timeline_window(struct lode_regtime **out, struct lode_call_trace *trace,
			 const struct lode_regtime_options *options,
			 const struct lode_timeline_window_query *query, struct lode_error *err);

/* Whether nothing is summarised in it: each thread that was asked for is there call by call. */
bool lode_timeline_window_is_single(const struct lode_regtime *window);
