/*
 * The miner against its definition: on thousands of small random inputs, every subsequence of
 * every sequence is listed, its cost summed, and what has a costly super-sequence is struck out.
 * On larger inputs the three searches, which share nothing but the reduction, are compared.
 */
#include "engine/patterns/miner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/input.h"
#include "base/lines.h"
#include "base/mem.h"
#include "cases.h"
#include "find_min_cost.h"
#include "random_sequences.h"

enum { MAX_SEQUENCES = 8, MAX_ITEMS = 7, MAX_SUBSEQUENCES = MAX_SEQUENCES << MAX_ITEMS };

struct input {
	size_t n, start[MAX_SEQUENCES + 1];
	uint32_t items[MAX_SEQUENCES * MAX_ITEMS];
	int64_t cost[MAX_SEQUENCES];
};

static struct lode_sequences view(const struct input *input)
{
	return (struct lode_sequences){input->n, input->items, input->start, input->cost};
}

/* Small alphabets and costs make repeats, recursion, equal sequences and ties at λ the rule. */
static void random_input(struct input *input, struct test_random *random)
{
	uint32_t n_functions = 1 + test_random_below(random, 5),
		 costs = 1 + test_random_below(random, 6);
	uint32_t longest = 1 + test_random_below(random, MAX_ITEMS), i;
	size_t s, p = 0;

	input->n = test_random_below(random, MAX_SEQUENCES + 1);
	for (s = 0; s < input->n; s++) {
		uint32_t n = test_random_below(random, longest + 1);
		bool is_copy = s > 0 && test_random_below(random, 4) == 0;

		input->start[s] = p;
		input->cost[s] = test_random_below(random, costs + 1);
		if (is_copy) { /* the sequence before, perhaps with one item changed */
			n = (uint32_t)(input->start[s] - input->start[s - 1]);
			memcpy(input->items + p, input->items + input->start[s - 1],
			       n * sizeof(*input->items));
			if (n && test_random_below(random, 2))
				input->items[p + test_random_below(random, n)] =
					7 * test_random_below(random, n_functions);
		}
		for (i = 0; !is_copy && i < n; i++)
			input->items[p + i] = 7 * test_random_below(random, n_functions);
		p += n;
	}
	input->start[s] = p;
}

/* Runs of one item, as recursion and interpreters leave them, over one or two others. */
static void random_runs(struct input *input, struct test_random *random)
{
	size_t p = 0, s;

	input->n = 1 + test_random_below(random, MAX_SEQUENCES);
	for (s = 0; s < input->n; s++) {
		uint32_t n = 1 + test_random_below(random, MAX_ITEMS), item = 0;

		input->start[s] = p;
		input->cost[s] = 1 + test_random_below(random, 3);
		for (uint32_t i = 0; i < n; i++) {
			if (test_random_below(random, 3) == 0)
				item = test_random_below(random, 3);
			input->items[p++] = item;
		}
	}
	input->start[s] = p;
}

struct pattern {
	uint32_t items[MAX_ITEMS];
	size_t n;
	int64_t cost;
};

static bool contains(const uint32_t *sequence, size_t n, const struct pattern *p)
{
	size_t i, j = 0;

	for (i = 0; i < n && j < p->n; i++)
		j += sequence[i] == p->items[j];
	return j == p->n;
}

static int compare_patterns(const void *pa, const void *pb)
{
	const struct pattern *a = pa, *b = pb;
	size_t i;

	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	for (i = 0; i < a->n && i < b->n; i++)
		if (a->items[i] != b->items[i])
			return a->items[i] < b->items[i] ? -1 : 1;
	return a->n < b->n ? -1 : a->n > b->n;
}

static bool is_known(const struct pattern *list, size_t n, const struct pattern *p)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].n == p->n &&
		    memcmp(list[i].items, p->items, p->n * sizeof(*p->items)) == 0)
			return true;
	return false;
}

/* Every pattern that costs λ or more; `list` has room for MAX_SUBSEQUENCES. */
static size_t oracle_costly(struct pattern *list, const struct input *input, int64_t min_cost)
{
	size_t n = 0, s, i, other;
	uint32_t mask;

	for (s = 0; s < input->n; s++) {
		const uint32_t *items = input->items + input->start[s];
		size_t length = input->start[s + 1] - input->start[s];

		for (mask = 1; mask < 1U << length; mask++) {
			struct pattern p = {.n = 0};

			for (i = 0; i < length; i++)
				if (mask >> i & 1)
					p.items[p.n++] = items[i];
			for (other = 0; other < input->n; other++)
				if (contains(input->items + input->start[other],
					     input->start[other + 1] - input->start[other], &p))
					p.cost += input->cost[other];
			if (p.cost >= min_cost && !is_known(list, n, &p))
				list[n++] = p;
		}
	}
	return n;
}

