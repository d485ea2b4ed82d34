/*
 * What a report says in one line, and its most important details in a few more: for the first page
 * of `lode analyze`, and for its text.
 *
 *   22.3 s in 6 symptoms of 6 recordings; 14 clusters explain 100.0 % of it
 *   34.0 %  7.57 s  path_query_component: ready, disk; in 5 recordings
 *
 * Read from the report's JSON, so that the lines cannot say other numbers than the page does. Each
 * detail knows its place on the report's page.
 */
#ifndef LODE_FINDINGS_H
#define LODE_FINDINGS_H

#include "base/mem.h"
#include "reports/html.h"

/* How a thing is looked at: a parameter of the page's address. */
struct lode_finding_param {
	const char *name, *value;
};

enum { LODE_FINDING_PARAMS = 2 };

struct lode_finding {
	const char *text;
	double share; /* of the whole that the summary names, 0 to 1; NAN: of none */
	const char
		*path; /* the page's name of the thing (a cluster's id, a function); NULL: none */
	struct lode_finding_param params[LODE_FINDING_PARAMS]; /* name NULL: not used */
};

struct lode_findings {
	const char *summary;		       /* of the whole report */
	int64_t weight;			       /* how much it hurts: compares reports of one kind */
	LODE_VEC(struct lode_finding) details; /* the worst first */
};

/*
 * Texts are the arena's; names in them are as they came. At most `most` details. A report of an
 * unknown schema has an empty summary, and one that is no JSON as well.
 */
void lode_findings_make(struct lode_findings *out, const struct lode_html_part *part, size_t most,
			struct lode_arena *arena);
void lode_findings_release(struct lode_findings *findings);

#endif
