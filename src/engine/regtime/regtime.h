/*
 * RegTime: one thread's millions of calls as a few hundred glyphs, in order of time
 * ([REGTIME24] chapter 4; docs/timeline.md).
 *
 *   calls    |ab|ab|ab|     |===== long call =====|ab|ab|ab|ac|ab ...
 *                              |cd|cd|cd|cd|cd|
 *   items    [expr ]  gap   |  long call          |[expression      ]
 *                              [ expr ]
 *
 * A call longer than `long_call` stays as it is, and its callees are looked at. The first call that
 * is not opens an expression at its depth, which takes in what follows, with all callees, until a
 * call of that depth
 *
 *   - is longer than `long_call`,
 *   - starts more than `gap` after the end of the one before,
 *   - would make the expression longer than `expression`,
 *   - [ours] starts at or after a border that the expression began before: the start or the end of
 *     an outlier of another thread ([REGTIME24] §7.6),
 *
 * or until a call of smaller depth. So no call is split, and no expression crosses its caller's
 * end. An expression keeps its calls merged by stack, in order of first occurrence. The pseudocode
 * of the thesis leaves the calls after the last closed expression as they are; its authors' program
 * ends the expression there, and so do we.
 *
 * Classic is the above without what is marked. Ours adds those borders, gaps as items of their own,
 * and folding: functions whose time is negligible are folded, counted, and can be unfolded. Nothing
 * is lost in any of this: times and numbers of calls per function are those of the calls, exactly.
 *
 * A window of a thread is summarised as a thread of its own: the calls that overlap it, with
 * thresholds that are shares of its length.
 */
#pragma once

#include "model/call_trace.h"

/* A share of the thread's total time, or a time. */
struct lode_regtime_threshold {
	bool is_time;
	int64_t ns;	   /* if it is a time */
	int64_t parts_1e9; /* else: billionths of the whole */
};

#define LODE_REGTIME_SHARE(share) \
	((struct lode_regtime_threshold){.parts_1e9 = (int64_t)((share)*1e9 + 0.5)})
#define LODE_REGTIME_TIME(time_ns) \
	((struct lode_regtime_threshold){.is_time = true, .ns = (time_ns)})

/* Exact, rounded down: longer than this is longer than the share. */
int64_t lode_regtime_threshold_ns(struct lode_regtime_threshold threshold, int64_t whole_ns);

struct lode_regtime_options {
	/* CallDurationThresh, CallGapThresh, TotalTimeFractionThresh of the thesis */
	struct lode_regtime_threshold long_call, gap, expression;
	/* Functions with less of the thread's total time, or of an expression's, are folded there.
	   0: nothing is. */
	struct lode_regtime_threshold negligible;
	bool is_classic;
	/* Nodes that are folded stay, marked; otherwise only what they come to does. */
	bool keep_folded;
	/* Only [t0_ns, t1_ns) of each thread; t0_ns == t1_ns: all. */
	int64_t t0_ns, t1_ns;
	/* A thread with no more calls than this in the window is left as it is: each call is kept,
	   however short. 0: none is. */
	uint64_t single_calls;
	unsigned n_threads; /* of ours */
	/* Compress only this one; of the others only what its borders need. NULL: all. */
	const struct lode_call_thread *only;
};

/* 1 %, 0.1 %, 13 %, 1 %: the thesis's, chapter 5, and the design's. */
struct lode_regtime_options lode_regtime_defaults(void);

enum lode_regtime_kind {
	LODE_REGTIME_CALL, /* as it is */
	LODE_REGTIME_EXPRESSION,
	LODE_REGTIME_GAP, /* between two calls of one caller, or of none: nothing was called */
};

/* A node of an expression's tree: its calls with one stack. */
struct lode_regtime_node {
	uint32_t stack;
	uint32_t caller; /* node of the same expression, or LODE_NONE */
	uint64_t n_calls;
	uint64_t total_ns, own_ns; /* own: without callees */
	bool is_folded;		   /* its callees are too; see keep_folded */
};

struct lode_regtime_item {
	enum lode_regtime_kind kind;
	uint32_t depth; /* of the call; of an expression's outermost calls; of the calls around a
			   gap */
	uint32_t stack; /* of a call */
	int64_t start_ns, end_ns;
	/* Of an expression: */
	size_t first_node, n_nodes;
	uint64_t n_calls;
	uint32_t n_folded; /* nodes */
	uint32_t n_folded_functions;
	uint64_t folded_calls, folded_ns; /* own times of the folded nodes */
};

struct lode_regtime_function {
	uint32_t function;
	uint64_t n_calls, total_ns; /* inclusive */
	uint64_t leaf_ns;	    /* without callees */
};

struct lode_regtime_thread {
	const struct lode_call_thread *thread;
	int64_t t0_ns, t1_ns; /* what the shares are of: t1 - t0 */
	int64_t long_call_ns, gap_ns, expression_ns, negligible_ns;
	LODE_VEC(struct lode_regtime_item) items; /* in order of start */
	LODE_VEC(struct lode_regtime_node) nodes;
	/* Of all its calls, those that have some, by their number: */
	LODE_VEC(struct lode_regtime_function) functions;
	uint64_t n_calls, n_kept, n_expressions, n_gaps;
	bool is_single;	    /* each call was kept: see single_calls */
	bool is_compressed; /* false: not asked for */
	/* Kept calls, nodes that are not folded, and one for each "and n more". */
	uint64_t n_glyphs;
};

/* Calls for each thing that is drawn; 0: nothing is. */
static inline double lode_regtime_ratio(const struct lode_regtime_thread *thread)
{
	return thread->n_glyphs ? (double)thread->n_calls / (double)thread->n_glyphs : 0;
}

struct lode_regtime {
	struct lode_call_trace *trace;
	size_t n_threads; /* of the trace, in its order */
	struct lode_regtime_thread *threads;
};

/* Compresses all threads of a trace. The result is the same for any number of our threads. */
int lode_regtime_run(struct lode_regtime **out, struct lode_call_trace *trace,
		     const struct lode_regtime_options *options, struct lode_error *err);
void lode_regtime_free(struct lode_regtime *regtime);

/*
 * Own times of kept calls: without their callees, kept or in expressions.
 */

/* Of a call that begins before its window or ends behind it: not all its callees are there. */
#define LODE_OWN_UNKNOWN INT64_MIN

/* Sets out[i] for each item of the thread that is a call, and leaves the others 0. Exact. */
void lode_regtime_own(int64_t *out, const struct lode_regtime_thread *thread);