static size_t oracle(struct pattern *out, const struct input *input, int64_t min_cost)
{
	static struct pattern costly[MAX_SUBSEQUENCES];
	size_t n_costly = oracle_costly(costly, input, min_cost), n = 0, i, j;

	for (i = 0; i < n_costly; i++) {
		bool is_maximal = true;

		for (j = 0; j < n_costly && is_maximal; j++)
			is_maximal = costly[j].n <= costly[i].n ||
				     !contains(costly[j].items, costly[j].n, &costly[i]);
		if (is_maximal)
			out[n++] = costly[i];
	}
	qsort(out, n, sizeof(*out), compare_patterns);
	return n;
}

static void print_input(const struct input *input)
{
	size_t s, p;

	for (s = 0; s < input->n; s++) {
		for (p = input->start[s]; p < input->start[s + 1]; p++)
			print_error("%u ", input->items[p]);
		print_error("cost %lld\n", (long long)input->cost[s]);
	}
}

static bool is_same(const struct lode_pattern_set *set, const struct pattern *list, size_t n)
{
	size_t i;

	if (set->n != n || set->start.n != n + 1 || set->start.at[0] != 0)
		return false;
	for (i = 0; i < n; i++)
		if (set->cost.at[i] != list[i].cost ||
		    set->start.at[i + 1] - set->start.at[i] != list[i].n ||
		    memcmp(set->items.at + set->start.at[i], list[i].items,
			   list[i].n * sizeof(*list[i].items)) != 0)
			return false;
	return true;
}

static void same_as_definition_on_random_inputs(void **state)
{
	static struct pattern expected[MAX_SUBSEQUENCES];
	struct lode_error err;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= TEST_CASES(6000); seed++) {
		struct test_random random = {seed * 7919};
		struct lode_miner_options options = {.n_threads = seed % 50 ? 1 : 3};
		struct lode_pattern_set set = {0};
		struct lode_sequences sequences;
		struct input input;
		size_t n;

		(seed % 2 ? random_input : random_runs)(&input, &random);
		options.min_cost = 1 + test_random_below(&random, 14);
		options.deep = test_random_below(&random, 5);
		sequences = view(&input);
		n = oracle(expected, &input, options.min_cost);
		for (int method = LODE_MINER_ALL; method <= LODE_MINER_ENUMERATION; method++) {
			options.method = (enum lode_miner_method)method;
			assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
			if (!is_same(&set, expected, n)) {
				print_input(&input);
				fail_msg("seed %llu, minimum cost %lld, method %d: %zu patterns, "
					 "expected %zu",
					 (unsigned long long)seed, (long long)options.min_cost,
					 method, set.n, n);
			}
			lode_pattern_set_release(&set);
		}
	}
}

/* ---- Larger inputs, which the oracle cannot do ---- */

static void all_searches_agree_for_any_number_of_threads(void **state)
{
	struct lode_error err;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= TEST_CASES(1500); seed++) {
		struct test_random random = {seed * 104729};
		struct lode_miner_options options = {.n_threads = 1, .max_patterns = 2000};
		static const enum lode_miner_method methods[] = {
			LODE_MINER_INSERTIONS, LODE_MINER_PREFIXES, LODE_MINER_ENUMERATION};
		struct lode_pattern_set sets[6] = {0};
		static struct large input;
		struct lode_sequences sequences;
		int rc[6], k;

		random_large(&input, &random);
		sequences = view_large(&input);
		options.min_cost = random_min_cost(&input, &random);
		for (k = 0; k < 6; k++) {
			options.n_threads = k < 3 ? 1 : 4;
			options.deep =
				test_random_below(&random, 2) * (1 + test_random_below(&random, 6));
			options.method = methods[k % 3];
			rc[k] = lode_mine_patterns(&sets[k], &sequences, &options, &err);
			assert_true(rc[k] == 0 || rc[k] == LODE_ERR_LIMIT);
			assert_int_equal(rc[k], rc[0]);
			assert_equal_sets(&sets[0], &sets[k], seed);
		}
		for (k = 0; k < 6; k++)
			lode_pattern_set_release(&sets[k]);
	}
}

/* Once, a pattern was grown only from where the search stood, although the copy of its first
   function to the left of that was what its super-sequence needed. */
