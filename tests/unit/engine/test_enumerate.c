/*
 * The search by enumeration by itself: where it gives up, and tables that are filled in parts. That
 * it finds the right patterns is tests/unit/engine/test_miner.c's.
 */
#include "engine/patterns/enumerate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

struct input {
	struct lode_reduced reduced;
	LODE_VEC(uint32_t) items, start;
	LODE_VEC(int64_t) weight, item_cost;
};

static void begin(struct input *in, uint32_t n_items)
{
	memset(in, 0, sizeof(*in));
	lode_vec_append(&in->start, 0);
	for (uint32_t i = 0; i < n_items; i++)
		lode_vec_append(&in->item_cost, 0);
}

static void add(struct input *in, const uint32_t *items, uint32_t n, int64_t weight)
{
	for (uint32_t i = 0; i < n; i++) {
		bool is_new = true;

		for (uint32_t k = 0; k < i; k++)
			is_new &= items[k] != items[i];
		in->item_cost.at[items[i]] += is_new ? weight : 0;
		lode_vec_append(&in->items, items[i]);
	}
	lode_vec_append(&in->start, (uint32_t)in->items.n);
	lode_vec_append(&in->weight, weight);
}

static const struct lode_reduced *view(struct input *in)
{
	in->reduced = (struct lode_reduced){
		.n_items = (uint32_t)in->item_cost.n,
		.item_cost = in->item_cost.at,
		.n = (uint32_t)in->weight.n,
		.start = in->start.at,
		.items = in->items.at,
		.weight = in->weight.at,
	};
	return &in->reduced;
}

static void release(struct input *in)
{
	lode_vec_release(&in->items);
	lode_vec_release(&in->start);
	lode_vec_release(&in->weight);
	lode_vec_release(&in->item_cost);
}

struct maximal {
	size_t n, n_items;
	int64_t cost;
};

static void count(void *context, const uint32_t *items, uint32_t n, int64_t cost)
{
	struct maximal *maximal = context;

	(void)items;
	maximal->n++;
	maximal->n_items += n;
	maximal->cost += cost;
}

/* One sequence of n different items has 2^n subsequences and one maximal pattern. */
static void says_when_patterns_are_too_many_or_too_long(void **state)
{
	static const uint32_t items[] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct lode_enumerate_options options = {
		.min_cost = 5, .n_threads = 1, .max_nodes = 255, .max_depth = 8};
	struct lode_costly_trie trie = {0};
	struct maximal maximal = {0};
	struct input in;

	(void)state;
	begin(&in, 8);
	add(&in, items, 8, 5);
	assert_int_equal(lode_enumerate(&trie, view(&in), &options), LODE_ENUMERATE_DONE);
	assert_int_equal(trie.nodes.n, 256);
	lode_costly_trie_walk(&trie, count, &maximal);
	assert_int_equal(maximal.n, 1);
	assert_int_equal(maximal.n_items, 8);
	lode_costly_trie_release(&trie);
	options.max_nodes = 254;
	assert_int_equal(lode_enumerate(&trie, view(&in), &options), LODE_ENUMERATE_NEVER);
	assert_int_equal(trie.nodes.n, 0);
	options.max_nodes = 255;
	options.max_depth = 6;
	assert_int_equal(lode_enumerate(&trie, view(&in), &options), LODE_ENUMERATE_NEVER);
	assert_int_equal(trie.nodes.n, 0);
	release(&in);
}

/*
 * Sequences 0 n 1, 0 n 2, ... of different n: the table of pairs is too large to be filled at once,
 * and the patterns are these sequences.
 */
static void many_items_are_counted_in_parts(void **state)
{
	enum { N = 1500 };
	struct lode_enumerate_options options = {
		.min_cost = 2, .n_threads = 1, .max_nodes = 10 * N, .max_depth = 8};
	struct input in;

	(void)state;
	begin(&in, N);
	for (uint32_t i = 2; i < N; i++)
		add(&in, (uint32_t[]){0, i, 1}, 3, 2 + i);
	for (unsigned n_threads = 1; n_threads <= 3; n_threads++) {
		struct lode_costly_trie trie = {0};
		struct maximal maximal = {0};

		options.n_threads = n_threads;
		assert_int_equal(lode_enumerate(&trie, view(&in), &options), LODE_ENUMERATE_DONE);
		lode_costly_trie_walk(&trie, count, &maximal);
		assert_int_equal(maximal.n, N - 2);
		assert_int_equal(maximal.n_items, 3 * (N - 2));
		assert_int_equal(maximal.cost, (N - 2) * (N + 1) / 2 + 2 * (N - 2));
		lode_costly_trie_release(&trie);
	}
	options.max_work = 1000;
	options.n_threads = 1;
	{
		struct lode_costly_trie trie = {0};

		assert_int_equal(lode_enumerate(&trie, view(&in), &options),
				 LODE_ENUMERATE_GAVE_UP);
		assert_int_equal(trie.nodes.n, 0);
	}
	release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_when_patterns_are_too_many_or_too_long),
		cmocka_unit_test(many_items_are_counted_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
