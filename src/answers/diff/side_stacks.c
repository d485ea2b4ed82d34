/* What the stacks of clusters cost in each set. */
#include "answers/diff/side_stacks.h"

/* A stack is one cluster's; where kinds are mined apart, one cluster's of each kind. */
static uint64_t key_of_diff_side_stacks(uint32_t node, uint32_t kind_group)
{
	return (uint64_t)kind_group << 32 | node;
}

void lode_side_stacks_build(struct lode_side_stacks *out, const struct lode_mined *mined,
			    const uint8_t *side)
{
	const struct lode_digest *digest = mined->digest;
	struct lode_map place_of = {0};
	bool is_split = false;
	size_t n = 0;

	out->start = lode_alloc(((size_t)mined->n_clusters + 1) * sizeof(*out->start));
	for (size_t c = 0; c < mined->n_clusters; c++) {
		out->start[c] = n;
		n += mined->clusters[c].n_stacks;
	}
	out->start[mined->n_clusters] = n;
	out->both = lode_alloc0(n, sizeof(*out->both));
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		out->of[s] = lode_alloc0(n, sizeof(*out->of[s]));
	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];

		is_split |= cluster->kind_group != 0;
		for (size_t i = 0; i < cluster->n_stacks; i++) {
			size_t at = out->start[c] + i;
			uint32_t node = cluster->stacks[i].node;

			out->both[at].node = node;
			for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
				out->of[s][at].node = node;
			if (cluster->own_ns > 0)
				*lode_map_slot(&place_of,
					       key_of_diff_side_stacks(node, cluster->kind_group)) =
					(uint32_t)at;
		}
	}
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		uint8_t s = side[digest->symptoms.at[row->symptom].stream];
		uint32_t at = lode_map_find(&place_of,
					    key_of_diff_side_stacks(row->stack,
								    is_split ? row->kind + 1u : 0));

		if (at == LODE_NONE || s >= LODE_N_DIFF_SIDES)
			continue;
		out->of[s][at].cost_ns += row->cost_ns;
		out->both[at].cost_ns += row->cost_ns;
	}
	lode_map_release(&place_of);
}

void lode_side_stacks_release(struct lode_side_stacks *stacks)
{
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		free(stacks->of[s]);
	free(stacks->both);
	free(stacks->start);
	memset(stacks, 0, sizeof(*stacks));
}
