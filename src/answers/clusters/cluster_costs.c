/* Own cost of each cluster in each recording. */
#include "answers/clusters/cluster_costs.h"

#include "base/sorted.h"

void lode_cluster_costs_build(struct lode_cluster_costs *out, const struct lode_mined *mined)
{
	const struct lode_digest *digest = mined->digest;
	int64_t *sum = lode_alloc0(digest->streams.n, sizeof(*sum));
	LODE_VEC(uint32_t) touched = {0};

	memset(out, 0, sizeof(*out));
	out->start = lode_alloc0(mined->n_clusters + 1, sizeof(*out->start));
	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];

		out->start[c] = out->cells.n;
		touched.n = 0;
		/* Of a cluster that owns nothing, `worst` tells of what it shares. */
		for (size_t i = 0; cluster->own_ns > 0 && i < cluster->n_worst; i++) {
			const struct lode_cluster_worst *w = &cluster->worst[i];
			uint32_t stream = digest->symptoms.at[w->symptom].stream;

			if (w->symptom_cost_ns <= 0)
				continue;
			if (sum[stream] == 0)
				lode_vec_append(&touched, stream);
			sum[stream] += w->symptom_cost_ns;
		}
		lode_sort(touched.at, touched.n, lode_compare_u32);
		for (size_t i = 0; i < touched.n; i++) {
			struct lode_diff_cost cell = {touched.at[i], sum[touched.at[i]]};

			lode_vec_append(&out->cells, cell);
			sum[touched.at[i]] = 0;
		}
	}
	out->start[mined->n_clusters] = out->cells.n;
	lode_vec_release(&touched);
	free(sum);
}

void lode_cluster_costs_release(struct lode_cluster_costs *costs)
{
	lode_vec_release(&costs->cells);
	free(costs->start);
	memset(costs, 0, sizeof(*costs));
}
