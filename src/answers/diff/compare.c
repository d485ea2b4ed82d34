/* Two sets, mined as one and compared cluster by cluster. */
#include "answers/diff/compare.h"

#include <math.h>

#include "answers/clusters/cluster_costs.h"
#include "base/sorted.h"

/* Of the smaller set's area of interest, as lode_mine has it of the whole. */
static const double lambda_share = 0.002;

static void sum_sides(struct lode_diff_job *job, const struct lode_diff_sets *sets)
{
	const struct lode_digest *digest = sets->digest;

	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		uint8_t side = sets->side[digest->symptoms.at[row->symptom].stream];

		if (side < LODE_N_DIFF_SIDES)
			job->aoi_ns[side] += row->cost_ns;
	}
}

static bool has_lambda(const struct lode_mine_options *mine)
{
	return mine->min_cost > 0 || mine->min_cost_share > 0 || mine->prevalence > 0 ||
	       mine->patterns > 0;
}

static int mine_both(struct lode_diff_job *job, const struct lode_diff_sets *sets,
		     const struct lode_mine_options *mine, struct lode_error *err)
{
	struct lode_mine_options options = *mine;
	double smaller = fmin((double)job->aoi_ns[LODE_DIFF_A], (double)job->aoi_ns[LODE_DIFF_B]);
	int rc;

	if (has_lambda(mine) || smaller <= 0)
		return lode_mine(&job->mined, sets->digest, mine, err);
	options.min_cost = (int64_t)ceil(lambda_share * smaller);
	rc = lode_mine(&job->mined, sets->digest, &options, err);
	if (rc != LODE_ERR_LIMIT)
		return rc;
	job->is_lambda_coarse = true;
	return lode_mine(&job->mined, sets->digest, mine, err);
}

static int by_content(const void *a, const void *b, void *context)
{
	const struct lode_digest *digest = context;
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	uint64_t x = digest->streams.at[p].content_hash, y = digest->streams.at[q].content_hash;

	return LODE_ORDER(x, y) ?: LODE_ORDER(p, q);
}

/* Numbers streams by their content: random splits are then the same whatever order they came in. */
static uint32_t *number_streams(const struct lode_digest *digest)
{
	size_t n = digest->streams.n;
	uint32_t *order = lode_alloc(n * sizeof(*order)), *number = lode_alloc(n * sizeof(*number));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	lode_sort_r(order, n, by_content, (void *)digest);
	for (size_t i = 0; i < n; i++)
		number[order[i]] = (uint32_t)i;
	free(order);
	return number;
}

static struct lode_diff_stream *make_streams(const struct lode_diff_sets *sets,
					     const uint32_t *number)
{
	const struct lode_digest *digest = sets->digest;
	struct lode_diff_stream *streams = lode_alloc0(digest->streams.n, sizeof(*streams));

	for (size_t i = 0; i < digest->streams.n; i++) {
		streams[number[i]].side = sets->side[i];
		streams[number[i]].stratum = sets->stratum[i];
	}
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];
		struct lode_diff_stream *stream = &streams[number[symptom->stream]];

		stream->n_symptoms += lode_digest_symptom_counts(digest, i);
		stream->symptom_ns += lode_digest_symptom_ns(symptom);
	}
	return streams;
}

/* What clusters do not own of each side. */
static void sum_other(struct lode_diff_job *job, const struct lode_diff_sets *sets,
		      const struct lode_cluster_costs *costs)
{
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		job->other_ns[s] = job->aoi_ns[s];
	for (size_t i = 0; i < costs->cells.n; i++) {
		uint8_t side = sets->side[costs->cells.at[i].stream];

		if (side < LODE_N_DIFF_SIDES)
			job->other_ns[side] -= costs->cells.at[i].cost_ns;
	}
}

static void compare_diff(struct lode_diff_job *job, const struct lode_diff_sets *sets,
			 const struct lode_diff_options *options)
{
	uint32_t *number = number_streams(sets->digest);
	struct lode_diff_stream *streams = make_streams(sets, number);
	struct lode_cluster_costs costs;

	lode_cluster_costs_build(&costs, job->mined);
	sum_other(job, sets, &costs);
	for (size_t i = 0; i < costs.cells.n; i++)
		costs.cells.at[i].stream = number[costs.cells.at[i].stream];
	job->diff = lode_diff_build(
		&(struct lode_diff_input){
			.streams = streams,
			.n_streams = sets->digest->streams.n,
			.costs = costs.cells.at,
			.start = costs.start,
			.n_items = job->mined->n_clusters,
		},
		options);
	free(streams);
	free(number);
	lode_cluster_costs_release(&costs);
}

/* The first side without a symptom, or LODE_N_DIFF_SIDES. */
static unsigned side_without_symptoms(const struct lode_diff_sets *sets)
{
	bool has_any[LODE_N_DIFF_SIDES] = {false};
	unsigned side = 0;

	for (size_t i = 0; i < sets->digest->symptoms.n; i++) {
		uint8_t s = sets->side[sets->digest->symptoms.at[i].stream];

		if (s < LODE_N_DIFF_SIDES)
			has_any[s] = true;
	}
	while (side < LODE_N_DIFF_SIDES && has_any[side])
		side++;
	return side;
}

int lode_diff_job_run(struct lode_diff_job *out, const struct lode_diff_sets *sets,
		      const struct lode_mine_options *mine, const struct lode_diff_options *diff,
		      struct lode_error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	out->empty = side_without_symptoms(sets);
	if (out->empty < LODE_N_DIFF_SIDES)
		return 0;
	sum_sides(out, sets);
	rc = mine_both(out, sets, mine, err);
	if (rc == 0)
		compare_diff(out, sets, diff);
	return rc;
}

void lode_diff_job_release(struct lode_diff_job *job)
{
	lode_diff_free(job->diff);
	lode_mined_free(job->mined);
	memset(job, 0, sizeof(*job));
}

/* ---- Stacks by set ---- */

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
