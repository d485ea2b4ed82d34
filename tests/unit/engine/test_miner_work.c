/* The work of the miner, in steps, not in time: loops, searches in turn, searches without end. */
#include "engine/patterns/miner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "random_sequences.h"

/* ---- Loops ---- */

enum { SHORT_ONES = 60, SHORT_LENGTH = 30, LAPS = 100, FUNCTIONS = 200 };

/* Short sequences, and one that goes through one of them again and again. */
static struct lode_sequences with_a_loop(uint32_t *items, size_t *start, int64_t *cost,
					 uint32_t laps)
{
	struct test_random random = {4711};
	size_t n = 0, s;

	for (s = 0; s < SHORT_ONES; s++) {
		start[s] = n;
		cost[s] = 1 + test_random_below(&random, 20);
		for (uint32_t i = 0, at = 0; i < SHORT_LENGTH; i++) {
			at += 1 + test_random_below(&random, 2 * FUNCTIONS / SHORT_LENGTH);
			items[n++] = at;
		}
	}
	start[s] = n;
	for (uint32_t lap = 0; lap < laps; lap++, n += SHORT_LENGTH)
		memcpy(items + n, items + start[7], SHORT_LENGTH * sizeof(*items));
	start[s + 1] = n;
	return (struct lode_sequences){SHORT_ONES + 1, items, start, cost};
}

/* A loop of a hundred laps takes hardly more than one of three: too cheap to be a pattern, and as
   one. The result is that of all searches that take the loop as it is. */
static void laps_of_a_loop_cost_little(void **state)
{
	static uint32_t items[(SHORT_ONES + LAPS) * SHORT_LENGTH];
	static size_t start[SHORT_ONES + 2];
	static int64_t cost[SHORT_ONES + 1];
	struct lode_error err;

	(void)state;
	for (int64_t loop_cost = 3; loop_cost < 100; loop_cost += 90) {
		struct lode_miner_stop stop[2];
		struct lode_pattern_set set = {0}, whole = {0};
		struct lode_miner_options options = {.min_cost = 40};
		struct lode_sequences sequences;

		for (int k = 0; k < 2; k++) {
			sequences = with_a_loop(items, start, cost, k ? LAPS : 3);
			cost[SHORT_ONES] = loop_cost;
			lode_pattern_set_release(&set);
			options.deep = 64;
			options.stop = &stop[k];
			assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
		}
		if (stop[1].work > 2 * stop[0].work)
			fail_msg("%llu steps, with 3 laps %llu", (unsigned long long)stop[1].work,
				 (unsigned long long)stop[0].work);
		options.deep = UINT32_MAX;
		assert_int_equal(lode_mine_patterns(&whole, &sequences, &options, &err), 0);
		assert_equal_sets(&whole, &set, 0);
		lode_pattern_set_release(&set);
		lode_pattern_set_release(&whole);
	}
}

/* ---- A search without end ---- */

/* Twelve shuffled variants of many functions: any search would take ages, and must say so. */
static void a_search_without_end_is_ended(void **state)
{
	enum { N = 600, N_SEQUENCES = 12 };
	struct test_random random = {4711};
	static uint32_t items[N * N_SEQUENCES];
	size_t start[N_SEQUENCES + 1] = {0};
	int64_t cost[N_SEQUENCES];
	struct lode_sequences sequences = {N_SEQUENCES, items, start, cost};
	struct lode_miner_stop stop;
	struct lode_miner_options options = {
		.min_cost = 6, .max_work = 1 << 18, .n_threads = 1, .stop = &stop};
	struct lode_pattern_set set = {0};
	struct lode_error err;
	uint64_t work[2];

	(void)state;
	for (size_t s = 0; s < N_SEQUENCES; s++) {
		uint32_t *at = items + s * N;

		cost[s] = 1;
		start[s + 1] = (s + 1) * N;
		for (uint32_t i = 0; i < N; i++)
			at[i] = i;
		for (uint32_t k = 0; k < 4 * N; k++) { /* neighbours change places */
			uint32_t i = test_random_below(&random, N - 1), x = at[i];

			at[i] = at[i + 1];
			at[i + 1] = x;
		}
	}
	for (int k = 0; k < 2; k++) {
		options.n_threads = k ? 3 : 1;
		assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err),
				 LODE_ERR_LIMIT);
		assert_true(stop.is_too_long);
		assert_int_equal(set.n, 0);
	}
	/* Where a larger λ shows that, it ends soon. */
	options.n_threads = 1;
	options.max_work = 1 << 25;
	for (int k = 0; k < 2; k++) {
		options.test_cost = k ? 7 : 0;
		assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err),
				 LODE_ERR_LIMIT);
		assert_true(stop.is_too_long);
		work[k] = stop.work;
	}
	assert_true(work[1] < work[0] / 2);
}

/* ---- Three searches in turn ---- */

typedef LODE_VEC(uint32_t) item_vec;
typedef LODE_VEC(size_t) start_vec;

/* Words as in sentences: the i-th commonest in proportion to 1/i, in no order. */
static void random_sentences(item_vec *items, start_vec *start, size_t n,
			     struct test_random *random)
{
	enum { N_WORDS = 3000, LENGTH = 50 };
	uint32_t up_to[N_WORDS], total = 0;

	for (uint32_t i = 0; i < N_WORDS; i++)
		up_to[i] = total += 1000000 / (i + 1);
	lode_vec_append(start, 0);
	for (size_t s = 0; s < n; s++) {
		for (uint32_t k = LENGTH / 2 + test_random_below(random, LENGTH); k > 0; k--) {
			uint32_t at = test_random_below(random, total), low = 0, high = N_WORDS - 1;

			while (low < high) {
				uint32_t middle = low + (high - low) / 2;

				if (at < up_to[middle])
					high = middle;
				else
					low = middle + 1;
			}
			lode_vec_append(items, low);
		}
		lode_vec_append(start, items->n);
	}
}

/* Insertions get the branches of rare words done at once, and seem nearly done for ever after. */
static void the_right_search_is_not_kept_waiting(void **state)
{
	enum { N = 2000 };
	struct test_random random = {1};
	item_vec items = {0};
	start_vec start = {0};
	int64_t cost[N];
	uint64_t work[2];

	(void)state;
	random_sentences(&items, &start, N, &random);
	for (size_t s = 0; s < N; s++)
		cost[s] = 1;
	for (int k = 0; k < 2; k++) {
		struct lode_sequences sequences = {N, items.at, start.at, cost};
		struct lode_miner_stop stop;
		struct lode_miner_options options = {
			.min_cost = 100,
			.n_threads = 1,
			.method = k ? LODE_MINER_ALL : LODE_MINER_ENUMERATION,
			.stop = &stop,
		};
		struct lode_pattern_set set = {0};
		struct lode_error err = {0};

		assert_int_equal(lode_mine_patterns(&set, &sequences, &options, &err), 0);
		work[k] = stop.work;
		lode_pattern_set_release(&set);
	}
	assert_true(work[0] > 5000000); /* else this tells nothing */
	if (work[1] > 2 * work[0])
		fail_msg("enumeration takes %llu steps, all in turn %llu",
			 (unsigned long long)work[0], (unsigned long long)work[1]);
	lode_vec_release(&items);
	lode_vec_release(&start);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(laps_of_a_loop_cost_little),
		cmocka_unit_test(a_search_without_end_is_ended),
		cmocka_unit_test(the_right_search_is_not_kept_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
