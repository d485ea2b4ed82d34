/*
 * All that a page which has no engine at hand shows of a trace: the whole, with as little folded as
 * fits (who looks for a function wants to see where it is called), windows of it in more detail,
 * what all threads did during its outliers, its gaps and, while there is room, its expressions,
 * functions, and the readable axis.
 *
 *   whole      |-----------------------------------------------|
 *   level 1    |-----------|-----------|-----------|-----------|      a quarter each
 *                    |-----------|-----------|-----------|
 *   level 2    |--|--|--| ...                                         a sixteenth each
 *                |--|--|--| ...
 *
 * Windows of a level overlap by half, so that any span as long as half of one is inside of one. A
 * level is made while the one above it is not call by call already, and while the budget lasts;
 * where it does not last for a whole level, the busiest windows are made.
 */
#pragma once

#include "engine/regtime/meanwhile.h"
#include "engine/regtime/readable_axis.h"
#include "answers/timeline/read.h"
#include "answers/timeline/window.h"

struct lode_timeline_view {
	int64_t t0_ns, t1_ns;
	unsigned level; /* from 1 */
	bool is_single; /* call by call: there is nothing finer */
	struct lode_regtime *regtime;
};

struct lode_timeline_views_options {
	const struct lode_regtime_options *regtime;
	/* Items and nodes of the whole, unless it has more with all folding that `regtime` asks
	   for. */
	size_t whole_budget;
	/* Of what all threads did during spans; outliers first, then gaps, then the rest. */
	size_t meanwhile_bytes;
	/* Of all together; windows take what is left. Packed, as a page has it: estimated, and
	   rather too high (lode_timeline_view_bytes). */
	size_t page_bytes;
};

/* A function on the page. */
struct lode_timeline_prominence {
	uint64_t n_glyphs;  /* of the whole view */
	uint32_t n_threads; /* that call it */
};

struct lode_timeline_views {
	struct lode_regtime *whole;
	struct lode_regtime_threshold negligible;    /* what is folded in it */
	LODE_VEC(struct lode_timeline_view) windows; /* by level, then by time */
	size_t n_left_out;			     /* of the level at which the budget ended */
	uint64_t n_visited; /* windows looked at to find those: at most 4 per call and level */
	/* By t0, then t1; each span once, each thread with its first LODE_VIEWS_LEAVES leaves. */
	LODE_VEC(struct lode_meanwhile) meanwhiles;
	size_t meanwhile_bytes;				     /* that they take, estimated */
	LODE_VEC(struct lode_timeline_prominence) functions; /* by function */
	struct lode_readable_axis axis;
};

enum {
	LODE_VIEWS_WHOLE_BUDGET = 60000,
	LODE_VIEWS_MEANWHILE_BYTES = 800000,
	LODE_VIEWS_PAGE_BYTES = 4500000, /* with the page around it, under 5 MB */
	LODE_VIEWS_LEAVES = 6,		 /* that are named of a thread during a span */
	/* LIMIT: of a trace of more threads a page has those with the most calls
	   (lode_call_trace_keep_threads), and says how many it leaves out. */
	LODE_VIEWS_THREADS = 4000,
};

/* About so many bytes of a page, packed. */
size_t lode_timeline_view_bytes(const struct lode_regtime *regtime);

/* Of a job that was compressed as a whole. */
int lode_timeline_views_make(struct lode_timeline_views *out, const struct lode_timeline_job *job,
			     const struct lode_timeline_views_options *options,
			     struct lode_error *err);
void lode_timeline_views_release(struct lode_timeline_views *views);
