/* One cluster in full: what is said of it. */
#include "answers/clusters/cluster_shown.h"

/* Costliest first; of equal ones, in their own order. */
static void sort_reasons(struct lode_cluster_shown *shown)
{
	struct lode_reason_cost *sorted = shown->reasons;

	for (unsigned r = LODE_REASON_NONE + 1; r < LODE_N_REASONS; r++) {
		int64_t cost_ns = shown->cluster->reason_ns[r];
		size_t at = shown->n_reasons;

		if (cost_ns <= 0)
			continue;
		for (; at > 0 && sorted[at - 1].cost_ns < cost_ns; at--)
			sorted[at] = sorted[at - 1];
		sorted[at].name = lode_wait_reason_name((enum lode_wait_reason)r);
		sorted[at].cost_ns = cost_ns;
		shown->n_reasons++;
	}
}

static struct lode_shown_gap shown_gap(const struct lode_gap *gap, struct lode_arena *arena)
{
	const struct lode_variant *main = lode_gap_main(gap);
	struct lode_variant *variants =
		lode_arena_array(arena, struct lode_variant, gap->variants.n);
	struct lode_shown_gap out = {variants, gap->variants.n, NULL, 100};
	int64_t all_ns = 0;

	for (size_t i = 0; i < gap->variants.n; i++) {
		variants[i] = gap->variants.at[i];
		all_ns += variants[i].own_ns;
	}
	if (main) {
		out.main = &variants[main - gap->variants.at];
		if (all_ns > 0)
			out.main_pct = 100.0 * (double)main->own_ns / (double)all_ns;
	}
	return out;
}

static const struct lode_shown_gap *shown_gaps(const struct lode_cluster *cluster,
					       struct lode_arena *arena)
{
	struct lode_gap *gaps = lode_gaps_new(cluster);
	struct lode_shown_gap *out =
		lode_arena_array(arena, struct lode_shown_gap, cluster->n_common + 1);

	for (size_t i = 0; i <= cluster->n_common; i++)
		out[i] = shown_gap(&gaps[i], arena);
	lode_gaps_free(gaps, cluster);
	return out;
}

void lode_cluster_shown_build(struct lode_cluster_shown *out, const struct lode_mined *mined,
			      const struct lode_cluster *cluster, size_t top,
			      struct lode_arena *arena)
{
	*out = (struct lode_cluster_shown){
		.mined = mined,
		.cluster = cluster,
		.gaps = shown_gaps(cluster, arena),
		.n_patterns = lode_listed(top, cluster->n_patterns),
		.n_worst = lode_listed(top, cluster->n_worst),
	};
	sort_reasons(out);
}
