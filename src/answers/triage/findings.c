/* lode triage in a few lines: what came back, and what nobody has signed yet. */
#include "answers/triage/triage.h"
#include "answers/clusters/cluster_brief.h"
#include "document/findings.h"

void lode_triage_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_triage_answer *answer = of;
	const struct lode_mined *mined = answer->mined;
	int64_t whole_ns = answer->all.symptom_ns;

	lode_cover_summary(out, &answer->all, answer->unit, answer->n_streams, arena);
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
			c->own_ns, "not known: ",
			lode_finding_known_by(arena, &mined->digest->tree, c->common, c->n_common),
			lode_finding_why(arena, c), lode_finding_id(arena, c->id)};

		lode_cover_add_part(out, &part, whole_ns, answer->unit, arena);
	}
}
