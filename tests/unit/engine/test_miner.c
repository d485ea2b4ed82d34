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

enum { MAX_SEQUENCES = 8, MAX_ITEMS = 7, MAX_SUBSEQUENCES = MAX_SEQUENCES << MAX_ITEMS };

struct random {
	uint64_t state;
};

static uint32_t random_below(struct random *random, uint32_t n)
{
	random->state = random->state * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (uint32_t)((random->state >> 33) % n);
}

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
static void random_input(struct input *input, struct random *random)
{
	uint32_t n_functions = 1 + random_below(random, 5), costs = 1 + random_below(random, 6);
	uint32_t longest = 1 + random_below(random, MAX_ITEMS), i;
	size_t s, p = 0;

	input->n = random_below(random, MAX_SEQUENCES + 1);
	for (s = 0; s < input->n; s++) {
		uint32_t n = random_below(random, longest + 1);
		bool is_copy = s > 0 && random_below(random, 4) == 0;

		input->start[s] = p;
		input->cost[s] = random_below(random, costs + 1);
		if (is_copy) { /* the sequence before, perhaps with one item changed */
			n = (uint32_t)(input->start[s] - input->start[s - 1]);
			memcpy(input->items + p, input->items + input->start[s - 1],
			       n * sizeof(*input->items));
			if (n && random_below(random, 2))
				input->items[p + random_below(random, n)] =
					7 * random_below(random, n_functions);
		}
		for (i = 0; !is_copy && i < n; i++)
			input->items[p + i] = 7 * random_below(random, n_functions);
		p += n;
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
	for (seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct random random = {seed * 7919};
		struct lode_miner_options options = {.n_threads = seed % 50 ? 1 : 3};
		struct lode_pattern_set set = {0};
		struct lode_sequences sequences;
		struct input input;
		size_t n;

		random_input(&input, &random);
		options.min_cost = 1 + random_below(&random, 14);
		options.deep = random_below(&random, 5);
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

enum { MOST_SEQUENCES = 32, LONGEST = 32 };

struct large {
	size_t n, start[MOST_SEQUENCES + 1];
	uint32_t items[MOST_SEQUENCES * LONGEST];
	int64_t cost[MOST_SEQUENCES];
	int64_t total;
};

static struct lode_sequences view_large(const struct large *input)
{
	return (struct lode_sequences){input->n, input->items, input->start, input->cost};
}

/* A variant of an earlier sequence: like stacks, with frames left out, put in, and repeated. */
static size_t vary(uint32_t *to, const struct large *input, size_t s, uint32_t n_functions,
		   struct random *random)
{
	size_t other = random_below(random, (uint32_t)s), n = 0, p;

	for (p = input->start[other]; p < input->start[other + 1] && n + 2 < LONGEST; p++) {
		if (random_below(random, 8) == 0)
			continue;
		if (random_below(random, 8) == 0)
			to[n++] = random_below(random, n_functions);
		to[n++] = input->items[p];
	}
	return n;
}

static void random_large(struct large *input, struct random *random)
{
	uint32_t n_functions = 2 + random_below(random, 12), costs = 1 + random_below(random, 30);
	uint32_t longest = 1 + random_below(random, 12), shape = random_below(random, 3);
	uint32_t n_front = random_below(random, 4), n_back = random_below(random, 4), i, n;
	size_t s, p = 0;

	input->n = 1 + random_below(random, MOST_SEQUENCES);
	input->total = 0;
	for (s = 0; s < input->n; s++) {
		input->start[s] = p;
		input->cost[s] = random_below(random, costs);
		input->total += input->cost[s];
		if (shape > 0 && s > 0 && random_below(random, 3)) {
			p += vary(input->items + p, input, s, n_functions, random);
			continue;
		}
		for (i = 0; shape == 1 && i < n_front; i++)
			input->items[p++] = i % n_functions;
		for (i = 0, n = random_below(random, longest + 1); i < n; i++)
			input->items[p++] = random_below(random, n_functions);
		for (i = 0; shape == 1 && i < n_back; i++)
			input->items[p++] = (5 * i + 1) % n_functions;
	}
	input->start[s] = p;
}

static int64_t random_min_cost(const struct large *input, struct random *random)
{
	int64_t most = input->total / (1 + random_below(random, 10)) + 2;

	return 1 + random_below(random, (uint32_t)most);
}

static void assert_equal_sets(const struct lode_pattern_set *a, const struct lode_pattern_set *b,
			      uint64_t seed)
{
	if (a->n != b->n || a->items.n != b->items.n ||
	    (a->n && (memcmp(a->items.at, b->items.at, a->items.n * sizeof(*a->items.at)) != 0 ||
		      memcmp(a->start.at, b->start.at, a->start.n * sizeof(*a->start.at)) != 0 ||
		      memcmp(a->cost.at, b->cost.at, a->n * sizeof(*a->cost.at)) != 0)))
		fail_msg("seed %llu: %zu patterns, and %zu that differ", (unsigned long long)seed,
			 a->n, b->n);
}

static void all_searches_agree_for_any_number_of_threads(void **state)
{
	struct lode_error err;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= TEST_CASES(1500); seed++) {
		struct random random = {seed * 104729};
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
			options.deep = random_below(&random, 2) * (1 + random_below(&random, 6));
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
		struct random random = {seed * 15485863};
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

enum { SHORT_ONES = 60, SHORT_LENGTH = 30, LAPS = 100, FUNCTIONS = 200 };

/* Short sequences, and one that goes through one of them again and again. */
static struct lode_sequences with_a_loop(uint32_t *items, size_t *start, int64_t *cost,
					 uint32_t laps)
{
	struct random random = {4711};
	size_t n = 0, s;

	for (s = 0; s < SHORT_ONES; s++) {
		start[s] = n;
		cost[s] = 1 + random_below(&random, 20);
		for (uint32_t i = 0, at = 0; i < SHORT_LENGTH; i++) {
			at += 1 + random_below(&random, 2 * FUNCTIONS / SHORT_LENGTH);
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

static void max_patterns_is_exact(void **state)
{
	struct lode_error err;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 200; seed++) {
		struct random random = {seed * 32452843};
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
	for (seed = 1; seed <= 150; seed++) {
		struct random random = {seed * 49979687};
		struct lode_miner_options options = {.n_threads = 1};
		static struct large input;
		struct lode_sequences sequences;
		size_t most = 1 + random_below(&random, seed % 2 ? 40 : 8);
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
		struct random random = {seed * 49979687};
		struct lode_miner_options options = {.n_threads = 1};
		static struct large input;
		struct lode_sequences sequences;
		size_t most = 1 + random_below(&random, 40);
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
		struct random random = {seed * 86028121};
		struct lode_miner_stop stop;
		struct lode_miner_options options = {.n_threads = seed % 10 ? 1 : 3, .stop = &stop};
		static struct large input;
		struct lode_sequences sequences;
		struct lode_pattern_set set = {0};

		random_large(&input, &random);
		sequences = view_large(&input);
		options.min_cost = random_min_cost(&input, &random);
		options.max_patterns = 1 + random_below(&random, 12);
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

/* Twelve shuffled variants of many functions: any search would take ages, and must say so. */
static void a_search_without_end_is_ended(void **state)
{
	enum { N = 600, N_SEQUENCES = 12 };
	struct random random = {4711};
	static uint32_t items[N * N_SEQUENCES];
	size_t start[N_SEQUENCES + 1] = {0};
	int64_t cost[N_SEQUENCES];
	struct lode_sequences sequences = {N_SEQUENCES, items, start, cost};
	struct lode_miner_stop stop;
	struct lode_miner_options options = {
		.min_cost = 6, .max_work = 1 << 18, .n_threads = 1, .stop = &stop};
	struct lode_pattern_set set = {0};
	struct lode_error err;

	(void)state;
	for (size_t s = 0; s < N_SEQUENCES; s++) {
		uint32_t *at = items + s * N;

		cost[s] = 1;
		start[s + 1] = (s + 1) * N;
		for (uint32_t i = 0; i < N; i++)
			at[i] = i;
		for (uint32_t k = 0; k < 4 * N; k++) { /* neighbours change places */
			uint32_t i = random_below(&random, N - 1), x = at[i];

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

/* ---- Work, not time ---- */

typedef LODE_VEC(uint32_t) item_vec;
typedef LODE_VEC(size_t) start_vec;

/* Words as in sentences: the i-th commonest in proportion to 1/i, in no order. */
static void random_sentences(item_vec *items, start_vec *start, size_t n, struct random *random)
{
	enum { N_WORDS = 3000, LENGTH = 50 };
	uint32_t up_to[N_WORDS], total = 0;

	for (uint32_t i = 0; i < N_WORDS; i++)
		up_to[i] = total += 1000000 / (i + 1);
	lode_vec_append(start, 0);
	for (size_t s = 0; s < n; s++) {
		for (uint32_t k = LENGTH / 2 + random_below(random, LENGTH); k > 0; k--) {
			uint32_t at = random_below(random, total), low = 0, high = N_WORDS - 1;

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
	struct random random = {1};
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
		cmocka_unit_test(laps_of_a_loop_cost_little),
		cmocka_unit_test(max_patterns_is_exact),
		cmocka_unit_test(found_min_cost_is_the_smallest_of_all),
		cmocka_unit_test(found_min_cost_gives_few_and_one_less_gives_more),
		cmocka_unit_test(crowded_ranges_are_crowded),
		cmocka_unit_test(a_search_without_end_is_ended),
		cmocka_unit_test(what_cannot_be_mined_is_said),
		cmocka_unit_test(the_right_search_is_not_kept_waiting),
		cmocka_unit_test(public_sets_have_as_many_patterns_as_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
