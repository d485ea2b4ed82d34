/* Which switches are those of a thread that the CPU limit of its cgroup took off the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/builder.h"

/* Stacks of a thread that leaves its CPU, the root first. */
struct leaving {
	const char *functions[8]; /* of the kernel; the first is the program's */
	enum lode_left_state left;
	bool is_throttled;
};

static const struct leaving leavings[] = {
	{{"deflate", "irqentry_exit_to_user_mode", "task_work_run", "__cond_resched", "__schedule"},
	 LODE_LEFT_RUNNABLE,
	 true},
	{{"deflate", "irqentry_exit_to_user_mode", "task_work_run", "throttle_cfs_rq_work",
	  "preempt_schedule_common", "__schedule"},
	 LODE_LEFT_RUNNABLE,
	 true},
	{{"deflate", "irqentry_exit_to_user_mode", "schedule", "__schedule"},
	 LODE_LEFT_RUNNABLE,
	 false},
	/* Another task work, which is at something. */
	{{"deflate", "irqentry_exit_to_user_mode", "task_work_run", "__fput", "__cond_resched",
	  "__schedule"},
	 LODE_LEFT_RUNNABLE,
	 false},
	/* It sleeps. */
	{{"deflate", "exit_to_user_mode_loop", "task_work_run", "schedule", "__schedule"},
	 LODE_LEFT_SLEEPING,
	 false},
};

static uint32_t stack_of(struct lode_calltree *tree, const struct leaving *leaving)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < 8 && leaving->functions[i]; i++)
		stack = lode_calltree_child(tree, stack,
					    lode_frame_intern(tree, i ? "[kernel]" : "gzip",
							      leaving->functions[i],
							      i ? LODE_FRAME_KERNEL : 0));
	return stack;
}

/* Thread 7 runs, leaves at 300 while thread 9 comes, and goes on at 700. */
static void a_throttled_thread_waits_for_the_next_period(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(leavings) / sizeof(*leavings); k++) {
		struct lode_builder *b = lode_builder_new("made", "made", "ns", NULL);
		const struct lode_switch switches[] = {
			{.t_ns = 100, .prev_pid = 9, .next_pid = 7, .left = LODE_LEFT_SLEEPING},
			{.t_ns = 300,
			 .prev_pid = 7,
			 .next_pid = 9,
			 .left = leavings[k].left,
			 .stack = 1},
			{.t_ns = 700, .prev_pid = 9, .next_pid = 7, .left = LODE_LEFT_SLEEPING},
			{.t_ns = 800, .prev_pid = 7, .next_pid = 9, .left = LODE_LEFT_SLEEPING},
		};
		bool is_wait = leavings[k].is_throttled || leavings[k].left == LODE_LEFT_SLEEPING;
		const struct lode_events *e;
		struct lode_stream *stream;
		uint32_t nodes[2] = {0};
		size_t i = 0;

		for (size_t n = 0; n < 4; n++)
			lode_builder_switch(b, &switches[n]);
		nodes[1] = stack_of(&lode_builder_stream(b)->tree, &leavings[k]);
		stream = lode_builder_finish(b, nodes, 2);
		e = &stream->threads.at[lode_map_find(&stream->thread_index, 7)].events;
		while (e->start_ns[i] != 300)
			i++;
		assert_int_equal(e->cost_ns[i], 400);
		assert_int_equal(e->kind[i], is_wait ? LODE_EVENT_WAITING : LODE_EVENT_READY);
		if (leavings[k].is_throttled) {
			assert_int_equal(e->device[i], LODE_DEVICE_CPU_LIMIT);
			assert_int_equal(e->reason[i], LODE_REASON_TIMER);
			assert_int_equal(e->other[i], LODE_NONE);
			assert_int_equal(e->flags[i], 0);
		} else {
			assert_int_not_equal(e->device[i], LODE_DEVICE_CPU_LIMIT);
		}
		lode_stream_free(stream);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_throttled_thread_waits_for_the_next_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
