/*
 * The first page of `lode analyze`: what was there, which analyses ran on it, and what each found,
 * in ten lines or so.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "document/fields.h"
#include "answers/analyze/survey.h"
#include "document/findings.h"

struct lode_analyze_run {
	const char *analysis, *title;
	const char *command; /* as one would type it; "" of a page that was read */
	const char *report;  /* name of its first report in the page; NULL: it gave none */
	int exit_code;
	int64_t elapsed_ns;
	struct lode_findings findings;
};

struct lode_analyze_report {
	char *const *inputs;
	size_t n_inputs;
	const struct lode_survey *survey;
	size_t n_found[LODE_N_SURVEY_KINDS + 1]; /* files by kind; the last: others */
	const struct lode_analyze_run *runs;
	size_t n_runs;
	unsigned columns; /* of the terminal */
	bool is_terminal;
};

/* How many details each run may show so that all fit into ten lines; 1 to 6. */
size_t lode_analyze_details(size_t n_runs);

/* Fills in what was found, by the survey. */
void lode_analyze_count(struct lode_analyze_report *report);

/* `lode/analyze/1`: docs/json.md. */
extern const struct lode_document lode_analyze_document;
void lode_analyze_text(FILE *out, const struct lode_analyze_report *report);
