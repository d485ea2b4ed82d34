#include "clusters_fixture.h"

enum { LONGEST = 10, NONE_YET = -1 };

/* Least cost in sub-units and, of those alignments, the most matches: by recursion over ends. */
struct oracle {
	const struct lode_words *words;
	const uint32_t *a, *b;
	int64_t cost[LONGEST + 1][LONGEST + 1];
	int matches[LONGEST + 1][LONGEST + 1];
};

static void oracle_try(struct oracle *o, uint32_t n_a, uint32_t n_b, int64_t cost, int matches)
{
	if (o->cost[n_a][n_b] == NONE_YET || cost < o->cost[n_a][n_b] ||
	    (cost == o->cost[n_a][n_b] && matches > o->matches[n_a][n_b])) {
		o->cost[n_a][n_b] = cost;
		o->matches[n_a][n_b] = matches;
	}
}

static void oracle_align(struct oracle *o, uint32_t n_a, uint32_t n_b)
{
	if (o->cost[n_a][n_b] != NONE_YET)
		return;
	if (!n_a && !n_b)
		o->cost[0][0] = o->matches[0][0] = 0;
	if (n_a) {
		oracle_align(o, n_a - 1, n_b);
		oracle_try(o, n_a, n_b, o->cost[n_a - 1][n_b] + LODE_SUB_ONE,
			   o->matches[n_a - 1][n_b]);
	}
	if (n_b) {
		oracle_align(o, n_a, n_b - 1);
		oracle_try(o, n_a, n_b, o->cost[n_a][n_b - 1] + LODE_SUB_ONE,
			   o->matches[n_a][n_b - 1]);
	}
	if (n_a && n_b) {
		bool same = o->a[n_a - 1] == o->b[n_b - 1];
		int64_t sub =
			same ? 0 : lode_words_sub_units(o->words, o->a[n_a - 1], o->b[n_b - 1]);

		oracle_align(o, n_a - 1, n_b - 1);
		oracle_try(o, n_a, n_b, o->cost[n_a - 1][n_b - 1] + sub,
			   o->matches[n_a - 1][n_b - 1] + same);
	}
}

/* Walks the operations: they must spell both patterns; gives their cost and matches. */
static int64_t cost_of_ops(const struct lode_aligner *aligner, const struct lode_words *words,
			   const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b,
			   int *matches)
{
	size_t i = 0, k = 0;
	int64_t cost = 0;

	*matches = 0;
	for (size_t n = 0; n < aligner->op.n; n++) {
		switch ((enum lode_align_op)aligner->op.at[n]) {
		case LODE_ALIGN_MATCH:
			assert_int_equal(a[i++], b[k++]);
			++*matches;
			break;
		case LODE_ALIGN_SUBSTITUTE:
			assert_int_not_equal(a[i], b[k]);
			cost += lode_words_sub_units(words, a[i++], b[k++]);
			break;
		case LODE_ALIGN_DELETE:
			i++;
			cost += LODE_SUB_ONE;
			break;
		case LODE_ALIGN_INSERT:
			k++;
			cost += LODE_SUB_ONE;
			break;
		}
		assert_true(i <= n_a && k <= n_b);
	}
	assert_true(i == n_a && k == n_b);
	return cost;
}

/* Read from the leaf, a pair goes before a deletion, that before an insertion: wherever the rest
   can still be the best. */
static bool is_first_from_leaf(const struct oracle *o, const struct lode_aligner *aligner,
			       uint32_t n_a, uint32_t n_b)
{
	for (size_t n = aligner->op.n; n-- > 0;) {
		int64_t cost = o->cost[n_a][n_b];
		int matches = o->matches[n_a][n_b], op = LODE_ALIGN_INSERT;
		bool same = n_a && n_b && o->a[n_a - 1] == o->b[n_b - 1];

		if (n_a && o->cost[n_a - 1][n_b] + LODE_SUB_ONE == cost &&
		    o->matches[n_a - 1][n_b] == matches)
			op = LODE_ALIGN_DELETE;
		if (n_a && n_b &&
		    o->cost[n_a - 1][n_b - 1] +
				    (same ? 0
					  : lode_words_sub_units(o->words, o->a[n_a - 1],
								 o->b[n_b - 1])) ==
			    cost &&
		    o->matches[n_a - 1][n_b - 1] + same == matches)
			op = same ? LODE_ALIGN_MATCH : LODE_ALIGN_SUBSTITUTE;
		if (aligner->op.at[n] != op)
			return false;
		n_a -= op != LODE_ALIGN_INSERT;
		n_b -= op != LODE_ALIGN_DELETE;
	}
	return true;
}

static void random_alignments_cost_the_least(void **state)
{
	struct lode_aligner aligner = {0};
	uint64_t random = 2;
	int matches;

	(void)state;
	for (uint32_t run = 0; run < 20000; run++) {
		struct lode_words words = {0};
		uint32_t side[2][LONGEST], n[2], n_names = 1 + random_below(&random, 8);
		struct oracle o = {.words = &words, .a = side[0], .b = side[1]};
		int64_t cost;
		char name[64];

		for (uint32_t i = 0; i < n_names; i++) {
			random_name(&random, name, sizeof(name));
			lode_words_append(&words, name);
		}
		for (int i = 0; i < 2; i++) {
			n[i] = random_below(&random, LONGEST + 1);
			for (uint32_t k = 0; k < n[i]; k++)
				side[i][k] = random_below(&random, n_names);
		}
		/* Many end alike. */
		for (uint32_t k = random_below(&random, LONGEST); k > 0; k--)
			if (k <= n[0] && k <= n[1])
				side[1][n[1] - k] = side[0][n[0] - k];
		/* Tables of these few cells are kept as they are: others are made anew. */
		aligner.table.most_cells = random_below(&random, 30);
		memset(o.cost, 0xff, sizeof(o.cost)); /* NONE_YET */
		oracle_align(&o, n[0], n[1]);
		cost = lode_align(&aligner, &words, side[0], n[0], side[1], n[1]);
		if (cost != o.cost[n[0]][n[1]] ||
		    cost != cost_of_ops(&aligner, &words, side[0], n[0], side[1], n[1], &matches) ||
		    matches != o.matches[n[0]][n[1]] ||
		    !is_first_from_leaf(&o, &aligner, n[0], n[1]))
			fail_msg("run %u: cost %ld, expected %ld", run, (long)cost,
				 (long)o.cost[n[0]][n[1]]);
		lode_words_release(&words);
	}
	lode_aligner_release(&aligner);
}

static void a_match_is_preferred_to_substitutions_of_the_same_cost(void **state)
{
	static const uint32_t a[] = {0, 1}, b[] = {1, 2};
	struct lode_aligner aligner = {0};
	struct lode_words words = {0};

	(void)state;
	lode_words_append(&words, "alpha");
	lode_words_append(&words, "beta");
	lode_words_append(&words, "gamma");
	assert_int_equal(lode_align(&aligner, &words, a, 2, b, 2), 2 * LODE_SUB_ONE);
	assert_int_equal(aligner.op.n, 3);
	assert_int_equal(aligner.op.at[0], LODE_ALIGN_DELETE);
	assert_int_equal(aligner.op.at[1], LODE_ALIGN_MATCH);
	assert_int_equal(aligner.op.at[2], LODE_ALIGN_INSERT);
	lode_aligner_release(&aligner);
	lode_words_release(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_alignments_cost_the_least),
		cmocka_unit_test(a_match_is_preferred_to_substitutions_of_the_same_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
