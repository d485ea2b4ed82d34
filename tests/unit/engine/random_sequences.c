#include "random_sequences.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct lode_sequences view_large(const struct large *input)
{
	return (struct lode_sequences){input->n, input->items, input->start, input->cost};
}

/* A variant of an earlier sequence: like stacks, with frames left out, put in, and repeated. */
static size_t vary(uint32_t *to, const struct large *input, size_t s, uint32_t n_functions,
		   struct test_random *random)
{
	size_t other = test_random_below(random, (uint32_t)s), n = 0, p;

	for (p = input->start[other]; p < input->start[other + 1] && n + 2 < LONGEST; p++) {
		if (test_random_below(random, 8) == 0)
			continue;
		if (test_random_below(random, 8) == 0)
			to[n++] = test_random_below(random, n_functions);
		to[n++] = input->items[p];
	}
	return n;
}

void random_large(struct large *input, struct test_random *random)
{
	uint32_t n_functions = 2 + test_random_below(random, 12),
		 costs = 1 + test_random_below(random, 30);
	uint32_t longest = 1 + test_random_below(random, 12), shape = test_random_below(random, 3);
	uint32_t n_front = test_random_below(random, 4), n_back = test_random_below(random, 4), i,
		 n;
	size_t s, p = 0;

	input->n = 1 + test_random_below(random, MOST_SEQUENCES);
	input->total = 0;
	for (s = 0; s < input->n; s++) {
		input->start[s] = p;
		input->cost[s] = test_random_below(random, costs);
		input->total += input->cost[s];
		if (shape > 0 && s > 0 && test_random_below(random, 3)) {
			p += vary(input->items + p, input, s, n_functions, random);
			continue;
		}
		for (i = 0; shape == 1 && i < n_front; i++)
			input->items[p++] = i % n_functions;
		for (i = 0, n = test_random_below(random, longest + 1); i < n; i++)
			input->items[p++] = test_random_below(random, n_functions);
		for (i = 0; shape == 1 && i < n_back; i++)
			input->items[p++] = (5 * i + 1) % n_functions;
	}
	input->start[s] = p;
}

int64_t random_min_cost(const struct large *input, struct test_random *random)
{
	int64_t most = input->total / (1 + test_random_below(random, 10)) + 2;

	return 1 + test_random_below(random, (uint32_t)most);
}

void assert_equal_sets(const struct lode_pattern_set *a, const struct lode_pattern_set *b,
		       uint64_t seed)
{
	if (a->n != b->n || a->items.n != b->items.n ||
	    (a->n && (memcmp(a->items.at, b->items.at, a->items.n * sizeof(*a->items.at)) != 0 ||
		      memcmp(a->start.at, b->start.at, a->start.n * sizeof(*a->start.at)) != 0 ||
		      memcmp(a->cost.at, b->cost.at, a->n * sizeof(*a->cost.at)) != 0)))
		fail_msg("seed %llu: %zu patterns, and %zu that differ", (unsigned long long)seed,
			 a->n, b->n);
}
