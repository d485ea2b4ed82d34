/*
 * What a report says in one line, and its most important details in a few more: for the first page
 * of `lode analyze`, and for its text.
 *
 *   22.3 s in 6 symptoms of 6 recordings; 14 clusters explain 100.0 % of it
 *   34.0 %  7.57 s  path_query_component: ready, disk; in 5 recordings
 *
 * Read from the report's JSON, so that the lines cannot say other numbers than the page does.
 */
#ifndef LODE_FINDINGS_H
#define LODE_FINDINGS_H

#include "base/mem.h"
#include "reports/html.h"

struct lode_findings {
	const char *summary;		/* of the whole report */
	LODE_VEC(const char *) details; /* the worst first */
};

/*
 * Texts are the arena's; names in them are as they came. At most `most` details. A report of an
 * unknown schema has an empty summary, and one that is no JSON as well.
 */
void lode_findings_make(struct lode_findings *out, const struct lode_html_part *part, size_t most,
			struct lode_arena *arena);
void lode_findings_release(struct lode_findings *findings);

#endif
