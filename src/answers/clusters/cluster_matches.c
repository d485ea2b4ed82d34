/* How much of a cluster's own cost each signature matches. */
#include "answers/clusters/cluster_matches.h"

#include "base/sorted.h"

void lode_rows_of_nodes_build(struct lode_rows_of_nodes *out, const struct lode_digest *digest)
{
	size_t n = digest->tree.nodes.n, *next = lode_alloc0(n + 1, sizeof(*next));

	out->start = lode_alloc0(n + 1, sizeof(*out->start));
	out->rows = lode_alloc0(digest->rows.n + 1, sizeof(*out->rows));
	for (size_t r = 0; r < digest->rows.n; r++)
		out->start[digest->rows.at[r].stack + 1]++;
	for (size_t i = 0; i < n; i++)
		out->start[i + 1] += out->start[i];
	memcpy(next, out->start, (n + 1) * sizeof(*next));
	for (size_t r = 0; r < digest->rows.n; r++)
		out->rows[next[digest->rows.at[r].stack]++] = (uint32_t)r;
	free(next);
}

void lode_rows_of_nodes_release(struct lode_rows_of_nodes *rows)
{
	free(rows->start);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

LODE_COMPARE(by_cost, struct lode_cluster_match,
	     LODE_ORDER(b->matched_ns, a->matched_ns) ?: LODE_ORDER(a->signature, b->signature))

/* What is summed up of one cluster. */
struct sums {
	int64_t *of; /* per signature */
	LODE_VEC(uint32_t) touched;
};

static void add_row_cluster_matches(struct sums *sums, const struct lode_signature_match *match,
				    uint32_t row, int64_t cost_ns)
{
	const uint32_t *at;
	size_t n = lode_signature_set(match, match->row_set[row], &at);

	if (cost_ns <= 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (sums->of[at[i]] == 0)
			lode_vec_append(&sums->touched, at[i]);
		sums->of[at[i]] += cost_ns;
	}
}

void lode_cluster_matches_build(lode_cluster_matches *out, const struct lode_mined *mined,
				const struct lode_rows_of_nodes *rows,
				const struct lode_signature_match *match, size_t n_signatures)
{
	const struct lode_digest *digest = mined->digest;
	struct sums sums = {.of = lode_alloc0(n_signatures + 1, sizeof(*sums.of))};

	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];
		size_t first = out->n;

		for (size_t i = 0; i < cluster->n_stacks; i++) {
			uint32_t node = cluster->stacks[i].node;

			for (size_t r = rows->start[node]; r < rows->start[node + 1]; r++) {
				const struct lode_digest_row *row = &digest->rows.at[rows->rows[r]];

				if (!cluster->kind_group || cluster->kind_group == row->kind + 1u)
					add_row_cluster_matches(&sums, match, rows->rows[r],
								row->cost_ns);
			}
		}
		for (size_t i = 0; i < sums.touched.n; i++) {
			uint32_t signature = sums.touched.at[i];

			lode_vec_append(out, ((struct lode_cluster_match){(uint32_t)c, signature,
									  sums.of[signature]}));
			sums.of[signature] = 0;
		}
		sums.touched.n = 0;
		lode_sort(out->at + first, out->n - first, by_cost);
	}
	lode_vec_release(&sums.touched);
	free(sums.of);
}
