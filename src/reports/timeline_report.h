/*
 * Timelines for people and programs: the summary, one moment (T1, T3), one function (T2).
 */
#ifndef LODE_TIMELINE_REPORT_H
#define LODE_TIMELINE_REPORT_H

#include <stdio.h>

#include "analyses/regtime/meanwhile.h"
#include "analyses/regtime/moment.h"
#include "job/timeline_job.h"

struct lode_timeline_report {
	const struct lode_timeline_job *job;
	const struct lode_regtime_options *options;
	const struct lode_call_thread *only; /* --thread; NULL: all */
	/* By thread of the trace: its leaves over the time that is summarised. */
	const struct lode_meanwhile *leaves;
	size_t top; /* longest list; SIZE_MAX: no bound */
	unsigned columns;
	bool is_terminal, is_full;
};

/* ---- For people ---- */

void lode_timeline_text(FILE *out, const struct lode_timeline_report *report);
/* What everybody did in one span. */
void lode_timeline_meanwhile_text(FILE *out, const struct lode_timeline_report *report,
				  const struct lode_meanwhile *meanwhile,
				  const struct lode_call_thread *but);
void lode_timeline_moment_text(FILE *out, const struct lode_timeline_report *report,
			       const struct lode_moment *moment,
			       const struct lode_meanwhile *meanwhile);

/* What one function did in each thread that calls it. */
struct lode_timeline_use {
	size_t thread;
	struct lode_function_use use;
	uint64_t *bins_ns;
};
struct lode_timeline_function {
	uint32_t function;
	size_t n_bins;
	LODE_VEC(struct lode_timeline_use) uses; /* most time first */
	const struct lode_outlier_group *group;	 /* NULL: none of its calls is long */
	const struct lode_meanwhile *meanwhile;	 /* of its longest outlier; or NULL */
};
void lode_timeline_function_text(FILE *out, const struct lode_timeline_report *report,
				 const struct lode_timeline_function *function);

/* ---- For programs: one document (docs/json.md). `moment` and `function` may be NULL. ---- */

void lode_timeline_json(FILE *out, const struct lode_timeline_report *report,
			const struct lode_moment *moment, const struct lode_meanwhile *meanwhile,
			const struct lode_timeline_function *function);

#endif
