/*
 * The first page of several reports, from what their runs gave (answers/analyze/analyze_report.h).
 */
#pragma once

#include "answers/analyze/page_runs.h"
#include "answers/analyze/analyze_report.h"

struct lode_page_overview {
	struct lode_analyze_report report;
	LODE_VEC(struct lode_analyze_run) runs;
	struct lode_arena arena;
};

/*
 * Makes it, and puts it before the other reports of `runs`, as "overview"; all arguments must
 * outlive it.
 */
void lode_page_overview_make(struct lode_page_overview *overview, struct lode_page_runs *runs,
			     const struct lode_survey *survey, char *const *inputs,
			     size_t n_inputs);
/* What the whole comes to: 0; 1 if a run did or could not read all; if no run gave a report 3, or 4
   where the environment was in its way. */
int lode_page_overview_exit(const struct lode_page_overview *overview);
void lode_page_overview_release(struct lode_page_overview *overview);
