/* lode coverage in a few lines: how much is known, and as what. */
#include <math.h>

#include "answers/coverage/coverage.h"
#include "document/findings.h"
#include "document/units.h"

void lode_cover_summary(struct lode_findings *out, const struct lode_cover *cover, const char *unit,
			size_t n_streams, struct lode_arena *arena)
{
	char cost[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER], n[LODE_UNITS_BUFFER];
	char rest[LODE_UNITS_BUFFER];

	*out = (struct lode_findings){.weight = cover->symptom_ns};
	out->summary =
		lode_finding_text(arena, "%s of %s in %s is known, %s is not explained",
				  lode_format_share(share, cover->covered_ns, cover->symptom_ns),
				  lode_format_cost(cost, cover->symptom_ns, unit),
				  lode_format_plural(n, n_streams, "recording"),
				  lode_format_cost(rest, cover->unexplained_ns, unit));
}

void lode_cover_add_part(struct lode_findings *out, const struct lode_cover_part *part,
			 int64_t whole_ns, const char *unit, struct lode_arena *arena)
{
	char cost[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];

	lode_findings_add(out,
			  lode_finding_text(arena, "%s  %s  %s%s%s%s",
					    lode_format_share(share, part->cost_ns, whole_ns),
					    lode_format_cost(cost, part->cost_ns, unit),
					    part->words, part->what, *part->why ? ": " : "",
					    part->why),
			  part->path)
		->share = whole_ns > 0 ? (double)part->cost_ns / (double)whole_ns : NAN;
}

/* What came back first: nobody expects it. */
void lode_coverage_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_coverage_answer *answer = of;

	lode_cover_summary(out, &answer->all, answer->unit, answer->n_streams, arena);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < answer->n_signatures && lode_findings_have_room(out); i++) {
			const struct lode_coverage_signature *s = &answer->signatures[i];
			const char *name = lode_finding_text(arena, "%s", s->name);
			const struct lode_cover_part part = {
				s->cost->total_ns, pass == 0 ? "came back: " : "", name, "", name};

			if (s->is_retired == (pass == 0) && s->cost->total_ns > 0)
				lode_cover_add_part(out, &part, answer->all.symptom_ns,
						    answer->unit, arena);
		}
}
