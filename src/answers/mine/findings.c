/* lode mine in a few lines: the costliest clusters. */
#include "answers/mine/mine.h"
#include "answers/clusters/cluster_brief.h"
#include "document/findings.h"
#include "document/units.h"

void lode_mine_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_mine_answer *answer = of;
	const struct lode_mined *mined = answer->mined;
	const struct lode_digest *digest = mined->digest;
	int64_t whole_ns = mined->symptom_ns;
	char cost[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER], symptoms[LODE_UNITS_BUFFER];
	char streams[LODE_UNITS_BUFFER], found[LODE_UNITS_BUFFER], who[256];

	*out = (struct lode_findings){.weight = whole_ns};
	out->summary =
		lode_finding_text(arena, "%s in %s of %s; %s explain%s %s of it",
				  lode_format_cost(cost, whole_ns, digest->unit),
				  lode_format_plural(symptoms, answer->n_symptoms, "symptom"),
				  lode_format_plural(streams, answer->n_streams, "recording"),
				  lode_format_plural(found, mined->n_clusters, "cluster"),
				  mined->n_clusters == 1 ? "s" : "",
				  lode_format_share(share, whole_ns - mined->other_ns, whole_ns));
	if (answer->busy)
		out->summary = lode_finding_text(
			arena, "%s; %s ready without a CPU (%s)", out->summary,
			lode_format_share(share, mined->aoi_kind_ns[LODE_EVENT_READY],
					  mined->aoi_ns),
			lode_who_ran(who, sizeof(who), digest, mined->ran_instead,
				     mined->n_ran_instead, mined->aoi_kind_ns[LODE_EVENT_READY],
				     2));
	for (size_t i = 0; i < mined->n_clusters && lode_findings_have_room(out); i++) {
		const struct lode_cluster *c = &mined->clusters[i];
		const char *text = lode_finding_text(
			arena, "%s  %s  %s: %s, in %s",
			lode_format_share(share, c->own_ns, whole_ns),
			lode_format_cost(cost, c->own_ns, digest->unit),
			lode_finding_known_by(arena, &digest->tree, c->common, c->n_common),
			lode_finding_why(arena, c),
			lode_format_plural(streams, c->n_streams, "recording"));

		if (c->own_ns > 0)
			lode_findings_add(out, text, lode_finding_id(arena, c->id))->share =
				(double)c->own_ns / (double)whole_ns;
	}
}