static void a_copy_to_the_left_is_not_lost(void **state)
{
	static const uint32_t items[] = {10, 2, 5, 9, 10, 4, 3,	 10, 3, 5, 3,
					 10, 9, 4, 2, 4,  3, 10, 2,  9, 3, 4};
	static const size_t start[] = {0, 9, 18, 19, 22};
	static const int64_t cost[] = {2, 4, 2, 1};
	struct lode_sequences sequences = {4, items, start, cost};
	struct lode_miner_options options = {.min_cost = 6, .method = LODE_MINER_PREFIXES};
	struct lode_pattern_set a = {0}, b = {0};
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_mine_patterns(&a, &sequences, &options, &err), 0);
	options.method = LODE_MINER_INSERTIONS;
	assert_int_equal(lode_mine_patterns(&b, &sequences, &options, &err), 0);
	assert_equal_sets(&a, &b, 0);
	lode_pattern_set_release(&a);
	lode_pattern_set_release(&b);
}

/* Sequences in another order, and split into two of half the cost: nothing changes. */
static void order_and_splitting_do_not_matter(void **state)
{
	struct lode_error err;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 500; seed++) {
		struct test_random random = {seed * 15485863};
		struct lode_miner_options options = {.n_threads = 1};
		struct lode_pattern_set a = {0}, b = {0};
		static struct large input, other;
		struct lode_sequences sequences;
		size_t s, p = 0, from;

		random_large(&input, &random);
		if (input.n > MOST_SEQUENCES / 2)
			input.n = MOST_SEQUENCES / 2;
		options.min_cost = random_min_cost(&input, &random);
		for (s = 0; s < 2 * input.n; s++) {
			from = s % 2 ? s / 2 : input.n - 1 - s / 2;
			other.start[s] = p;
			other.cost[s] = s % 2 ? input.cost[from] / 2
					      : input.cost[from] - input.cost[from] / 2;
			memcpy(other.items + p, input.items + input.start[from],
			       (input.start[from + 1] - input.start[from]) * sizeof(uint32_t));
			p += input.start[from + 1] - input.start[from];
		}
		other.start[s] = p;
		other.n = s;
		sequences = view_large(&input);
		assert_int_equal(lode_mine_patterns(&a, &sequences, &options, &err), 0);
		sequences = view_large(&other);
		assert_int_equal(lode_mine_patterns(&b, &sequences, &options, &err), 0);
		assert_equal_sets(&a, &b, seed);
		lode_pattern_set_release(&a);
		lode_pattern_set_release(&b);
	}
}

static void max_patterns_is_exact(void **state)
{
	struct lode_error err;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 200; seed++) {
		struct test_random random = {seed * 32452843};
		struct lode_miner_options options = {.n_threads = 1};
		struct lode_pattern_set set = {0};
		static struct large input;
		struct lode_sequences sequences;
		size_t n;

		random_large(&input, &random);
		sequences = view_large(&input);
		options.min_cost = random_min_cost(&input, &random);
		assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
		n = set.n;
		lode_pattern_set_release(&set);
		for (int k = 0; n > 1 && k < 8; k++) {
			options.method = (enum lode_miner_method)(k % 4);
			options.n_threads = k < 4 ? 1 : 4;
			options.max_patterns = n;
			assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
			assert_int_equal(set.n, n);
			lode_pattern_set_release(&set);
			options.max_patterns = n - 1;
			assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err),
					 LODE_ERR_LIMIT);
			assert_int_equal(set.n, 0);
			assert_null(set.items.at);
		}
	}
}

/* "a b c" twice over and "a c", at λ = 1: two sequences of five items. */
static void lookups_are_bounded(void **state)
{
	static const uint32_t items[] = {1, 2, 3, 1, 3, 1, 2, 3};
	static const size_t start[] = {0, 3, 5, 8};
	static const int64_t cost[] = {5, 2, 1};
	struct lode_sequences sequences = {3, items, start, cost};
	struct lode_miner_stop stop;
	struct lode_miner_options options = {.min_cost = 1, .stop = &stop};
	struct lode_pattern_set set = {0};
	struct lode_error err;

	(void)state;
	options.max_lookups = 1;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), LODE_ERR_LIMIT);
	assert_true(stop.is_too_long);
	assert_int_equal(stop.crowded_to, 0);
	assert_int_equal(set.n, 0);
	assert_true(stop.lookups > 1 && stop.lookups < 1000);
	options.max_lookups = stop.lookups - 1;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), LODE_ERR_LIMIT);
	options.max_lookups = stop.lookups;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
	assert_int_equal(stop.lookups, 0);
	assert_int_equal(set.n, 1);
	lode_pattern_set_release(&set);
}

