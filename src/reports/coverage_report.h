/*
 * What people and programs read of coverage: how much of the waiting has a name.
 */
#ifndef LODE_COVERAGE_REPORT_H
#define LODE_COVERAGE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "document/fields.h"
#include "job/coverage_job.h"

enum lode_coverage_rank {
	LODE_COVERAGE_BY_TOTAL,
	LODE_COVERAGE_BY_EXCLUSIVE,
	LODE_COVERAGE_BY_STREAMS,
	LODE_COVERAGE_BY_NAME,
};

struct lode_coverage_report {
	const struct lode_coverage_job *job; /* with a digest */
	enum lode_coverage_rank rank;
	size_t top;	  /* longest list; 0: no bound */
	unsigned columns; /* width of a line */
	bool is_terminal;
};

void lode_coverage_report_text(FILE *out, const struct lode_coverage_report *report);
/* "lode/coverage/1", docs/signatures.md. */
extern const struct lode_document lode_coverage_document;
void lode_coverage_report_json(FILE *out, const struct lode_coverage_report *report);

/* Numbers of the signatures: those that are not retired first, each part by `rank`, then by name.
   The caller frees it. */
uint32_t *lode_coverage_order(const struct lode_coverage_report *report);

#endif
