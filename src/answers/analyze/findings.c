/* lode analyze in a sentence or two: what the first of its reports says. */
#include "answers/analyze/analyze.h"
#include "document/units.h"

struct lode_opening lode_analyze_opening(const struct lode_analyze_answer *answer,
					 struct lode_arena *arena)
{
	const struct lode_analyze_run *first = answer->n_reports ? &answer->runs[0] : NULL;
	char n[LODE_UNITS_BUFFER];

	if (!first)
		return (struct lode_opening){.finding = "No analysis produced a report."};
	if (answer->n_reports == 1)
		return (struct lode_opening){first->findings.summary, first->findings.next_command};
	return (struct lode_opening){
		lode_finding_text(arena, "%s. First, %s of %s: %s",
				  lode_format_plural(n, answer->n_reports, "report"),
				  first->analysis, first->title, first->findings.summary),
		first->findings.next_command};
}
