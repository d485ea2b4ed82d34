/*
 * The miner against its definition: on thousands of small random inputs, every subsequence of
 * every sequence is listed, its cost summed, and what has a costly super-sequence is struck out.
 */
#include "analyses/patterns/miner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
	for (seed = 1; seed <= 20000; seed++) {
		struct random random = {seed * 7919};
		struct lode_miner_options options = {.n_threads = seed % 50 ? 1 : 3};
		struct lode_pattern_set set = {0};
		struct lode_sequences sequences;
		struct input input;
		size_t n;

		random_input(&input, &random);
		options.min_cost = 1 + random_below(&random, 14);
		sequences = view(&input);
		n = oracle(expected, &input, options.min_cost);
		for (int method = LODE_MINER_PREFIXES; method <= LODE_MINER_INSERTIONS; method++) {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_definition_on_random_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
