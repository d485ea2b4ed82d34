/*
 * A timeline that is served: any window of its trace, and what all threads did during any span,
 * from an index of the trace.
 */
#pragma once

#include "serve/site.h"

struct lode_serve_timeline;

/* `path`: of an index, or of a trace; the index of that is then `index`. */
int lode_serve_timeline_open(struct lode_serve_timeline **out, const char *path, const char *index,
			     struct lode_error *err);
/* NULL does nothing. */
void lode_serve_timeline_close(struct lode_serve_timeline *timeline);

/*
 * Adds its questions to a report of the site. Times are ns since the trace's start:
 *
 *   window?t0=..&t1=..       lode/timeline-windows/1, one window
 *   meanwhile?t0=..&t1=..&clock=..    lode/timeline-meanwhile/1
 */
void lode_serve_timeline_add(struct lode_serve_timeline *timeline, struct lode_site *site,
			     const char *report);
