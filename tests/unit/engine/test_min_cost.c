/* λ for so many patterns, asked of every λ there is; where too many patterns rule out others. */
#include "engine/patterns/min_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "find_min_cost.h"
#include "random_sequences.h"

static size_t count_patterns(const struct lode_sequences *sequences, int64_t min_cost)
{
	struct lode_miner_options options = {.min_cost = min_cost};
	struct lode_pattern_set set = {0};
	struct lode_error err;
	size_t n;

	assert_int_equal(lode_mine_patterns(&set, sequences, &options, &err), 0);
	n = set.n;
	lode_pattern_set_release(&set);
	return n;
}

/* Asked of every λ there is: the smallest that gives few enough, though a larger one may not. */
static void found_min_cost_is_the_smallest_of_all(void **state)
{
	struct lode_error err;
	uint64_t seed;
	size_t n_uneven = 0;

	(void)state;
	for (seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct test_random random = {seed * 49979687};
		struct lode_miner_options options = {.n_threads = seed % 8 ? 1 : 2,
						     .method = (enum lode_miner_method)(seed % 4)};
		static struct large input;
		struct lode_sequences sequences;
		size_t most = 1 + test_random_below(&random, seed % 3 ? 8 : 40);
		int64_t min_cost, expected = 0, above = 0;

		random_large(&input, &random);
		if (input.n > 10)
			input.n = 10;
		input.total = 0;
		for (size_t s = 0; s < input.n; s++)
			input.total += input.cost[s];
		sequences = view_large(&input);
		for (int64_t cost = input.total + 1; cost >= 1; cost--)
			if (count_patterns(&sequences, cost) <= most)
				expected = cost;
			else if (above == 0)
				above = cost + 1;
		n_uneven += above && expected != above;
		assert_int_equal(
			lode_mine_find_min_cost(&min_cost, &sequences, most, &options, &err), 0);
		if (min_cost != expected)
			fail_msg("seed %llu: %lld, expected %lld", (unsigned long long)seed,
				 (long long)min_cost, (long long)expected);
	}
	assert_true(n_uneven > 3); /* or nothing is looked for from below */
}

static void found_min_cost_gives_few_and_one_less_gives_more(void **state)
{
	struct lode_error err;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 200; seed++) {
		struct test_random random = {seed * 49979687};
		struct lode_miner_options options = {.n_threads = 1};
		static struct large input;
		struct lode_sequences sequences;
		size_t most = 1 + test_random_below(&random, 40);
		int64_t min_cost;

		random_large(&input, &random);
		sequences = view_large(&input);
		assert_int_equal(
			lode_mine_find_min_cost(&min_cost, &sequences, most, &options, &err), 0);
		assert_true(min_cost >= 1);
		if (count_patterns(&sequences, min_cost) > most)
			fail_msg("seed %llu: more than %zu patterns", (unsigned long long)seed,
				 most);
		if (min_cost > 1 && count_patterns(&sequences, min_cost - 1) <= most)
			fail_msg("seed %llu: %lld is not the least", (unsigned long long)seed,
				 (long long)min_cost);
	}
}

/* Past max_patterns: every λ up to where it is said to be crowded gives too many as well. */
static void crowded_ranges_are_crowded(void **state)
{
	struct lode_error err;
	uint64_t seed;
	size_t n_wide = 0;

	(void)state;
	for (seed = 1; seed <= 600; seed++) {
		struct test_random random = {seed * 86028121};
		struct lode_miner_stop stop;
		struct lode_miner_options options = {.n_threads = seed % 10 ? 1 : 3, .stop = &stop};
		static struct large input;
		struct lode_sequences sequences;
		struct lode_pattern_set set = {0};

		random_large(&input, &random);
		sequences = view_large(&input);
		options.min_cost = random_min_cost(&input, &random);
		options.max_patterns = 1 + test_random_below(&random, 12);
		options.method = (enum lode_miner_method)(seed % 4);
		if (lode_mine_patterns(&set, &sequences, &options, &err) == 0) {
			assert_true(stop.crowded_to == 0 && !stop.is_too_long);
			lode_pattern_set_release(&set);
			continue;
		}
		assert_false(stop.is_too_long);
		assert_true(stop.crowded_to >= options.min_cost);
		n_wide += stop.crowded_to > options.min_cost;
		if (count_patterns(&sequences, stop.crowded_to) <= options.max_patterns ||
		    count_patterns(&sequences, (stop.crowded_to + options.min_cost) / 2) <=
			    options.max_patterns)
			fail_msg("seed %llu: not crowded", (unsigned long long)seed);
	}
	assert_true(n_wide > 100);
}

