#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/waits/chain.h"
#include "unit/analyses/random_stream.h"

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

/* Memoised joining gives the node that pushing frame by frame gives. */
static void test_joined_stacks_are_plain_concatenations(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_chain_joiner joiner;
		struct lode_calltree tree;
		uint32_t n_nodes = (uint32_t)stream->tree.nodes.n;

		lode_calltree_init(&tree);
		lode_chain_init(&joiner, &tree, stream);
		for (int k = 0; k < 20; k++) {
			uint32_t first = rng_below(&rng, n_nodes),
				 second = rng_below(&rng, n_nodes);
			uint32_t node = lode_chain_stack(&joiner, 0, first), expected;

			node = lode_chain_thread(&joiner, node, 0);
			expected = node;
			node = lode_chain_stack(&joiner, node, second);
			expected = lode_calltree_graft(&tree, expected, &stream->tree, second);
			if (node != expected)
				fail_msg("seed %lu: %u behind %u is node %u, not %u", seed, second,
					 first, node, expected);
			assert_int_equal(lode_chain_device(&joiner, node, LODE_DEVICE_DISK),
					 lode_calltree_child(&tree, node,
							     lode_frame_link(&tree, "disk")));
		}
		lode_chain_release(&joiner);
		lode_calltree_release(&tree);
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
