/*
 * What the timeline page draws: compact documents, columns of numbers (docs/json.md).
 *
 *   lode/timeline-page/1         the trace, its functions and threads, the whole timeline, the
 *                                readable axis, and which windows of more detail there are
 *   lode/timeline-windows/1      some of these windows, or any other one of the trace
 *   lode/timeline-meanwhiles/1   what all threads did during outliers, gaps and expressions
 *   lode/timeline-meanwhile/1    the same of one span
 *
 * Times are ns since the trace's start, so that they are exact in a browser. Functions are indices
 * into the page's table, the same for each window of the trace. Windows come in parts, so that a
 * page need not unpack all of them, nor what all threads did meanwhile, to show its first picture.
 */
#pragma once

#include "answers/timeline/timeline.h"
#include "answers/timeline/views.h"
#include "document/html.h"

enum { LODE_PAGE_WINDOWS = 16 }; /* of a part */

extern const struct lode_document lode_timeline_page_document, lode_timeline_windows_document,
	lode_timeline_meanwhiles_document;

/* All without a line's end; of an answer with views. */
void lode_timeline_page_json(FILE *out, const struct lode_timeline_answer *answer);
size_t lode_timeline_page_parts(const struct lode_timeline_views *views);
void lode_timeline_part_json(FILE *out, const struct lode_timeline_answer *answer, size_t part);
/* What all threads did during the spans that the page knows. */
void lode_timeline_meanwhiles_json(FILE *out, const struct lode_timeline_answer *answer);

/* One window (window.h). */
void lode_timeline_window_json(FILE *out, const struct lode_regtime *window, int64_t t0_ns,
			       int64_t t1_ns);

/* What all threads of the trace did during a span (engine/regtime/meanwhile.h). */
void lode_timeline_meanwhile_json(FILE *out, const struct lode_call_trace *trace,
				  const struct lode_meanwhile *meanwhile);

/* The parts of a page: its document and, unless `is_whole_only`, its windows and what all threads
   did meanwhile; `input` is its title. Gives how many; they and the list are the caller's to free.
 */
size_t lode_timeline_html_parts(struct lode_html_part **out,
				const struct lode_timeline_answer *answer, const char *input,
				bool is_whole_only);

/* In a few lines, of an answer with views (document/findings.h). */
lode_findings_maker lode_timeline_findings;
