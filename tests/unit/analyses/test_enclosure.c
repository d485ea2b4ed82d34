/*
 * BackScan on a prefix tree against its definition: every item is put at every place of a prefix,
 * and looked for in every sequence.
 */
#include "analyses/patterns/enclosure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/patterns/reduce.h"

enum { MOST_SEQUENCES = 60, MOST_ITEMS = 14, MOST_PATTERN = 4 };

struct random {
	uint64_t state;
};

static uint32_t random_below(struct random *random, uint32_t n)
{
	random->state = random->state * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (uint32_t)((random->state >> 33) % n);
}

/* Many sequences over few items, one of which stands early in most; some cost nothing, and must
   not matter. */
static void random_sequences(struct lode_reduced *out, struct random *random)
{
	uint32_t items[MOST_SEQUENCES * MOST_ITEMS];
	size_t start[MOST_SEQUENCES + 1] = {0};
	int64_t cost[MOST_SEQUENCES];
	uint32_t n = 2 + random_below(random, MOST_SEQUENCES - 1);
	uint32_t n_items = 2 + random_below(random, 5);
	struct lode_sequences sequences = {n, items, start, cost};
	struct lode_error err = {0};

	for (uint32_t s = 0; s < n; s++) {
		uint32_t length = 1 + random_below(random, MOST_ITEMS);

		for (uint32_t i = 0; i < length; i++)
			items[start[s] + i] = random_below(random, n_items);
		if (random_below(random, 64))
			items[start[s] + random_below(random, length < 3 ? length : 3)] = n_items;
		start[s + 1] = start[s] + length;
		cost[s] = random_below(random, 8) ? 1 : 0;
	}
	assert_int_equal(lode_reduce(out, &sequences, 1, &err), 0);
}

/* How many items of a sequence its leftmost embedding takes up; 0: it has none. */
static uint32_t embedded(const uint32_t *items, uint32_t n_items, const uint32_t *pattern,
			 uint32_t n)
{
	uint32_t matched = 0;

	for (uint32_t x = 0; x < n_items; x++) {
		matched += items[x] == pattern[matched];
		if (matched == n)
			return x + 1;
	}
	return 0;
}

static bool oracle_takes_everywhere(const struct lode_prefix_tree *tree, const uint32_t *pattern,
				    uint32_t n, uint32_t place, uint32_t item)
{
	uint32_t longer[MOST_PATTERN + 1];

	memcpy(longer, pattern, place * sizeof(*longer));
	longer[place] = item;
	memcpy(longer + place + 1, pattern + place, (n - place) * sizeof(*longer));
	for (uint32_t s = 0; s < tree->n_sequences; s++) {
		const uint32_t *items = tree->items + tree->start[s];
		uint32_t end = embedded(items, tree->start[s + 1] - tree->start[s], pattern, n);

		if (end && tree->cost[s] && !embedded(items, end, longer, n + 1))
			return false;
	}
	return true;
}

static bool oracle_is_enclosed(const struct lode_prefix_tree *tree, const uint32_t *pattern,
			       uint32_t n)
{
	for (uint32_t place = 0; place < n; place++)
		for (uint32_t item = 0; item < tree->n_items; item++)
			if (oracle_takes_everywhere(tree, pattern, n, place, item))
				return true;
	return false;
}

/* The nodes where the pattern's leftmost embeddings end, in preorder, and their cost. */
static uint32_t project(uint32_t *nodes, int64_t *cost, const struct lode_prefix_tree *tree,
			const uint32_t *pattern, uint32_t n)
{
	uint32_t n_nodes = 0;

	*cost = 0;
	for (uint32_t v = 0; v < tree->n; v++) {
		const uint32_t *items = tree->items + tree->start[tree->first_sequence[v]];

		if (embedded(items, tree->depth[v] + 1, pattern, n) == tree->depth[v] + 1) {
			nodes[n_nodes++] = v;
			*cost += tree->weight[v];
		}
	}
	return n_nodes;
}

static void same_as_definition_on_random_prefixes(void **state)
{
	static uint32_t nodes[MOST_SEQUENCES * MOST_ITEMS];
	size_t n_enclosed = 0, n_free = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct random random = {seed};
		struct lode_reduced reduced = {0};
		struct lode_prefix_tree tree;
		struct lode_enclosure enclosure;

		random_sequences(&reduced, &random);
		lode_prefix_tree_build(&tree, &reduced);
		lode_enclosure_init(&enclosure, &tree, reduced.item_cost);
		for (uint32_t k = 0; tree.n_items && k < 8; k++) {
			uint32_t pattern[MOST_PATTERN], n = 1 + random_below(&random, MOST_PATTERN);
			uint32_t n_nodes;
			int64_t cost;
			bool is_enclosed;

			for (uint32_t i = 0; i < n; i++)
				pattern[i] = random_below(&random, tree.n_items);
			n_nodes = project(nodes, &cost, &tree, pattern, n);
			if (cost == 0)
				continue;
			is_enclosed =
				lode_is_enclosed(&enclosure, pattern, n, nodes, n_nodes, cost);
			if (is_enclosed != oracle_is_enclosed(&tree, pattern, n))
				fail_msg("seed %llu, prefix %u: %d", (unsigned long long)seed, k,
					 is_enclosed);
			n_enclosed += n_nodes > 8 && is_enclosed;
			n_free += n_nodes > 8 && !is_enclosed;
		}
		lode_enclosure_release(&enclosure);
		lode_prefix_tree_release(&tree);
		lode_reduced_release(&reduced);
	}
	/* Both answers, also over many sequences. */
	assert_true(n_enclosed > 100);
	assert_true(n_free > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_definition_on_random_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
