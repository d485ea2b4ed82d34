/* Costs of clusters by recording, and by group of recordings. */
#include "answers/clusters/cluster_costs.h"

void lode_cluster_costs_build(struct lode_cluster_costs *out, const struct lode_mined *mined)
{
	lode_cluster_streams streams = {0};

	memset(out, 0, sizeof(*out));
	out->start = lode_alloc0(mined->n_clusters + 1, sizeof(*out->start));
	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];

		out->start[c] = out->cells.n;
		streams.n = 0;
		/* Of a cluster that owns nothing, `worst` tells of what it shares. */
		if (cluster->own_ns > 0)
			lode_cluster_streams_of(&streams, mined, cluster);
		for (size_t i = 0; i < streams.n; i++)
			if (streams.at[i].cost_ns > 0)
				lode_vec_append(&out->cells,
						((struct lode_diff_cost){streams.at[i].stream,
									 streams.at[i].cost_ns}));
	}
	out->start[mined->n_clusters] = out->cells.n;
	lode_vec_release(&streams);
}

void lode_cluster_costs_release(struct lode_cluster_costs *costs)
{
	lode_vec_release(&costs->cells);
	free(costs->start);
	memset(costs, 0, sizeof(*costs));
}

/* ---- By group ---- */

static struct lode_group_cost *make_group_costs(const struct lode_stream_groups *groups,
						const struct lode_drill *drill)
{
	size_t n_streams = drill->mined->digest->streams.n;
	struct lode_group_cost *costs = lode_alloc0(groups->n + 1, sizeof(*costs));

	for (size_t s = 0; s < n_streams; s++) {
		struct lode_group_cost *cost = &costs[groups->group_of[s]];

		cost->n_streams++;
		cost->symptom_ns += drill->symptom_ns[s];
	}
	return costs;
}

static void add_group_costs(struct lode_group_cost *costs, const struct lode_stream_groups *groups,
			    uint32_t stream, int64_t cost_ns)
{
	struct lode_group_cost *cost = &costs[groups->group_of[stream]];

	cost->n_with++;
	cost->cost_ns += cost_ns;
}

struct lode_group_cost *lode_group_costs_of_cluster(const struct lode_stream_groups *groups,
						    const struct lode_drill *drill,
						    const struct lode_cluster *cluster)
{
	struct lode_group_cost *costs = make_group_costs(groups, drill);
	lode_cluster_streams streams = {0};

	lode_cluster_streams_of(&streams, drill->mined, cluster);
	for (size_t i = 0; i < streams.n; i++)
		add_group_costs(costs, groups, streams.at[i].stream, streams.at[i].cost_ns);
	lode_vec_release(&streams);
	return costs;
}

struct lode_group_cost *lode_group_costs_of_signature(const struct lode_stream_groups *groups,
						      const struct lode_drill *drill,
						      const struct lode_coverage *coverage,
						      size_t signature)
{
	struct lode_group_cost *costs = make_group_costs(groups, drill);

	for (size_t i = coverage->in_start[signature]; i < coverage->in_start[signature + 1]; i++)
		add_group_costs(costs, groups, coverage->in_streams.at[i].stream,
				coverage->in_streams.at[i].total_ns);
	return costs;
}
