/* Folds items of negligible time (design §5). */
#include "engine/regtime/regtime_fold.h"

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
static void mark(struct lode_regtime_thread *thread, struct lode_regtime_item *item,
		 uint32_t *folded_in)
{
	struct lode_regtime_node *nodes = thread->nodes.at + item->first_node;
	uint64_t negligible = (uint64_t)thread->negligible_ns;
	uint32_t number = (uint32_t)(item - thread->items.at + 1);
	size_t always = heaviest(nodes, item->n_nodes);

	for (size_t i = 0; i < item->n_nodes; i++) {
		struct lode_regtime_node *node = &nodes[i];
		uint32_t function = lode_call_function(thread->thread, node->stack);

		/* A function that is negligible in the whole thread is so in each of its nodes. */
		node->is_folded = i != always &&
				  ((node->caller != LODE_NONE && nodes[node->caller].is_folded) ||
				   node->total_ns < negligible);
		if (!node->is_folded)
			continue;
		item->n_folded++;
		item->folded_calls += node->n_calls;
		item->folded_ns += node->own_ns;
		item->n_folded_functions += folded_in[function] != number;
		folded_in[function] = number;
	}
}

/* The nodes that are shown, whose callers are too, move together. */
static void drop_regtime_fold(struct lode_regtime_thread *thread, struct lode_regtime_item *item)
{
	struct lode_regtime_node *nodes = thread->nodes.at + item->first_node;
	uint32_t *place = lode_alloc(item->n_nodes * sizeof(*place)), n = 0;

	for (size_t i = 0; i < item->n_nodes; i++) {
		if (nodes[i].is_folded)
			continue;
		place[i] = n;
		nodes[n] = nodes[i];
		if (nodes[n].caller != LODE_NONE)
			nodes[n].caller = place[nodes[n].caller];
		n++;
	}
	item->n_nodes = n;
	thread->nodes.n = item->first_node + n;
	free(place);
}

void lode_regtime_fold(struct lode_regtime_thread *thread, struct lode_regtime_item *item,
		       bool keeps, uint32_t *folded_in)
{
	if (thread->negligible_ns > 0)
		mark(thread, item, folded_in);
	thread->n_glyphs += item->n_nodes - item->n_folded + (item->n_folded > 0);
	if (item->n_folded && !keeps)
		drop_regtime_fold(thread, item);
}
