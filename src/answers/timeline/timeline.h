/*
 * lode timeline: a function trace on one screen, its outliers intact.
 *
 *	request --> trace or index --> RegTime, outliers --> answer --> text, JSON, page, symptoms
 *	                                    a question --^
 *
 * What is summarised, and how: engine/regtime/regtime.h.
 */
#pragma once

#include "engine/regtime/during.h"
#include "engine/regtime/meanwhile.h"
#include "engine/regtime/profile_diff.h"
#include "answers/timeline/read.h"
#include "base/duration.h"
#include "document/fields.h"
#include "document/findings.h"
#include "document/text_page.h"

struct lode_timeline_views;

/* How far the trace is worked on. */
enum lode_timeline_stage {
	LODE_TIMELINE_ALL,
	LODE_TIMELINE_CALLS,  /* only read: for who takes its calls elsewhere */
	LODE_TIMELINE_WINDOW, /* a page's picture of the window, and nothing else */
};

struct lode_timeline_request {
	const char *input; /* a trace, or an index of one */
	struct lode_timeline_job_options reading;
	struct lode_regtime_options regtime;
	struct lode_time_span window; /* only this; INT64_MIN, INT64_MAX: an open end */
	enum lode_timeline_stage stage;
	/* Questions, in the user's words; NULL: not asked. One of `at`, `function`, `during`. */
	const char *at;	      /* THREAD:TIME */
	const char *function; /* a name, or a glob that one fits */
	const char *during;   /* THREAD:FUNCTION, or THREAD:idle */
	const char *thread;   /* a tid or a name: only this one */
	bool wants_functions; /* the calls by function, of the window and the thread */
	const char *versus;   /* another trace, whose functions are compared; NULL: none */
	const char *symptoms; /* file to which long calls go as symptoms; NULL: none */
	size_t top;	      /* longest list; SIZE_MAX: no bound */
	bool is_full;	      /* documents have the timelines themselves */
	bool is_for_page;     /* only the LODE_VIEWS_THREADS threads with the most calls */
	const struct lode_asked *asked; /* NULL: by no command line */
};

/* What threads do while one is in a function or idle. */
struct lode_timeline_during {
	struct lode_during_condition condition;
	struct lode_during is;
	size_t *rows; /* of `is`, those that are shown */
	size_t n_rows, n_more;
};

/* Another trace, whose functions are compared with this one's. */
struct lode_timeline_versus {
	struct lode_timeline_job job;
	struct lode_profile profile;
	struct lode_profile_diff diff;
	double *log_q; /* by row of `diff`: of its test, corrected for all; NaN: not tested */
	size_t n_rows, n_more;
};

/* What one function did in each thread that calls it. */
struct lode_timeline_use {
	size_t thread;
	int32_t tid;
	struct lode_function_use use;
	uint64_t *bins_ns; /* its time in equal parts of the trace, or of the window */
	size_t n_bins;
};
struct lode_timeline_function {
	uint32_t function;
	size_t n_bins;
	LODE_VEC(struct lode_timeline_use) uses; /* most time first */
	LODE_VEC(size_t) long_calls;		 /* among the outliers, longest first */
	/* In the profile, of the window and the thread; NULL: not called there. */
	const struct lode_profile_row *row;
	/* Most time first. */
	LODE_VEC(const struct lode_profile_edge *) callers;
	LODE_VEC(const struct lode_profile_edge *) callees;
};

struct lode_timeline_answer {
	struct lode_opening opening;
	struct lode_timeline_job job; /* the trace, its timelines and outliers */
	struct lode_regtime_options options;
	const struct lode_call_thread *only; /* NULL: all */
	/* By thread of the trace: its leaves over the time that is summarised; of threads that are
	   listed and, for a page, of all. */
	struct lode_meanwhile leaves;
	size_t top;
	bool is_full;
	/* Threads that are listed, in the order of the trace, and those that have calls, most calls
	   first: indexes into the trace's. */
	size_t *listed, *busiest;
	size_t n_listed, n_listed_more, n_busiest, n_busiest_more;
	/* Likewise outliers, and their functions. */
	size_t *outliers;
	size_t n_outliers, n_outliers_more, n_groups, n_groups_more;
	/* The questions. What all threads did meanwhile: at the moment, or during the function's
	   longest outlier. */
	const struct lode_moment *moment;
	const struct lode_timeline_function *function;
	const struct lode_meanwhile *meanwhile;
	const struct lode_timeline_during *during;
	const struct lode_profile *profile; /* for these; its first n_functions rows are shown */
	size_t n_functions, n_functions_more;
	const struct lode_timeline_versus *versus; /* with a profile */

	struct lode_regtime *window;	   /* stage WINDOW */
	struct lode_timeline_views *views; /* lode_timeline_add_views; NULL: not made */
	char *incomplete; /* what of the trace is missing, in words; NULL: nothing */
	bool is_misuse;	  /* it failed because the request's words are off */

	struct lode_timeline_state *state;
};

/* Whether it is of a part of the trace's time. */
static inline bool lode_timeline_has_window(const struct lode_timeline_answer *answer)
{
	return answer->options.t0_ns < answer->options.t1_ns;
}

/* Whether it is of the whole trace: lengths of single calls are known of all its calls alone. */
static inline bool lode_timeline_is_whole(const struct lode_timeline_answer *answer)
{
	return !answer->only && !lode_timeline_has_window(answer);
}

/* *out is the caller's to free, also on failure. */
int lode_timeline_run(struct lode_timeline_answer **out,
		      const struct lode_timeline_request *request, struct lode_error *err);
/* What a page shows besides; `is_whole_only`: without windows and what all threads did meanwhile.
 */
int lode_timeline_add_views(struct lode_timeline_answer *answer, bool is_whole_only,
			    struct lode_error *err);
void lode_timeline_free(struct lode_timeline_answer *answer);

/* "lode/timeline/1" */
extern const struct lode_document lode_timeline_document;
void lode_timeline_json(FILE *out, const struct lode_timeline_answer *answer);
/* The time that was asked about: the window, or the whole trace. */
struct lode_timeline_part {
	int64_t t0_ns, t1_ns;
};
struct lode_timeline_part lode_timeline_part_of(const struct lode_timeline_answer *answer);
/* What is said first: of the trace, the moment, or the function. */
struct lode_opening lode_timeline_opening(const struct lode_timeline_answer *answer,
					  const struct lode_asked *asked, struct lode_arena *arena);
/* The summary, the moment, or the function. */
void lode_timeline_text(FILE *out, const struct lode_timeline_answer *answer,
			const struct lode_text_page *page);
