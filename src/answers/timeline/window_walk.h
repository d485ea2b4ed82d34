/*
 * The windows of one level of a timeline page that hold calls, in order of time.
 *
 *   calls      | || |                                              | |
 *   windows    |---|---|---|---|---|---|---|---|---|---|---|---|---|---|    of one length,
 *                |---|---|---|---|---|---|---|---|---|---|---|---|---|        overlapping by half
 *   visited    *  *                                                *  *
 *
 * Work follows the calls, not the span: from a window without calls the walk goes to the next call,
 * so it visits at most four windows per call, and one, however long nothing is called.
 */
#pragma once

#include "model/call_cursor.h"
#include "model/call_trace.h"

/* [t0, t1), and how many calls begin in it, over all threads. */
struct lode_walk_window {
	int64_t t0_ns, t1_ns;
	uint64_t n_calls;
};

/* Where one thread's calls are that begin at the window's start, middle and end, or behind. */
struct lode_walk_thread {
	const struct lode_call_thread *thread;
	uint64_t from, middle, to;
};

/* More threads than that share cursors: the last blocks of so many are kept unpacked. */
enum { LODE_WALK_CURSORS = 32 };

struct lode_window_walk {
	struct lode_call_trace *trace;
	int64_t n_steps;			 /* half windows in the trace's span */
	int64_t at;				 /* window to visit next: steps `at` and the next */
	int64_t known;				 /* window that the threads' places are of, or -1 */
	const struct lode_call_thread **ordered; /* by first call */
	size_t n_entered;			 /* of these: begun before the window's end */
	LODE_VEC(struct lode_walk_thread) going; /* entered, and not over before the window */
	struct lode_call_cursor *cursors;	 /* LODE_WALK_CURSORS */
	uint64_t n_visited;			 /* windows, with and without calls */
};

/* Windows of which there are `n_steps` - 1; 2 steps make one. The span is at least as many ns. */
void lode_window_walk_init(struct lode_window_walk *walk, struct lode_call_trace *trace,
			   int64_t n_steps);
void lode_window_walk_release(struct lode_window_walk *walk);

/* 1: the next window with calls; 0: there is none. */
int lode_window_walk_next(struct lode_window_walk *walk, struct lode_walk_window *window,
			  struct lode_error *err);
/* The next windows end behind `t_ns`. */
void lode_window_walk_pass(struct lode_window_walk *walk, int64_t t_ns);
