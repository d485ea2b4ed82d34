/* Self times of kept calls. */
#include "engine/regtime/regtime_own.h"

/* Time in which an expression's outermost calls ran: own times of all its nodes tile it. */
static int64_t called_ns(const struct lode_regtime_thread *thread,
			 const struct lode_regtime_item *item)
{
	uint64_t ns = 0, folded = 0;

	for (size_t i = 0; i < item->n_nodes; i++) {
		const struct lode_regtime_node *node = &thread->nodes.at[item->first_node + i];

		ns += node->own_ns;
		folded += node->is_folded; /* kept, so its time is counted already */
	}
	return (int64_t)(folded ? ns : ns + item->folded_ns);
}

void lode_regtime_own(int64_t *out, const struct lode_regtime_thread *thread)
{
	LODE_VEC(size_t) kept = {0}; /* by depth: the last one */

	for (size_t i = 0; i < thread->items.n; i++) {
		const struct lode_regtime_item *item = &thread->items.at[i];
		int64_t ns = item->kind == LODE_REGTIME_EXPRESSION ? called_ns(thread, item)
								   : item->end_ns - item->start_ns;

		out[i] = 0;
		if (item->kind == LODE_REGTIME_GAP)
			continue;
		if (kept.n > item->depth)
			kept.n = item->depth;
		/* Whoever calls what is kept, or an expression's outermost calls, is kept. */
		if (item->depth && kept.n == item->depth && kept.at[item->depth - 1] != SIZE_MAX &&
		    out[kept.at[item->depth - 1]] != LODE_OWN_UNKNOWN)
			out[kept.at[item->depth - 1]] -= ns;
		if (item->kind != LODE_REGTIME_CALL)
			continue;
		while (kept.n < item->depth)
			lode_vec_append(&kept, SIZE_MAX);
		lode_vec_append(&kept, i);
		out[i] = ns;
		if (item->start_ns < thread->t0_ns || item->end_ns > thread->t1_ns)
			out[i] = LODE_OWN_UNKNOWN;
	}
	lode_vec_release(&kept);
}
