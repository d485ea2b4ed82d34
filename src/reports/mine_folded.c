#include <stdlib.h>

#include "reports/folded_stacks.h"
#include "reports/mine_report.h"

void lode_mine_report_folded(FILE *out, const struct lode_digest *digest)
{
	int64_t *cost = lode_alloc0(digest->tree.nodes.n, sizeof(*cost));

	for (size_t i = 0; i < digest->rows.n; i++)
		cost[digest->rows.at[i].stack] += digest->rows.at[i].cost_ns;
	lode_folded_print(out, &digest->tree, cost);
	free(cost);
}
