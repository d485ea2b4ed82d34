#include <stdlib.h>
#include <string.h>

#include "reports/folded_stacks.h"
#include "reports/suspects_report.h"

void lode_suspects_report_folded(FILE *out, const struct lode_suspects_report *report)
{
	const struct lode_suspects *s = report->suspects;
	const struct lode_calltree *tree = &s->tally.set->tree;
	bool versus = s->options.kind == LODE_EVIDENCE_SIDES;
	int64_t *cost = lode_alloc0(tree->nodes.n, sizeof(*cost));

	for (size_t i = 0; i < s->tally.rows.n; i++) {
		const struct lode_tally_row *row = &s->tally.rows.at[i];
		lode_u128 sum = versus ? row->moments.sum : row->failed_sum;

		/* Lengths of queues and the like are no times to be added to others. */
		if (row->side != LODE_SIDE_SUBJECT ||
		    strcmp(s->tally.metrics.at[row->metric].unit, "ns") != 0 ||
		    sum > (lode_u128)(INT64_MAX - cost[row->stack]))
			continue;
		cost[row->stack] += (int64_t)sum;
	}
	lode_folded_print(out, tree, cost);
	free(cost);
}