static void what_cannot_be_mined_is_said(void **state)
{
	static const uint32_t items[] = {1, 2, 1};
	static const size_t start[] = {0, 2, 3};
	static const int64_t huge[] = {INT64_MAX, 1}, negative[] = {3, -1}, fine[] = {INT64_MAX, 0};
	struct lode_sequences sequences = {2, items, start, huge};
	struct lode_miner_options options = {.min_cost = 1};
	struct lode_pattern_set set = {0};
	struct lode_error err;
	int64_t min_cost;

	(void)state;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), LODE_ERR_LIMIT);
	assert_int_equal(lode_mine_find_min_cost(&min_cost, &sequences, 1, &options, &err),
			 LODE_ERR_LIMIT);
	sequences.cost = negative;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), LODE_ERR_ARG);
	sequences.cost = fine;
	options.min_cost = 0;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), LODE_ERR_ARG);
	assert_int_equal(lode_mine_find_min_cost(&min_cost, &sequences, 0, &options, &err),
			 LODE_ERR_ARG);
	options.min_cost = INT64_MAX;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
	assert_int_equal(set.n, 1);
	assert_int_equal(set.items.n, 2);
	assert_true(set.cost.at[0] == INT64_MAX);
	lode_pattern_set_release(&set);
	sequences.n = 0;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
	assert_int_equal(set.n, 0);
	lode_pattern_set_release(&set);
}

/* ---- Public sets with known numbers of patterns ---- */

struct public_set {
	const char *name;
	int64_t min_cost;
	size_t n_patterns;
	uint64_t most_work; /* of all searches in turn: some twice what the best one needs */
};

static bool mine_spmf(const struct public_set *which, enum lode_miner_method method)
{
	struct lode_miner_options options = {
		.min_cost = which->min_cost, .n_threads = 2, .method = method};
	struct lode_miner_stop stop;
	LODE_VEC(uint32_t) items = {0};
	LODE_VEC(size_t) start = {0};
	LODE_VEC(int64_t) cost = {0};
	struct lode_pattern_set set = {0};
	struct lode_sequences sequences;
	struct lode_input *input = NULL;
	struct lode_lines lines;
	struct lode_error err;
	const char *top = getenv("LODE_TOP");
	char path[512], *line;
	size_t len;

	snprintf(path, sizeof(path), "%s/../shared/datasets/sequences/%s.txt.zst", top ? top : ".",
		 which->name);
	if (lode_input_open(&input, path, &err) < 0)
		return false;
	lode_lines_init(&lines, input);
	lode_vec_append(&start, 0);
	while (lode_lines_next(&lines, &line, &len, &err) > 0) {
		char *rest, *word;

		for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			if (word[0] != '-')
				lode_vec_append(&items, (uint32_t)strtoul(word, NULL, 10));
		lode_vec_append(&start, items.n);
		lode_vec_append(&cost, 1);
	}
	lode_lines_release(&lines);
	lode_input_close(input);
	sequences = (struct lode_sequences){cost.n, items.at, start.at, cost.at};
	options.stop = &stop;
	assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
	assert_int_equal(set.n, which->n_patterns);
	if (method == LODE_MINER_ALL && stop.work > which->most_work)
		fail_msg("%s takes %llu steps", which->name, (unsigned long long)stop.work);
	lode_pattern_set_release(&set);
	lode_vec_release(&items);
	lode_vec_release(&start);
	lode_vec_release(&cost);
	return true;
}

static void public_sets_have_as_many_patterns_as_is_known(void **state)
{
	static const struct public_set sets[] = {
		{"SIGN", 146, 3451, 6000000},	 {"KOSARAK25K", 50, 1910, 6000000},
		{"BIKE", 100, 2164, 3000000},	 {"LEVIATHAN", 117, 17124, 28000000},
		{"BIBLE1K", 10, 16035, 3000000}, {"BMS1", 38, 12835, 7000000}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		if (!mine_spmf(&sets[i], LODE_MINER_ALL))
			skip();
	assert_true(mine_spmf(&sets[0], LODE_MINER_INSERTIONS));
	assert_true(mine_spmf(&sets[2], LODE_MINER_PREFIXES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_definition_on_random_inputs),
		cmocka_unit_test(all_searches_agree_for_any_number_of_threads),
		cmocka_unit_test(a_copy_to_the_left_is_not_lost),
		cmocka_unit_test(order_and_splitting_do_not_matter),
		cmocka_unit_test(max_patterns_is_exact),
		cmocka_unit_test(lookups_are_bounded),
		cmocka_unit_test(what_cannot_be_mined_is_said),
		cmocka_unit_test(public_sets_have_as_many_patterns_as_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
