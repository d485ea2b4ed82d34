/*
 * What a recording holds and can be trusted with, on one page, or as "lode/info/1".
 */
#ifndef LODE_INFO_REPORT_H
#define LODE_INFO_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analyses/quality/quality.h"
#include "model/stream.h"
#include "reports/json.h"

struct lode_info_report {
	const struct lode_stream *stream;
	const struct lode_quality *quality;
	const char
		*lacks; /* lines: what its bundle lacks (sources/bundle_notes.h); NULL: nothing */
	size_t top;	/* longest list; 0: no bound */
	unsigned columns;
	bool is_terminal;
};

void lode_info_report_text(FILE *out, const struct lode_info_report *report);

/* The members of one stream's object; the caller opens and closes it. */
void lode_info_report_json(struct lode_json *json, const struct lode_info_report *report);

#endif
