/*
 * What people and programs read of a run of `lode suspects`: table, one function in full, latency
 * histograms, JSON, folded stacks.
 */
#ifndef LODE_SUSPECTS_REPORT_H
#define LODE_SUSPECTS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyses/suspects/explain.h"
#include "analyses/suspects/suspects.h"
#include "job/suspects_job.h"

struct lode_suspects_report {
	const struct lode_suspects *suspects;
	/* What was read: the recordings asked about, then those held against them (NULL: none). */
	const struct lode_suspects_job *job, *other_job;
	const char *thresholds; /* the labels in words: "mean + 2σ of this run" */
	const char *correction; /* "Holm" */
	/* Which functions are shown: the first `top` by rank (0: all), of these, with
	   `has_min_increase`, those of at least that Increase. */
	size_t top;
	bool has_min_increase;
	double min_increase;
	size_t cut;	 /* ranks up to this one are suspects: the top 15 %, or the share given */
	size_t list_top; /* longest of the other lists; 0: no bound */
	const struct lode_explanation *details; /* JSON: n_details functions in full */
	size_t n_details;
	unsigned columns; /* width of a line */
	bool is_terminal; /* escape sequences for bold are fine */
};

/* The level at which something is called significant. */
#define LODE_SUSPECTS_LEVEL 0.05

/* The ranked table with what it stands on. */
void lode_suspects_report_table(FILE *out, const struct lode_suspects_report *report);
/* One latency histogram for each metric, thresholds drawn in. */
void lode_suspects_report_histograms(FILE *out, const struct lode_suspects_report *report);
/* One function in full. */
void lode_suspects_report_function(FILE *out, const struct lode_suspects_report *report,
				   const struct lode_explanation *explanation);
/* "lode/suspects/1", docs/json.md; `explanation` may be NULL. */
void lode_suspects_report_json(FILE *out, const struct lode_suspects_report *report,
			       const struct lode_explanation *explanation);
/* Stacks of the executions that failed, weighted by their time. */
void lode_suspects_report_folded(FILE *out, const struct lode_suspects_report *report);

#endif
