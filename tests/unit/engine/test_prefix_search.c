/* The search by prefixes: interrupted and resumed, on any number of threads, on stacks that repeat
 * themselves. */
#include "engine/patterns/prefix_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sorted.h"
#include "cases.h"
#include "random.h"

enum { N_SEQUENCES = 60, N_BLOCKS = 4, BLOCK = 5 };

struct stacks {
	LODE_VEC(uint32_t) items;
	LODE_VEC(size_t) start;
	LODE_VEC(int64_t) cost;
};

/* One wait behind the other, and then a recursion: what a chain over threads looks like. Some lack
 * an item, or have one more. */
static void make_stacks(struct stacks *stacks, struct test_random *random)
{
	uint32_t n_waits = 1 + test_random_below(random, N_BLOCKS);

	for (size_t s = 0; s < N_SEQUENCES; s++) {
		uint32_t n = test_random_below(random, n_waits + 1);

		lode_vec_append(&stacks->start, stacks->items.n);
		lode_vec_append(&stacks->cost, 1 + test_random_below(random, 9));
		for (uint32_t i = 0; i < n * BLOCK; i++) {
			if (test_random_below(random, 12))
				lode_vec_append(&stacks->items, i % BLOCK);
			if (test_random_below(random, 20) == 0)
				lode_vec_append(&stacks->items,
						BLOCK + test_random_below(random, 4));
		}
		for (uint32_t k = test_random_below(random, 12); k-- > 0;)
			lode_vec_append(&stacks->items, 20);
		lode_vec_append(&stacks->items, 20 + test_random_below(random, 4));
	}
	lode_vec_append(&stacks->start, stacks->items.n);
}

struct pattern {
	int64_t cost;
	const uint32_t *items;
	size_t n;
};

static int compare(const void *pa, const void *pb)
{
	const struct pattern *a = pa, *b = pb;

	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (a->items[i] != b->items[i])
			return a->items[i] < b->items[i] ? -1 : 1;
	return LODE_ORDER(a->n, b->n);
}

static struct pattern *sorted(const struct lode_prefix_patterns *found)
{
	struct pattern *patterns = lode_alloc0(found->n + 1, sizeof(*patterns));

	for (size_t i = 0; i < found->n; i++) {
		patterns[i].cost = found->cost.at[i];
		patterns[i].items = found->items.at + found->start.at[i];
		patterns[i].n = found->start.at[i + 1] - found->start.at[i];
	}
	lode_sort(patterns, found->n, compare);
	return patterns;
}

static void assert_same(const struct lode_prefix_patterns *a, const struct lode_prefix_patterns *b,
			uint64_t seed)
{
	struct pattern *pa = sorted(a), *pb = sorted(b);

	if (a->n != b->n)
		fail_msg("seed %llu: %zu patterns, expected %zu", (unsigned long long)seed, b->n,
			 a->n);
	for (size_t i = 0; i < a->n; i++)
		if (pa[i].cost != pb[i].cost || compare(&pa[i], &pb[i]) != 0)
			fail_msg("seed %llu: pattern %zu differs", (unsigned long long)seed, i);
	free(pa);
	free(pb);
}

/* Returns how often it was interrupted. */
static unsigned search(struct lode_prefix_patterns *out, const struct lode_reduced *reduced,
		       int64_t min_cost, unsigned n_threads, uint64_t max_work)
{
	struct lode_prefix_options options = {.min_cost = min_cost, .n_threads = n_threads};
	struct lode_prefix_search *s = lode_prefix_search_new(reduced, &options);
	unsigned n = 0;

	for (; lode_prefix_search_run(s, max_work) == LODE_PREFIX_GAVE_UP; n++)
		max_work *= 2;
	lode_prefix_search_collect(out, s);
	lode_prefix_search_free(s);
	return n;
}

static void interruptions_and_threads_change_nothing(void **state)
{
	unsigned n_interrupted = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(80); seed++) {
		struct test_random random = {seed * 86028121};
		struct lode_prefix_patterns whole = {0}, parts = {0}, threads = {0};
		struct lode_reduced reduced;
		struct stacks stacks = {0};
		struct lode_error err;
		int64_t min_cost;

		make_stacks(&stacks, &random);
		min_cost = 40 + test_random_below(&random, 60);
		assert_int_equal(lode_reduce(&reduced,
					     &(struct lode_sequences){N_SEQUENCES, stacks.items.at,
								      stacks.start.at,
								      stacks.cost.at},
					     min_cost, &err),
				 0);
		assert_int_equal(search(&whole, &reduced, min_cost, 1, 0), 0);
		n_interrupted += search(&parts, &reduced, min_cost, 1, 1 << 10);
		assert_same(&whole, &parts, seed);
		search(&threads, &reduced, min_cost, 4, 1 << 10);
		assert_same(&whole, &threads, seed);
		lode_prefix_patterns_release(&whole);
		lode_prefix_patterns_release(&parts);
		lode_prefix_patterns_release(&threads);
		lode_reduced_release(&reduced);
		lode_vec_release(&stacks.items);
		lode_vec_release(&stacks.start);
		lode_vec_release(&stacks.cost);
	}
	assert_true(n_interrupted > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interruptions_and_threads_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
