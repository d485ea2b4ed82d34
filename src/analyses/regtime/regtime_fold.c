#include "analyses/regtime/regtime_fold.h"

#include <stdlib.h>

/* The outermost node with the most time, the first of equals: it says what an expression is, so it
   is never folded. */
static size_t heaviest(const struct lode_regtime_node *nodes, size_t n)
{
	size_t found = 0;

	for (size_t i = 1; i < n; i++)
		if (nodes[i].caller == LODE_NONE && nodes[i].total_ns > nodes[found].total_ns)
			found = i;
	return found;
}

/* Callers stand before their callees, so one pass folds whole branches. */
static void fold_expression(struct lode_regtime_thread *thread, struct lode_regtime_item *item,
			    uint32_t *folded_in)
{
	struct lode_regtime_node *nodes = thread->nodes.at + item->first_node;
	uint64_t negligible = (uint64_t)thread->negligible_ns;
	size_t always = heaviest(nodes, item->n_nodes);

	for (size_t i = 0; i < item->n_nodes; i++) {
		struct lode_regtime_node *node = &nodes[i];
		uint32_t function = lode_call_function(thread->thread, node->stack);

		node->is_folded = i != always &&
				  ((node->caller != LODE_NONE && nodes[node->caller].is_folded) ||
				   node->total_ns < negligible ||
				   thread->functions.at[function].total_ns < negligible);
		if (!node->is_folded)
			continue;
		item->n_folded++;
		item->folded_calls += node->n_calls;
		item->folded_ns += node->own_ns;
		if (folded_in[function] != item - thread->items.at + 1)
			item->n_folded_functions++;
		folded_in[function] = (uint32_t)(item - thread->items.at + 1);
	}
}

void lode_regtime_fold(struct lode_regtime_thread *thread,
		       const struct lode_regtime_options *options)
{
	/* By function: the last item, counted from 1, in which it was folded. */
	uint32_t *folded_in = lode_alloc0(thread->functions.n, sizeof(*folded_in));

	thread->negligible_ns =
		lode_regtime_threshold_ns(options->negligible, thread->t1_ns - thread->t0_ns);
	thread->n_glyphs = thread->n_kept;
	for (size_t i = 0; i < thread->items.n; i++) {
		struct lode_regtime_item *item = &thread->items.at[i];

		if (item->kind != LODE_REGTIME_EXPRESSION)
			continue;
		if (!options->is_classic)
			fold_expression(thread, item, folded_in);
		thread->n_glyphs += item->n_nodes - item->n_folded + (item->n_folded > 0);
	}
	for (size_t i = 0; i < thread->functions.n; i++)
		thread->n_functions += thread->functions.at[i].n_calls > 0;
	free(folded_in);
}
