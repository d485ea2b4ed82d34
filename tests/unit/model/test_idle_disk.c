/* Which waits that ended on an idle CPU without a recorded waking are waits for a disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/builder.h"

/* A wait of thread 7, from its switch at 300 until it is back at 700. */
struct wait {
	const char *functions[6]; /* the root first; the first one is the program's */
	bool asks_disk;		  /* it sends a request before */
	bool is_idle;		  /* the CPU meanwhile; else thread 9 has it */
	enum lode_wait_reason reason;
	bool is_disk; /* what ended it */
};

static const struct wait waits[] = {
	{{"scan", "vfs_read", "folio_wait_bit_common", "io_schedule", "schedule"},
	 false,
	 true,
	 LODE_REASON_DISK,
	 true},
	{{"look_up", "asm_exc_page_fault", "filemap_fault", "folio_wait_bit_common", "io_schedule"},
	 false,
	 true,
	 LODE_REASON_FAULT,
	 true},
	{{"sync", "blkdev_issue_flush", "submit_bio_wait", "wait_for_completion_io_timeout",
	  "io_schedule_timeout"},
	 true,
	 true,
	 LODE_REASON_DISK,
	 true},
	/* The CPU was at work: an interrupt would have been recorded. */
	{{"scan", "vfs_read", "folio_wait_bit_common", "io_schedule", "schedule"},
	 false,
	 false,
	 LODE_REASON_DISK,
	 false},
	/* Writers are slowed down by the clock. */
	{{"log", "balance_dirty_pages", "io_schedule_timeout"},
	 false,
	 true,
	 LODE_REASON_DISK,
	 false},
	/* A ring has requests of any kind. */
	{{"scan", "io_cqring_wait", "schedule"}, true, true, LODE_REASON_DISK, true},
	{{"scan", "io_cqring_wait", "schedule"}, false, true, LODE_REASON_POLL, false},
	{{"serve", "ep_poll", "schedule"}, true, true, LODE_REASON_POLL, false},
};

static uint32_t stack_of(struct lode_calltree *tree, const struct wait *wait)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < 6 && wait->functions[i]; i++)
		stack = lode_calltree_child(tree, stack,
					    lode_frame_intern(tree, i ? "[kernel]" : "app",
							      wait->functions[i],
							      i ? LODE_FRAME_KERNEL : 0));
	return stack;
}

static struct lode_stream *stream_of(const struct wait *wait, bool has_wakings)
{
	struct lode_builder *b = lode_builder_new("made", "made", "ns", NULL);
	struct lode_switch out = {.t_ns = 300,
				  .prev_pid = 7,
				  .next_pid = wait->is_idle ? 0 : 9,
				  .left = LODE_LEFT_SLEEPING,
				  .stack = 1};
	struct lode_switch in = {
		.t_ns = 700, .prev_pid = out.next_pid, .next_pid = 7, .left = LODE_LEFT_RUNNABLE};
	struct lode_switch end = {
		.t_ns = 900, .prev_pid = 7, .next_pid = 0, .left = LODE_LEFT_SLEEPING};
	struct lode_switch begin = {
		.t_ns = 100, .prev_pid = 0, .next_pid = 7, .left = LODE_LEFT_RUNNABLE};
	struct lode_waking waking = {
		.t_ns = 120, .waker_tid = 7, .wakee_tid = 9, .has_context = true};
	uint32_t nodes[2] = {0};

	lode_builder_switch(b, &begin);
	if (has_wakings)
		lode_builder_waking(b, &waking);
	if (wait->asks_disk)
		lode_builder_disk_request(b, 200, 7);
	lode_builder_switch(b, &out);
	lode_builder_switch(b, &in);
	lode_builder_switch(b, &end);
	nodes[1] = stack_of(&lode_builder_stream(b)->tree, wait);
	return lode_builder_finish(b, nodes, 2);
}

static void a_wait_for_io_that_an_idle_cpu_ended_is_the_disks(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(waits) / sizeof(*waits); k++) {
		struct lode_stream *stream = stream_of(&waits[k], true);
		const struct lode_events *e =
			&stream->threads.at[lode_map_find(&stream->thread_index, 7)].events;
		size_t i = 0;

		while (e->start_ns[i] != 300)
			i++;
		assert_int_equal(e->kind[i], LODE_EVENT_WAITING);
		assert_int_equal(e->reason[i], waits[k].reason);
		assert_int_equal(e->device[i],
				 waits[k].is_disk ? LODE_DEVICE_DISK : LODE_DEVICE_NONE);
		assert_int_equal(e->other[i], LODE_NONE);
		assert_true(e->flags[i] & LODE_EVENT_NO_WAKER);
		lode_stream_free(stream);
	}
}

static void without_wakings_nothing_follows_from_a_missing_one(void **state)
{
	struct lode_stream *stream = stream_of(&waits[0], false);
	const struct lode_events *e =
		&stream->threads.at[lode_map_find(&stream->thread_index, 7)].events;

	(void)state;
	for (size_t i = 0; i < e->n; i++)
		assert_int_equal(e->device[i], LODE_DEVICE_NONE);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_for_io_that_an_idle_cpu_ended_is_the_disks),
		cmocka_unit_test(without_wakings_nothing_follows_from_a_missing_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
