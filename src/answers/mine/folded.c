/* Stacks for flame graphs: of all that was read, or of one cluster. */
#include "answers/mine/mine.h"
#include "document/export/folded_stacks.h"

void lode_mine_folded(FILE *out, const struct lode_digest *digest, const struct lode_cluster *only)
{
	int64_t *cost = lode_alloc0(digest->tree.nodes.n, sizeof(*cost));

	if (only)
		for (size_t i = 0; i < only->n_stacks; i++)
			cost[only->stacks[i].node] += only->stacks[i].cost_ns;
	else
		for (size_t i = 0; i < digest->rows.n; i++)
			cost[digest->rows.at[i].stack] += digest->rows.at[i].cost_ns;
	lode_folded_print(out, &digest->tree, cost);
	free(cost);
}
