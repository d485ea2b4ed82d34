#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/mine/flame.h"
#include "unit/engine/random_stream.h"
#include "cases.h"

enum { MAX_STACKS = 12 };

/* A tree of random stacks of up to 5 frames from 4 functions; the stacks in order of their nodes.
 */
static size_t random_stacks(struct rng *rng, struct lode_calltree *tree,
			    struct lode_cluster_stack *stacks)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	size_t n = rng_below(rng, MAX_STACKS + 1), n_kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t node = 0;
		bool is_new = true;

		for (uint32_t depth = rng_below(rng, 6); depth > 0; depth--)
			node = lode_calltree_child(tree, node,
						   lode_frame_intern(tree, "m",
								     names[rng_below(rng, 4)], 0));
		for (size_t k = 0; k < n_kept; k++)
			is_new &= stacks[k].node != node;
		if (is_new && node) {
			int64_t cost_ns = rng_below(rng, 100);

			/* More than the whole, so that each sum is told from the others. */
			stacks[n_kept++] = (struct lode_cluster_stack){node, cost_ns, 2 * cost_ns,
								       3 * cost_ns};
		}
	}
	return n_kept;
}

static bool is_above(const struct lode_calltree *tree, uint32_t node, uint32_t of)
{
	for (; of; of = tree->nodes.at[of].parent)
		if (of == node)
			return true;
	return false;
}

/* Cost of the stacks through the digest's node that a flame node stands for. */
static int64_t cost_through(const struct lode_calltree *tree, uint32_t node,
			    const struct lode_cluster_stack *stacks, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += is_above(tree, node, stacks[i].node) ? stacks[i].cost_ns : 0;
	return sum;
}

/* The node of the call tree that has the flame node's path. */
static uint32_t node_of(struct lode_calltree *tree, const struct lode_flame *flame, uint32_t at)
{
	uint32_t parent = flame->nodes.at[at].parent;

	return lode_calltree_child(tree, parent == LODE_NONE ? 0 : node_of(tree, flame, parent),
				   flame->nodes.at[at].frame);
}

static void check(struct lode_calltree *tree, const struct lode_flame *flame,
		  const struct lode_cluster_stack *stacks, size_t n, size_t bound, uint64_t seed)
{
	int64_t own = 0, whole = 0, least = INT64_MAX;
	size_t n_nodes = tree->nodes.n;

	for (size_t i = 0; i < n; i++)
		whole += stacks[i].cost_ns;
	assert_true(flame->nodes.n <= bound);
	for (size_t i = 0; i < flame->nodes.n; i++) {
		uint32_t parent = flame->nodes.at[i].parent, node;
		int64_t total = 0;

		if (parent != LODE_NONE && parent >= i)
			fail_msg("seed %lu: node %zu stands before its caller", seed, i);
		own += flame->nodes.at[i].own_ns;
		assert_int_equal(flame->nodes.at[i].wait_ns, 2 * flame->nodes.at[i].own_ns);
		assert_int_equal(flame->nodes.at[i].ready_ns, 3 * flame->nodes.at[i].own_ns);
		/* What a kept node costs is what the stacks through it cost, whatever is left out.
		 */
		for (size_t k = i; k < flame->nodes.n; k++)
			for (uint32_t at = (uint32_t)k; at != LODE_NONE;
			     at = flame->nodes.at[at].parent)
				total += at == i ? flame->nodes.at[k].own_ns : 0;
		node = node_of(tree, flame, (uint32_t)i);
		if (total != cost_through(tree, node, stacks, n))
			fail_msg("seed %lu: node %zu costs %ld, not %ld", seed, i, total,
				 cost_through(tree, node, stacks, n));
		if (total < least)
			least = total;
	}
	assert_int_equal(tree->nodes.n, n_nodes);
	if (!flame->n_left_out && own != whole)
		fail_msg("seed %lu: %ld of %ld", seed, own, whole);
	/* What is left out costs no more than what is kept. */
	for (size_t i = 0; flame->n_left_out && i < n; i++)
		for (uint32_t node = stacks[i].node; node; node = tree->nodes.at[node].parent) {
			bool is_kept = false;

			for (uint32_t k = 0; k < flame->nodes.n; k++)
				is_kept |= node_of(tree, flame, k) == node;
			if (!is_kept && cost_through(tree, node, stacks, n) > least)
				fail_msg("seed %lu: node %u costs more than one that is kept", seed,
					 node);
		}
}

static void test_kept_nodes_cost_what_their_stacks_cost(void **state)
{
	struct lode_cluster_stack stacks[MAX_STACKS];
	struct lode_flame flame = {0};
	size_t n_cut = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct rng rng = {seed};
		struct lode_calltree tree;
		size_t n, bound;

		lode_calltree_init(&tree);
		n = random_stacks(&rng, &tree, stacks);
		lode_flame_build(&flame, &tree, stacks, n, 1000);
		check(&tree, &flame, stacks, n, 1000, seed);
		assert_int_equal(flame.n_left_out, 0);
		bound = 1 + rng_below(&rng, 8);
		lode_flame_build(&flame, &tree, stacks, n, bound);
		check(&tree, &flame, stacks, n, bound, seed);
		n_cut += flame.n_left_out > 0;
		lode_calltree_release(&tree);
	}
	assert_true(n_cut > 500);
	lode_flame_release(&flame);
}

/* Of some of the stacks' costs: every kept node has those of the stacks through it, none twice. */
static void test_a_part_is_spread_over_the_same_nodes(void **state)
{
	struct lode_cluster_stack stacks[MAX_STACKS], part[MAX_STACKS];
	struct lode_flame flame = {0};
	int64_t own_ns[5 * MAX_STACKS];

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct rng rng = {seed};
		struct lode_calltree tree;
		size_t n;

		lode_calltree_init(&tree);
		n = random_stacks(&rng, &tree, stacks);
		lode_flame_build(&flame, &tree, stacks, n, 1 + rng_below(&rng, 20));
		for (size_t i = 0; i < n; i++) {
			part[i] = stacks[i];
			part[i].cost_ns = rng_below(&rng, (uint32_t)stacks[i].cost_ns + 1);
		}
		lode_flame_spread(own_ns, &flame, &tree, part, n);
		for (size_t i = 0; i < flame.nodes.n; i++)
			flame.nodes.at[i].own_ns = own_ns[i];
		/* As if the flame had been built of the part, but with these nodes. */
		for (uint32_t i = 0; i < flame.nodes.n; i++) {
			int64_t total = 0;
			uint32_t node = node_of(&tree, &flame, i);

			assert_int_equal(node, flame.nodes.at[i].node);
			for (uint32_t k = i; k < flame.nodes.n; k++)
				for (uint32_t at = k; at != LODE_NONE;
				     at = flame.nodes.at[at].parent)
					total += at == i ? own_ns[k] : 0;
			if (total != cost_through(&tree, node, part, n))
				fail_msg("seed %lu: node %u has %ld, not %ld", seed, i, total,
					 cost_through(&tree, node, part, n));
		}
		lode_calltree_release(&tree);
	}
	lode_flame_release(&flame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_part_is_spread_over_the_same_nodes),
		cmocka_unit_test(test_kept_nodes_cost_what_their_stacks_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
