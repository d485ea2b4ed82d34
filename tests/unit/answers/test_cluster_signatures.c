/* answers/clusters/cluster_signatures.h: a signature of a cluster matches what the cluster costs,
 * or nearly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/clusters/cluster_signatures.h"
#include "model/signature_pattern.h"
#include "random.h"
#include "unit/model/pattern_oracle.h"
#include "cases.h"

static struct lode_digest *make_digest(struct test_random *random)
{
	static const char *const names[] = {"load_a", "load_b", "read_x", "read_y", "main", "wait"};
	struct lode_digest *digest = lode_digest_new();

	digest->unit = "ns";
	lode_vec_append_zero(&digest->streams);
	lode_vec_append_zero(&digest->symptoms);
	for (int i = 0; i < 20; i++) {
		uint32_t stack = 0;

		for (uint32_t n = 1 + test_random_below(random, 10); n > 0; n--)
			stack = lode_calltree_child(
				&digest->tree, stack,
				lode_frame_intern(&digest->tree, "m",
						  names[test_random_below(random, 6)], 0));
		lode_vec_append(
			&digest->rows,
			((struct lode_digest_row){.stack = stack,
						  .kind = (uint8_t)test_random_below(random, 3),
						  .cost_ns = 1 + test_random_below(random, 20),
						  .n_events = 1}));
		digest->symptoms.at[0].t1_ns += digest->rows.at[i].cost_ns;
	}
	qsort(digest->rows.at, digest->rows.n, sizeof(*digest->rows.at), lode_digest_row_compare);
	return digest;
}

static bool text_holds(const char *text, const struct lode_calltree *tree, uint32_t stack)
{
	lode_signature_step_vec steps = {0};
	struct lode_arena arena = {0};
	bool holds;

	assert_int_equal(lode_signature_pattern_parse(&steps, text, &arena, NULL), 0);
	holds = pattern_holds(steps.at, steps.n, tree, stack);
	lode_vec_release(&steps);
	lode_arena_release(&arena);
	return holds;
}

static bool frames_hold(const uint32_t *frames, size_t n, const struct lode_calltree *tree,
			uint32_t stack)
{
	uint32_t path[16];
	size_t depth = lode_calltree_path(tree, stack, path), i = 0;

	for (size_t k = 0; k < depth && i < n; k++)
		i += path[k] == frames[i];
	return i == n;
}

static bool kind_fits(const struct lode_cluster *c, const struct lode_digest_row *row)
{
	return !c->kind_group || c->kind_group == row->kind + 1u;
}

/* Cost of rows that a pattern of the cluster, or its common part, holds in. */
static int64_t plain_cost(const struct lode_digest *d, const struct lode_cluster *c,
			  bool with_common)
{
	int64_t cost = 0;

	for (size_t r = 0; r < d->rows.n; r++) {
		const struct lode_digest_row *row = &d->rows.at[r];
		bool holds = with_common && c->n_common &&
			     frames_hold(c->common, c->n_common, &d->tree, row->stack);

		for (size_t p = 0; p < c->n_patterns && !holds; p++)
			holds = frames_hold(c->patterns[p].frames, c->patterns[p].n_frames,
					    &d->tree, row->stack);
		cost += holds && kind_fits(c, row) ? row->cost_ns : 0;
	}
	return cost;
}

static int64_t signature_cost(const struct lode_digest *d, const struct lode_cluster_signature *s)
{
	int64_t cost = 0;

	for (size_t r = 0; r < d->rows.n; r++) {
		const struct lode_digest_row *row = &d->rows.at[r];
		bool holds = false;

		if (s->kinds && !(s->kinds >> row->kind & 1))
			continue;
		for (size_t p = 0; p < s->n_patterns && !holds; p++)
			holds = text_holds(s->patterns[p], &d->tree, row->stack);
		cost += holds ? row->cost_ns : 0;
	}
	return cost;
}

static void signatures_cost_what_their_clusters_do(void **state)
{
	size_t n_common = 0, n_exact = 0, n = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1500); seed++) {
		struct test_random random = {seed};
		struct lode_digest *digest = make_digest(&random);
		struct lode_mine_options options = {.min_cost = 5 + test_random_below(&random, 50),
						    .split_kinds = seed % 4 == 0,
						    .min_similarity = 0.5,
						    .n_threads = 1};
		struct lode_cluster_signatures signatures;
		struct lode_mined *mined;

		assert_int_equal(lode_mine(&mined, digest, &options, NULL), 0);
		lode_cluster_signatures_build(&signatures, mined, mined->clusters,
					      mined->n_clusters);
		assert_int_equal(signatures.n, mined->n_clusters);
		for (size_t i = 0; i < signatures.n; i++) {
			const struct lode_cluster *c = &mined->clusters[i];
			int64_t alone = plain_cost(digest, c, false);
			int64_t both = plain_cost(digest, c, true);
			bool wants_common = llabs(both - c->total_ns) < llabs(alone - c->total_ns);
			int64_t cost = signature_cost(digest, &signatures.at[i]);

			if (cost != (wants_common ? both : alone) ||
			    cost != signatures.at[i].total_ns || !signatures.at[i].n_patterns)
				fail_msg("seed %llu: cluster %zu costs %lld, alone %lld, with its "
					 "common part %lld, signed %lld",
					 (unsigned long long)seed, i, (long long)c->total_ns,
					 (long long)alone, (long long)both, (long long)cost);
			n++;
			n_common += wants_common;
			n_exact += cost == c->total_ns;
		}
		lode_cluster_signatures_release(&signatures);
		lode_mined_free(mined);
		lode_digest_free(digest);
	}
	/* Both ways are met, and the total is met nearly always. */
	assert_true(n_common > TEST_CASES(20) && n_common < n / 2);
	assert_true(n_exact * 100 > n * 90);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_cost_what_their_clusters_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
