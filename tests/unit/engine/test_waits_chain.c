#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/waits/chain.h"
#include "unit/engine/random_stream.h"
#include "cases.h"

static void test_numbers_that_tell_threads_of_a_pool_apart_become_n(void **state)
{
	static const char *const names[][2] = {
		{"ph-worker/3", "ph-worker/N"},
		{"pool-1-thread-12", "pool-N-thread-N"},
		{"jbd2/loop0-8", "jbd2/loop0-N"},
		{"scsi_eh_0", "scsi_eh_N"},
		{"ksoftirqd/1", "ksoftirqd/N"},
		{"irq/27-nvme0q1", "irq/N-nvme0q1"},
		{"GC Thread#3", "GC Thread#N"},
		{"Thread 12", "Thread N"},
		{"kworker/u8:3-ext4", "kworker"},
		{"kworker/1:2-events", "kworker"},
		{"kworker/0:1H-kblockd", "kworker"},
		{"x264", "x264"},
		{"python3.11", "python3.11"},
		{"gimp-2.10", "gimp-2.10"},
		{"7zip", "7zip"},
		{"12", "12"},
		{"-3", "-N"},
		{"ph-journal", "ph-journal"},
		{"a-3b", "a-3b"},
		{"", "[unnamed]"},
		{"  ", "[unnamed]"},
	};
	char buffer[64];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(lode_link_name(names[i][0], buffer, sizeof(buffer)),
				    names[i][1]);
	assert_string_equal(lode_link_name("abcdef", buffer, 4), "abc");
}

enum { N_CHAINS = 40 };

/* Chains that were joined, and the same pushed frame by frame into a tree of their own. */
struct joined {
	struct lode_chain_joiner joiner;
	struct lode_calltree tree, expected_tree;
	uint32_t chains[N_CHAINS], expected[N_CHAINS];
	bool *is_wanted; /* by chain */
	size_t n_wanted;
};

/* Chain k: a stack to start with; or an earlier chain that goes on to a device, or to the stack of
   another thread. */
static void join_one(struct joined *j, uint32_t k, const struct lode_stream *stream,
		     struct rng *rng)
{
	uint32_t stack = rng_below(rng, (uint32_t)stream->tree.nodes.n);
	uint32_t from = rng_below(rng, k + 1);
	uint32_t thread = rng_below(rng, (uint32_t)stream->threads.n), expected;
	char name[64];

	if (from == k) {
		j->chains[k] = lode_chain_stack(&j->joiner, 0, stack);
		j->expected[k] = lode_calltree_graft(&j->expected_tree, 0, &stream->tree, stack);
		return;
	}
	expected = j->expected[from];
	if (rng_chance(rng, 10)) {
		j->chains[k] = lode_chain_device(&j->joiner, j->chains[from], LODE_DEVICE_DISK);
		j->expected[k] = lode_calltree_child(&j->expected_tree, expected,
						     lode_frame_link(&j->expected_tree, "disk"));
		return;
	}
	lode_link_name(stream->tree.strings.text.at[stream->threads.at[thread].comm], name,
		       sizeof(name));
	j->chains[k] =
		lode_chain_stack(&j->joiner, lode_chain_thread(&j->joiner, j->chains[from], thread),
				 stack);
	expected = lode_calltree_child(&j->expected_tree, expected,
				       lode_frame_link(&j->expected_tree, name));
	j->expected[k] = lode_calltree_graft(&j->expected_tree, expected, &stream->tree, stack);
}

/* Joins them all, and plants about half. */
static void join(struct joined *j, const struct lode_stream *stream, struct rng *rng)
{
	lode_calltree_init(&j->tree);
	lode_calltree_init(&j->expected_tree);
	lode_chain_init(&j->joiner, &j->tree, stream);
	for (uint32_t k = 0; k < N_CHAINS; k++)
		join_one(j, k, stream, rng);
	j->is_wanted = lode_alloc0(lode_chain_count(&j->joiner), sizeof(*j->is_wanted));
	for (int k = 0; k < N_CHAINS; k++)
		if (rng_chance(rng, 50)) {
			j->is_wanted[j->chains[k]] = true;
			j->n_wanted++;
		}
	lode_chain_plant(&j->joiner, j->is_wanted);
}

static void release(struct joined *j)
{
	free(j->is_wanted);
	lode_chain_release(&j->joiner);
	lode_calltree_release(&j->tree);
	lode_calltree_release(&j->expected_tree);
}

/* The planted node of chain k is the stack that was expected, frame by frame. */
static void check_chain(const struct joined *j, int k, uint64_t seed)
{
	uint32_t node = j->joiner.node_of.at[j->chains[k]], path[2][256];
	uint32_t depth;
	char names[2][1024];

	if (!j->is_wanted[j->chains[k]]) {
		assert_int_equal(node, LODE_NONE);
		return;
	}
	depth = j->tree.nodes.at[node].depth;
	assert_int_equal(depth, j->expected_tree.nodes.at[j->expected[k]].depth);
	assert_true(depth <= 256);
	lode_calltree_path(&j->tree, node, path[0]);
	lode_calltree_path(&j->expected_tree, j->expected[k], path[1]);
	for (uint32_t i = 0; i < depth; i++) {
		lode_frame_full_name(&j->tree, path[0][i], names[0], sizeof(*names));
		lode_frame_full_name(&j->expected_tree, path[1][i], names[1], sizeof(*names));
		if (strcmp(names[0], names[1]) != 0)
			fail_msg("seed %lu: frame %u of chain %d is %s, not %s", seed, i, k,
				 names[0], names[1]);
	}
}

/* Each stack is one node: asking for them finds them all. */
static void check_nodes(struct joined *j, uint64_t seed)
{
	uint32_t n_nodes = (uint32_t)j->tree.nodes.n;

	for (uint32_t i = 1; i < n_nodes; i++)
		if (lode_calltree_child(&j->tree, j->tree.nodes.at[i].parent,
					j->tree.nodes.at[i].frame) != i)
			fail_msg("seed %lu: node %u is there twice", seed, i);
	assert_int_equal(j->tree.nodes.n, n_nodes);
	assert_true(j->n_wanted || n_nodes == 1);
}

/* Planted chains are the nodes that pushing frame by frame gives; what is not wanted is not there.
 */
static void test_joined_stacks_are_plain_concatenations(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct joined j = {.n_wanted = 0};

		join(&j, stream, &rng);
		for (int k = 0; k < N_CHAINS; k++)
			check_chain(&j, k, seed);
		check_nodes(&j, seed);
		release(&j);
		lode_stream_free(stream);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_that_tell_threads_of_a_pool_apart_become_n),
		cmocka_unit_test(test_joined_stacks_are_plain_concatenations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
