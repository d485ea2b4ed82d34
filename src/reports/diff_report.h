/*
 * What people and programs read of a comparison of two sets of streams. Renders struct lode_diff
 * and computes nothing of it.
 */
#ifndef LODE_DIFF_REPORT_H
#define LODE_DIFF_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "job/diff_job.h"
#include "job/diff_sets.h"
#include "job/side_stacks.h"

struct lode_diff_report {
	const struct lode_diff_sets *sets;
	const struct lode_diff_job *job;      /* job->diff is there */
	const char *names[LODE_N_DIFF_SIDES]; /* what the user called the sets */
	const char *scope, *stacks, *lambda,
		*within; /* the options in words; `within` NULL: none */
	uint64_t seed;
	bool is_level_given;
	size_t top; /* longest list; 0: no bound */
	unsigned columns;
	bool is_terminal;
	/* Of `--fail-on`: bits of enum lode_diff_class; 0: not asked for. */
	unsigned fail_on;
	bool has_failed;
	/* What pages are drawn of, in JSON; NULL: not asked for. */
	const struct lode_side_stacks *stacks_of;
};

void lode_diff_report_table(FILE *out, const struct lode_diff_report *report);
/* "lode/diff/1", docs/json.md */
void lode_diff_report_json(FILE *out, const struct lode_diff_report *report);

#endif
