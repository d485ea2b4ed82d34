/* answers/diff/side_stacks.h: what clusters' stacks cost on each side is what rows of that side
 * cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "answers/clusters/cluster_costs.h"
#include "answers/diff/compare.h"
#include "random.h"

enum { N_STREAMS = 5 };

static struct lode_digest *make_digest(struct test_random *random)
{
	static const char *const names[] = {"load_a", "load_b", "read_x", "read_y", "main", "wait"};
	struct lode_digest *digest = lode_digest_new();

	digest->unit = "ns";
	for (uint32_t i = 0; i < N_STREAMS; i++) {
		lode_vec_append_zero(&digest->streams);
		lode_vec_append(&digest->symptoms, ((struct lode_digest_symptom){.stream = i}));
	}
	for (int i = 0; i < 40; i++) {
		uint32_t stack = 0, symptom = test_random_below(random, N_STREAMS);

		for (uint32_t n = test_random_below(random, 6); n > 0; n--)
			stack = lode_calltree_child(
				&digest->tree, stack,
				lode_frame_intern(&digest->tree, "m",
						  names[test_random_below(random, 6)], 0));
		lode_vec_append(
			&digest->rows,
			((struct lode_digest_row){.stack = stack,
						  .symptom = symptom,
						  .kind = (uint8_t)test_random_below(random, 3),
						  .cost_ns = 1 + test_random_below(random, 20),
						  .n_events = 1}));
		digest->symptoms.at[symptom].t1_ns += digest->rows.at[i].cost_ns;
	}
	qsort(digest->rows.at, digest->rows.n, sizeof(*digest->rows.at), lode_digest_row_compare);
	return digest;
}

/* Of the rows of one side: a stack is wholly its cluster's, of each kind where kinds are apart. */
static int64_t plain_cost(const struct lode_digest *d, const struct lode_cluster *c, uint32_t node,
			  const uint8_t *side, unsigned s)
{
	int64_t cost = 0;

	for (size_t r = 0; r < d->rows.n; r++) {
		const struct lode_digest_row *row = &d->rows.at[r];

		if (row->stack == node && side[d->symptoms.at[row->symptom].stream] == s &&
		    (!c->kind_group || c->kind_group == row->kind + 1u))
			cost += row->cost_ns;
	}
	return cost;
}

static void check(const struct lode_mined *mined, const struct lode_side_stacks *stacks,
		  const uint8_t *side, uint64_t seed)
{
	struct lode_cluster_costs costs;

	lode_cluster_costs_build(&costs, mined);
	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];
		int64_t sum[LODE_N_DIFF_SIDES] = {0};

		for (size_t i = 0; i < cluster->n_stacks && cluster->own_ns > 0; i++) {
			size_t at = stacks->start[c] + i;
			int64_t both = 0;

			for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++) {
				int64_t cost = plain_cost(mined->digest, cluster,
							  cluster->stacks[i].node, side, s);

				if (stacks->of[s][at].cost_ns != cost ||
				    stacks->of[s][at].node != cluster->stacks[i].node)
					fail_msg("seed %lu: cluster %zu, stack %zu: %ld, not %ld",
						 seed, c, i, stacks->of[s][at].cost_ns, cost);
				sum[s] += cost;
				both += cost;
			}
			assert_int_equal(stacks->both[at].cost_ns, both);
		}
		/* The same as by streams. */
		for (size_t k = costs.start[c]; k < costs.start[c + 1]; k++)
			if (side[costs.cells.at[k].stream] < LODE_N_DIFF_SIDES)
				sum[side[costs.cells.at[k].stream]] -= costs.cells.at[k].cost_ns;
		for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
			if (sum[s])
				fail_msg("seed %lu: cluster %zu: %ld more than its streams have",
					 seed, c, sum[s]);
	}
	lode_cluster_costs_release(&costs);
}

static void test_stacks_cost_what_the_rows_of_a_side_cost(void **state)
{
	size_t n_clusters = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct test_random random = {seed};
		struct lode_digest *digest = make_digest(&random);
		struct lode_mine_options options = {.min_cost = 1 + test_random_below(&random, 60),
						    .split_kinds = seed % 2,
						    .min_similarity = 0.5,
						    .n_threads = 1};
		struct lode_mined *mined;
		struct lode_side_stacks stacks;
		uint8_t side[N_STREAMS];

		for (size_t i = 0; i < N_STREAMS; i++)
			side[i] = (uint8_t)test_random_below(&random, LODE_DIFF_NEITHER + 1);
		assert_int_equal(lode_mine(&mined, digest, &options, NULL), 0);
		lode_side_stacks_build(&stacks, mined, side);
		check(mined, &stacks, side, seed);
		n_clusters += mined->n_clusters;
		lode_side_stacks_release(&stacks);
		lode_mined_free(mined);
		lode_digest_free(digest);
	}
	assert_true(n_clusters > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_cost_what_the_rows_of_a_side_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