/* ---- Where the work that is allowed decides ---- */

/* λ from 1 on that give too many patterns, and what it takes to find that out, or that they do not.
 */
struct imagined {
	bool is_crowded[200];
	unsigned effort[200];
	unsigned n_in_vain;
};

static int imagine(void *context, int64_t min_cost, enum lode_effort effort, int64_t *crowded_to,
		   struct lode_error *err)
{
	struct imagined *x = context;
	unsigned needed = min_cost < 200 ? x->effort[min_cost] : 0;

	(void)err;
	if (needed > effort) {
		x->n_in_vain += effort == LODE_EFFORT_WHOLE;
		return 0;
	}
	if (min_cost >= 200 || !x->is_crowded[min_cost])
		return 1;
	*crowded_to = min_cost;
	return 0;
}

/* What a part of the allowance does not settle is no answer: λ is what the whole of it gives. */
static void a_lambda_that_takes_longer_is_found(void **state)
{
	struct lode_error err;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(4000); seed++) {
		struct test_random random = {seed * 15485863};
		struct imagined x = {0};
		struct lode_min_cost_search search = {
			.probe = imagine, .context = &x, .total = 199, .max_upward = 1000};
		int64_t min_cost, expected = 1 + test_random_below(&random, 199);
		uint32_t dear = test_random_below(&random, 200);

		for (int64_t cost = 0; cost < 200; cost++) {
			x.is_crowded[cost] = cost < expected;
			x.effort[cost] = cost <= dear;
		}
		assert_int_equal(lode_min_cost_find(&min_cost, &search, &err), 0);
		if (min_cost != expected)
			fail_msg("seed %llu: %lld, expected %lld", (unsigned long long)seed,
				 (long long)min_cost, (long long)expected);
	}
}

/* What even the whole allowance does not settle is asked of a few λ only. */
static void what_takes_too_long_is_asked_seldom(void **state)
{
	struct lode_error err;

	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct test_random random = {seed * 32452843};
		struct imagined x = {0};
		struct lode_min_cost_search search = {
			.probe = imagine, .context = &x, .total = 199, .max_upward = 1000};
		int64_t min_cost, dear = 1 + test_random_below(&random, 198);

		for (int64_t cost = 0; cost <= dear; cost++)
			x.effort[cost] = LODE_EFFORT_WHOLE + 1;
		assert_int_equal(lode_min_cost_find(&min_cost, &search, &err), 0);
		assert_true(min_cost > dear && (double)min_cost <= 1.15 * (double)dear + 1);
		assert_true(x.n_in_vain <= 4);
	}
}

/* So it is where any λ will do that is not much larger than necessary. */
static void a_lambda_that_fits_may_take_longer(void **state)
{
	struct lode_error err;

	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct test_random random = {seed * 86028121};
		struct imagined x = {0};
		struct lode_min_cost_search search = {
			.probe = imagine, .context = &x, .total = 199};
		int64_t min_cost, dear = 1 + test_random_below(&random, 198),
				  expected = 2 + test_random_below(&random, 198);

		for (int64_t cost = 0; cost < 200; cost++) {
			x.is_crowded[cost] = cost < expected;
			x.effort[cost] = cost <= dear;
		}
		assert_int_equal(lode_min_cost_fit(&min_cost, &search, 1, &err), 0);
		assert_true(min_cost >= expected);
		assert_true((double)min_cost <= 1.2 * (double)expected + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_min_cost_is_the_smallest_of_all),
		cmocka_unit_test(found_min_cost_gives_few_and_one_less_gives_more),
		cmocka_unit_test(crowded_ranges_are_crowded),
		cmocka_unit_test(a_lambda_that_takes_longer_is_found),
		cmocka_unit_test(what_takes_too_long_is_asked_seldom),
		cmocka_unit_test(a_lambda_that_fits_may_take_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
