/*
 * What people and programs read of a triage: per new stream what is known, then what the rest is.
 */
#ifndef LODE_TRIAGE_REPORT_H
#define LODE_TRIAGE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "job/triage_job.h"

struct lode_triage_report {
	const struct lode_triage_job *job; /* with a digest */
	const char *limit;		   /* --fail-over in words; NULL: none */
	const char *rest_path;		   /* where the rest was written; NULL: nowhere */
	size_t top;			   /* longest list; 0: no bound */
	size_t top_inside;		   /* of the lists inside of clusters; 0: as `top` */
	bool has_detail;		   /* JSON with what pages are drawn of */
	unsigned columns;
	bool is_terminal;
};

void lode_triage_report_text(FILE *out, const struct lode_triage_report *report);
/* "lode/triage/1", docs/signatures.md. */
void lode_triage_report_json(FILE *out, const struct lode_triage_report *report);

#endif
