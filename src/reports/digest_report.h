/*
 * What people and programs read of a run of `lode digest`.
 */
#ifndef LODE_DIGEST_REPORT_H
#define LODE_DIGEST_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "document/fields.h"
#include "job/digest_job.h"

struct lode_digest_report {
	const struct lode_digest_job *job;
	const char *folder; /* where the digests are; NULL: they were not kept */
	const char *merged; /* file with all in one; NULL: none was asked for */
	int64_t merged_bytes;
	size_t top; /* longest list; 0: no bound */
};

/* How many digests there are now, and how small. */
void lode_digest_report_text(FILE *out, const struct lode_digest_report *report);
/* "lode/digest/1", docs/digest.md. */
extern const struct lode_document lode_digest_document;
void lode_digest_report_json(FILE *out, const struct lode_digest_report *report);

#endif
