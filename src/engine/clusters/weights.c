/* Weights of functions by how well they distinguish stacks (design §3.4; StackMine §VI.C). */
#include "engine/clusters/weights.h"

/* 1 - part / whole, with 0/0 = 0. Statistics that contradict themselves stay within [0, 1]. */
static double one_minus_share(uint64_t part, uint64_t whole)
{
	if (!part || !whole)
		return 1;
	return part < whole ? 1 - (double)part / (double)whole : 0;
}

double lode_weight_uni(const struct lode_name_stats *names, uint32_t frame)
{
	return one_minus_share(frame < names->n_with.n ? names->n_with.at[frame] : 0,
			       names->n_stacks);
}

double lode_weight_fbi(const struct lode_name_stats *names, uint32_t caller, uint32_t callee)
{
	return one_minus_share(lode_name_stats_pair(names, caller, callee),
			       caller < names->n_callee.n ? names->n_callee.at[caller] : 0);
}

double lode_weight_bbi(const struct lode_name_stats *names, uint32_t caller, uint32_t callee)
{
	return one_minus_share(lode_name_stats_pair(names, caller, callee),
			       callee < names->n_caller.n ? names->n_caller.at[callee] : 0);
}

void lode_weights_of_pattern(struct lode_weight *weights, const struct lode_name_stats *names,
			     const uint32_t *frames, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		weights[i].uni = lode_weight_uni(names, frames[i]);
		weights[i].fbi = i ? lode_weight_fbi(names, frames[i - 1], frames[i]) : 1;
		weights[i].bbi = i + 1 < n ? lode_weight_bbi(names, frames[i], frames[i + 1]) : 1;
	}
}
