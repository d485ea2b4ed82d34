/* lode diff in a few lines: the changes that are told first. */
#include <inttypes.h>

#include "answers/diff/diff.h"
#include "answers/clusters/cluster_brief.h"
#include "document/findings.h"
#include "document/units.h"

void lode_diff_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_diff_answer *answer = of;
	const struct lode_diff_set *a = &answer->sets[LODE_DIFF_A], *b = &answer->sets[LODE_DIFF_B];
	const struct lode_diff *diff = answer->diff;
	char in_a[LODE_UNITS_BUFFER], in_b[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER];

	*out = (struct lode_findings){.weight = b->symptom_ns};
	out->summary = lode_finding_text(
		arena, "A symptom takes %s in B, %s in A; %zu new, %zu gone, %zu worse, %zu better",
		lode_format_cost(in_b, b->per_symptom_ns, answer->unit),
		lode_format_cost(in_a, a->per_symptom_ns, answer->unit),
		(size_t)diff->n_of[LODE_DIFF_NEW], (size_t)diff->n_of[LODE_DIFF_GONE],
		(size_t)diff->n_of[LODE_DIFF_WORSE], (size_t)diff->n_of[LODE_DIFF_BETTER]);
	for (size_t i = 0; i < answer->n_rows && lode_findings_have_room(out); i++) {
		const struct lode_diff_row *row = &answer->rows[i];
		const struct lode_cluster *c = row->cluster;
		int64_t change = row->figures.change_ns;

		if (row->change->class == LODE_DIFF_SAME)
			break;
		lode_findings_add(
			out,
			lode_finding_text(
				arena, "%s  %s%s a symptom  %s: %s",
				lode_diff_class_names[row->change->class], change < 0 ? "-" : "+",
				lode_format_cost(cost, change < 0 ? -change : change, answer->unit),
				lode_finding_known_by(arena, &answer->mined->digest->tree,
						      c->common, c->n_common),
				lode_finding_why(arena, c)),
			lode_finding_id(arena, c->id));
	}
}
