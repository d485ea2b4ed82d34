/*
 * All that a page which has no engine at hand shows of a trace: the whole, with as little folded as
 * fits (who looks for a function wants to see where it is called), windows of it in more detail,
 * what everybody did during its outliers and gaps, functions, and the readable axis.
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
#ifndef LODE_TIMELINE_VIEWS_H
#define LODE_TIMELINE_VIEWS_H

#include "analyses/regtime/meanwhile.h"
#include "analyses/regtime/readable_axis.h"
#include "job/timeline_job.h"
#include "job/timeline_window.h"

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
	/* Of all windows together; 0: no windows. One takes some 10 bytes of a page. */
	size_t budget;
	size_t n_meanwhiles; /* at most; outliers first, then gaps */
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
	LODE_VEC(struct lode_meanwhile) meanwhiles;  /* by t0, then t1; each span once */
	LODE_VEC(struct lode_timeline_prominence) functions; /* by function */
	struct lode_readable_axis axis;
};

enum {
	LODE_VIEWS_WHOLE_BUDGET = 60000,
	LODE_VIEWS_BUDGET = 250000,
	LODE_VIEWS_MEANWHILES = 400,
};

/* Of a job that was compressed as a whole. */
int lode_timeline_views_make(struct lode_timeline_views *out, const struct lode_timeline_job *job,
			     const struct lode_timeline_views_options *options,
			     struct lode_error *err);
void lode_timeline_views_release(struct lode_timeline_views *views);

#endif
