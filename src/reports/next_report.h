/*
 * What people and programs read of `lode next`: the streams to open, and the four curves.
 */
#ifndef LODE_NEXT_REPORT_H
#define LODE_NEXT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "job/digest_job.h"
#include "job/next_job.h"

struct lode_next_report {
	const struct lode_next_job *next;
	const struct lode_digest_job *job; /* what was read */
	bool has_curves;		   /* --compare */
	bool has_detail;		   /* JSON with what is in each stream */
	size_t top;			   /* longest list; 0: no bound */
	unsigned columns;
	bool is_terminal;
};

void lode_next_report_text(FILE *out, const struct lode_next_report *report);
/* "lode/next/1", docs/json.md */
void lode_next_report_json(FILE *out, const struct lode_next_report *report);

#endif
