/* What the last thread of a chain did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/mine/chain_ends.h"
#include "model/go_idle.h"

/* Links begin with '>', functions of the kernel with '#'. */
struct chain {
	const char *frames[8];
	uint8_t kind, reason; /* of the row: the first thread's wait */
	unsigned end;
	bool has_threads;
};

static const struct chain chains[] = {
	{{"main", "#do_wait", ">xz", "compress"},
	 LODE_EVENT_RUNNING,
	 LODE_REASON_CHILD,
	 LODE_END_CPU,
	 true},
	{{"main", "#futex_wait", ">store", "#futex_wait", "#io_schedule", ">disk"},
	 LODE_EVENT_WAITING,
	 LODE_REASON_LOCK,
	 LODE_REASON_DISK,
	 true},
	{{"main", "#futex_wait", ">holder", "refresh", "#do_nanosleep", ">timer"},
	 LODE_EVENT_WAITING,
	 LODE_REASON_LOCK,
	 LODE_REASON_TIMER,
	 true},
	/* The first thread's futex is sure, the last one's socket is not: the last one counts. */
	{{"main", "#futex_wait", ">holder", "#sk_wait_data"},
	 LODE_EVENT_WAITING,
	 LODE_REASON_LOCK,
	 LODE_REASON_NETWORK,
	 true},
	{{"main", "#do_poll", ">svc", LODE_GO_IDLE},
	 LODE_EVENT_WAITING,
	 LODE_REASON_POLL,
	 LODE_REASON_IDLE,
	 true},
	{{"main", "#task_work_run", ">CPU limit"},
	 LODE_EVENT_WAITING,
	 LODE_REASON_TIMER,
	 LODE_END_CPU_LIMIT,
	 false},
	{{"main", "#futex_wait", ">w", "#task_work_run", ">CPU limit"},
	 LODE_EVENT_WAITING,
	 LODE_REASON_LOCK,
	 LODE_END_CPU_LIMIT,
	 true},
	{{"main", "#filemap_fault", "#io_schedule", ">disk"},
	 LODE_EVENT_WAITING,
	 LODE_REASON_FAULT,
	 LODE_REASON_FAULT,
	 false},
	{{"main", "#do_poll", ">timer (meanwhile w, inferred)"},
	 LODE_EVENT_WAITING,
	 LODE_REASON_TIMER,
	 LODE_REASON_TIMER,
	 false},
	{{"main"}, LODE_EVENT_READY, LODE_REASON_NONE, LODE_END_READY, false},
};

static uint32_t stack_of(struct lode_calltree *tree, const struct chain *chain)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < 8 && chain->frames[i]; i++) {
		const char *name = chain->frames[i];
		uint32_t frame;

		if (*name == '>')
			frame = lode_frame_link(tree, name + 1);
		else if (*name == '#')
			frame = lode_frame_intern(tree, "[kernel]", name + 1, LODE_FRAME_KERNEL);
		else
			frame = lode_frame_intern(tree, "prog", name, 0);
		stack = lode_calltree_child(tree, stack, frame);
	}
	return stack;
}

static void the_last_thread_says_why(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(chains) / sizeof(*chains); k++) {
		struct lode_chain_ends ends;
		struct lode_calltree tree;
		struct lode_digest_row row = {.kind = chains[k].kind, .reason = chains[k].reason};

		lode_calltree_init(&tree);
		row.stack = stack_of(&tree, &chains[k]);
		lode_chain_ends_find(&ends, &tree);
		assert_int_equal(lode_chain_end_of(&ends, &row), chains[k].end);
		assert_int_equal(ends.has_threads[row.stack], chains[k].has_threads);
		lode_chain_ends_release(&ends);
		lode_calltree_release(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_thread_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
