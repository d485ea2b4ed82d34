/* lode coverage in a few lines: how much is known, and as what. */
#include <math.h>

#include "answers/coverage/coverage.h"
#include "document/findings.h"
#include "document/units.h"

struct lode_opening lode_coverage_opening(const struct lode_coverage_answer *answer,
					  const struct lode_mined *rest,
					  const struct lode_coverage_request *request,
					  struct lode_arena *arena)
{
	const struct lode_asked *asked = request->asked;
	const struct lode_stream_set_options *streams = &request->streams;
	struct lode_opening opening = {.finding = lode_rest_words(arena, &answer->all, answer->unit,
								  answer->n_streams, rest)};

	if (asked && answer->all.unexplained_ns > 0)
		opening.next_command =
			streams->n_inputs
				? lode_finding_text(arena, "lode triage%s%s", asked->next_options,
						    asked->operands)
				: lode_finding_text(
					  arena, "lode mine --repo %s%s%s",
					  lode_next_word(arena, lode_repo_path(streams->repo)),
					  streams->where ? " --where " : "",
					  streams->where ? lode_next_word(arena, streams->where)
							 : "");
	return opening;
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

/* Returned problems first, as the least expected. */
void lode_coverage_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_coverage_answer *answer = of;

	lode_findings_open(out, &answer->opening, arena);
	out->weight = answer->all.symptom_ns;
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
