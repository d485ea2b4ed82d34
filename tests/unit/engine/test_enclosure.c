/*
 * Both questions on a prefix tree against their definition: every item is put at every place of a
 * prefix, and looked for in every sequence.
 */
#include "engine/patterns/enclosure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/patterns/reduce.h"

enum { MOST_SEQUENCES = 60, MOST_ITEMS = 14, MOST_PATTERN = 8 };

/* Deep sequences, where windows are long and overlap. */
enum { MOST_DEEP = 5, DEEP_ITEMS = 400 };

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

/* A few deep ones that are worth the same, over items enough for some windows to lack some. */
static void random_deep_sequences(struct lode_reduced *out, struct random *random)
{
	uint32_t items[MOST_DEEP * DEEP_ITEMS];
	size_t start[MOST_DEEP + 1] = {0};
	int64_t cost[MOST_DEEP];
	uint32_t n = 2 + random_below(random, MOST_DEEP - 1);
	uint32_t n_items = 4 << random_below(random, 8);
	struct lode_sequences sequences = {n, items, start, cost};
	struct lode_error err = {0};

	for (uint32_t s = 0; s < n; s++) {
		start[s + 1] = start[s] + DEEP_ITEMS / 2 + random_below(random, DEEP_ITEMS / 2);
		cost[s] = 1;
		for (size_t i = start[s]; i < start[s + 1]; i++)
			items[i] = random_below(random, n_items);
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

static void put_item(uint32_t *longer, const uint32_t *pattern, uint32_t n, uint32_t place,
		     uint32_t item)
{
	memcpy(longer, pattern, place * sizeof(*longer));
	longer[place] = item;
	memcpy(longer + place + 1, pattern + place, (n - place) * sizeof(*longer));
}

static bool oracle_takes_everywhere(const struct lode_prefix_tree *tree, const uint32_t *pattern,
				    uint32_t n, const uint32_t *longer)
{
	for (uint32_t s = 0; s < tree->n_sequences; s++) {
		const uint32_t *items = tree->items + tree->start[s];
		uint32_t end = embedded(items, tree->start[s + 1] - tree->start[s], pattern, n);

		if (end && tree->cost[s] && !embedded(items, end, longer, n + 1))
			return false;
	}
	return true;
}

static int64_t oracle_cost(const struct lode_prefix_tree *tree, const uint32_t *pattern, uint32_t n)
{
	int64_t cost = 0;

	for (uint32_t s = 0; s < tree->n_sequences; s++)
		if (embedded(tree->items + tree->start[s], tree->start[s + 1] - tree->start[s],
			     pattern, n))
			cost += tree->cost[s];
	return cost;
}

/* The answers to both questions. */
struct answers {
	bool is_enclosed, can_take_more;
};

static struct answers ask_oracle(const struct lode_prefix_tree *tree, const uint32_t *pattern,
				 uint32_t n, int64_t min_cost)
{
	struct answers answers = {0};
	uint32_t longer[MOST_PATTERN + 1];

	for (uint32_t place = 0; place < n; place++)
		for (uint32_t item = 0; item < tree->n_items; item++) {
			put_item(longer, pattern, n, place, item);
			answers.is_enclosed |= oracle_takes_everywhere(tree, pattern, n, longer);
			answers.can_take_more |= oracle_cost(tree, longer, n + 1) >= min_cost;
		}
	return answers;
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

/* Random items, or some that stand in this order in a sequence. */
static void random_prefix(uint32_t *pattern, uint32_t n, const struct lode_prefix_tree *tree,
			  bool is_deep, struct random *random)
{
	uint32_t s = random_below(random, tree->n_sequences), at = tree->start[s];
	uint32_t step = (tree->start[s + 1] - at) / n;

	for (uint32_t i = 0; i < n; i++, at += step)
		pattern[i] = is_deep ? tree->items[at + random_below(random, step)]
				     : random_below(random, tree->n_items);
}

static void check_random_prefixes(bool is_deep, uint64_t n_seeds, uint32_t most_pattern)
{
	static uint32_t nodes[MOST_SEQUENCES * MOST_ITEMS + MOST_DEEP * DEEP_ITEMS];
	size_t n_answers[2][2] = {0};

	for (uint64_t seed = 1; seed <= n_seeds; seed++) {
		struct random random = {seed};
		struct lode_reduced reduced = {0};
		struct lode_prefix_tree tree;
		struct lode_enclosure enclosure;

		(is_deep ? random_deep_sequences : random_sequences)(&reduced, &random);
		lode_prefix_tree_build(&tree, &reduced);
		lode_enclosure_init(&enclosure, &tree, reduced.item_cost);
		for (uint32_t k = 0; tree.n_items && k < 8; k++) {
			uint32_t pattern[MOST_PATTERN], n = 1 + random_below(&random, most_pattern);
			struct answers found, expected;
			uint32_t n_nodes;
			int64_t cost, min_cost;

			random_prefix(pattern, n, &tree, is_deep, &random);
			n_nodes = project(nodes, &cost, &tree, pattern, n);
			if (cost == 0)
				continue;
			min_cost = is_deep ? cost : 1 + random_below(&random, (uint32_t)cost);
			found.is_enclosed =
				lode_is_enclosed(&enclosure, pattern, n, nodes, n_nodes, cost);
			found.can_take_more = lode_can_take_more(&enclosure, pattern, n, nodes,
								 n_nodes, min_cost);
			expected = ask_oracle(&tree, pattern, n, min_cost);
			if (found.is_enclosed != expected.is_enclosed ||
			    found.can_take_more != expected.can_take_more)
				fail_msg("seed %llu, prefix %u: %d, %d", (unsigned long long)seed,
					 k, found.is_enclosed, found.can_take_more);
			if (n_nodes > (is_deep ? 1 : 8)) {
				n_answers[0][found.is_enclosed]++;
				n_answers[1][found.can_take_more]++;
			}
		}
		lode_enclosure_release(&enclosure);
		lode_prefix_tree_release(&tree);
		lode_reduced_release(&reduced);
	}
	/* Both answers, also over many sequences. */
	for (int question = 0; question < (is_deep ? 1 : 2); question++) {
		assert_true(n_answers[question][false] > 20);
		assert_true(n_answers[question][true] > 20);
	}
}

static void same_as_definition_on_random_prefixes(void **state)
{
	(void)state;
	check_random_prefixes(false, 3000, 4);
}

static void same_as_definition_in_deep_sequences(void **state)
{
	(void)state;
	check_random_prefixes(true, 40, MOST_PATTERN);
}

/*
 * Windows that are as long as the sequence, one for each of the pattern's items: what is done about
 * them is counted, and grows as the sequence does, not as its square.
 */
static void steps_grow_as_the_sequence(void **state)
{
	enum { LONGEST = 16384 };
	static uint32_t items[2 * LONGEST], pattern[LONGEST / 4];
	uint64_t steps[2] = {0};

	(void)state;
	for (int k = 0; k < 2; k++) {
		uint32_t length = k ? LONGEST : LONGEST / 4, n = length / 4, nodes[2];
		size_t start[3] = {0, length, 2 * length};
		int64_t cost[2] = {1, 1};
		struct lode_sequences sequences = {2, items, start, cost};
		struct random random = {1};
		struct lode_reduced reduced = {0};
		struct lode_prefix_tree tree;
		struct lode_enclosure enclosure;
		struct lode_error err = {0};

		for (uint32_t i = 0; i < 2 * length; i++)
			items[i] = random_below(&random, 3);
		assert_int_equal(lode_reduce(&reduced, &sequences, 1, &err), 0);
		lode_prefix_tree_build(&tree, &reduced);
		lode_enclosure_init(&enclosure, &tree, reduced.item_cost);
		for (uint32_t i = 0; i < n; i++)
			pattern[i] = 0;
		nodes[0] = tree.start[1] - 1;
		nodes[1] = tree.n - 1;
		lode_is_enclosed(&enclosure, pattern, n, nodes, 2, 2);
		lode_can_take_more(&enclosure, pattern, n, nodes, 2, 3);
		steps[k] = enclosure.work;
		lode_enclosure_release(&enclosure);
		lode_prefix_tree_release(&tree);
		lode_reduced_release(&reduced);
	}
	assert_true(steps[1] < 5 * steps[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_definition_on_random_prefixes),
		cmocka_unit_test(same_as_definition_in_deep_sequences),
		cmocka_unit_test(steps_grow_as_the_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
