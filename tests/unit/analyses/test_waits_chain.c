#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/waits/chain.h"
#include "unit/analyses/random_stream.h"
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
		{"", ""},
	};
	char buffer[64];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(lode_link_name(names[i][0], buffer, sizeof(buffer)),
				    names[i][1]);
	assert_string_equal(lode_link_name("abcdef", buffer, 4), "abc");
}

/* Planted chains are the nodes that pushing frame by frame gives; what is not wanted is not there.
 */
static void test_joined_stacks_are_plain_concatenations(void **state)
{
	enum { N_CHAINS = 40 };

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_chain_joiner joiner;
		struct lode_calltree tree, expected_tree;
		uint32_t n_nodes = (uint32_t)stream->tree.nodes.n;
		uint32_t chains[N_CHAINS], expected[N_CHAINS], path[2][256];
		bool *is_wanted;
		size_t n_wanted = 0;

		lode_calltree_init(&tree);
		lode_calltree_init(&expected_tree);
		lode_chain_init(&joiner, &tree, stream);
		/* Each goes on from an earlier one, or starts anew. */
		for (uint32_t k = 0; k < N_CHAINS; k++) {
			uint32_t stack = rng_below(&rng, n_nodes), from = rng_below(&rng, k + 1);
			uint32_t thread = rng_below(&rng, (uint32_t)stream->threads.n);
			char name[64];

			if (from == k) {
				chains[k] = lode_chain_stack(&joiner, 0, stack);
				expected[k] = lode_calltree_graft(&expected_tree, 0, &stream->tree,
								  stack);
			} else if (rng_chance(&rng, 10)) {
				chains[k] =
					lode_chain_device(&joiner, chains[from], LODE_DEVICE_DISK);
				expected[k] = lode_calltree_child(&expected_tree, expected[from],
								  lode_frame_link(&expected_tree,
										  "disk"));
			} else {
				lode_link_name(stream->tree.strings.text
						       .at[stream->threads.at[thread].comm],
					       name, sizeof(name));
				chains[k] = lode_chain_stack(
					&joiner, lode_chain_thread(&joiner, chains[from], thread),
					stack);
				expected[k] =
					lode_calltree_child(&expected_tree, expected[from],
							    lode_frame_link(&expected_tree, name));
				expected[k] = lode_calltree_graft(&expected_tree, expected[k],
								  &stream->tree, stack);
			}
		}
		is_wanted = calloc(lode_chain_count(&joiner), 1);
		for (int k = 0; k < N_CHAINS; k++)
			if (rng_chance(&rng, 50)) {
				is_wanted[chains[k]] = true;
				n_wanted++;
			}
		lode_chain_plant(&joiner, is_wanted);
		for (int k = 0; k < N_CHAINS; k++) {
			uint32_t node = joiner.node_of.at[chains[k]];
			char names[2][1024];

			if (!is_wanted[chains[k]]) {
				assert_int_equal(node, LODE_NONE);
				continue;
			}
			assert_int_equal(tree.nodes.at[node].depth,
					 expected_tree.nodes.at[expected[k]].depth);
			assert_true(tree.nodes.at[node].depth <= 256);
			lode_calltree_path(&tree, node, path[0]);
			lode_calltree_path(&expected_tree, expected[k], path[1]);
			for (uint32_t i = 0; i < tree.nodes.at[node].depth; i++) {
				lode_frame_full_name(&tree, path[0][i], names[0], sizeof(*names));
				lode_frame_full_name(&expected_tree, path[1][i], names[1],
						     sizeof(*names));
				if (strcmp(names[0], names[1]) != 0)
					fail_msg("seed %lu: frame %u of chain %d is %s, not %s",
						 seed, i, k, names[0], names[1]);
			}
		}
		/* Each stack is one node: asking for them finds them all. */
		n_nodes = (uint32_t)tree.nodes.n;
		for (uint32_t i = 1; i < n_nodes; i++)
			if (lode_calltree_child(&tree, tree.nodes.at[i].parent,
						tree.nodes.at[i].frame) != i)
				fail_msg("seed %lu: node %u is there twice", seed, i);
		assert_int_equal(tree.nodes.n, n_nodes);
		assert_true(n_wanted || n_nodes == 1);
		free(is_wanted);
		lode_chain_release(&joiner);
		lode_calltree_release(&tree);
		lode_calltree_release(&expected_tree);
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
