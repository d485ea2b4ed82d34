/* lode triage in a few lines: problems that came back, and those without a signature. */
#include "answers/triage/triage.h"
#include "answers/clusters/cluster_brief.h"
#include "document/findings.h"
#include "document/units.h"

/* ---- In a sentence or two ---- */

/* The retired signature that costs most. */
static const char *returned_words(const struct lode_triage_answer *answer, struct lode_arena *arena)
{
	const struct lode_triage_returned *most = NULL;
	char cost[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < answer->n_returned; i++)
		if (!most || answer->returned[i].total_ns > most->total_ns)
			most = &answer->returned[i];
	if (!most)
		return "";
	return lode_finding_text(arena, "%s, which was retired, came back (%s%s). ", most->name,
				 lode_format_cost(cost, most->total_ns, answer->unit),
				 lode_opening_spread(arena, most->n_streams, answer->n_streams));
}

struct lode_opening lode_triage_opening(const struct lode_triage_answer *answer,
					const struct lode_triage_request *request,
					struct lode_arena *arena)
{
	const struct lode_asked *asked = request->asked;
	const struct lode_cluster *c = lode_rest_largest(answer->mined);
	struct lode_opening opening = {
		.finding = lode_finding_text(arena, "%s%s", returned_words(answer, arena),
					     lode_rest_words(arena, &answer->all, answer->unit,
							     answer->n_streams, answer->mined))};

	if (c && asked)
		opening.next_command = lode_finding_text(
			arena,
			"lode triage%s --json%s >triage.json && lode sign%s --from triage.json "
			"--cluster %u --name %s",
			asked->options, asked->operands, asked->next_options, c->rank,
			lode_next_word(arena, lode_finding_known_by(arena, answer->mined, c)));
	return opening;
}

/* ---- In a few lines ---- */

void lode_triage_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_triage_answer *answer = of;
	const struct lode_mined *mined = answer->mined;
	int64_t whole_ns = answer->all.symptom_ns;

	lode_findings_open(out, &answer->opening, arena);
	out->weight = whole_ns;
	for (size_t i = 0; i < answer->n_returned && lode_findings_have_room(out); i++) {
		const struct lode_cover_part part = {
			answer->returned[i].total_ns,
			"came back: ", lode_finding_text(arena, "%s", answer->returned[i].name), "",
			NULL};

		lode_cover_add_part(out, &part, whole_ns, answer->unit, arena);
	}
	for (size_t i = 0; mined && i < mined->n_clusters && lode_findings_have_room(out); i++) {
		const struct lode_cluster *c = &mined->clusters[i];
		const struct lode_cover_part part = {
			c->own_ns, "not known: ", lode_finding_line(arena, mined, c),
			lode_finding_why(arena, c), lode_finding_id(arena, c->id)};

		lode_cover_add_part(out, &part, whole_ns, answer->unit, arena);
	}
}
