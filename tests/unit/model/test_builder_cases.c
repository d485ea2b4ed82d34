/* The state machine in single cases: recordings of a few records, and what follows from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/builder.h"
#include "unit/model/sched_sim.h"

struct want {
	enum lode_event_kind kind;
	int64_t start_ns, cost_ns;
	unsigned flags;
};

static const struct lode_thread *thread_with_tid(const struct lode_stream *stream, int32_t tid)
{
	uint32_t id = lode_map_find(&stream->thread_index, (uint32_t)tid);

	assert_int_not_equal(id, LODE_NONE);
	return &stream->threads.at[id];
}

static void check_events(const struct lode_stream *stream, int32_t tid, const struct want *want,
			 size_t n)
{
	const struct lode_events *e = &thread_with_tid(stream, tid)->events;

	for (size_t i = 0; i < n && i < e->n; i++)
		if (e->kind[i] != want[i].kind || e->start_ns[i] != want[i].start_ns ||
		    e->cost_ns[i] != want[i].cost_ns || e->flags[i] != want[i].flags)
			fail_msg("tid %d event %zu is %s %lld+%lld flags %u", tid, i,
				 lode_event_kind_name((enum lode_event_kind)e->kind[i]),
				 (long long)e->start_ns[i], (long long)e->cost_ns[i], e->flags[i]);
	assert_int_equal(e->n, n);
}

#define CHECK_EVENTS(stream, tid, ...)                                            \
	do {                                                                      \
		const struct want want_[] = {__VA_ARGS__};                        \
		check_events(stream, tid, want_, sizeof(want_) / sizeof(*want_)); \
	} while (0)

static void on_switch(struct lode_builder *b, int64_t t, uint32_t cpu, int32_t prev,
		      enum lode_left_state left, int32_t next)
{
	lode_builder_switch(b, &(struct lode_switch){.t_ns = t,
						     .cpu = cpu,
						     .prev_pid = prev,
						     .next_pid = next,
						     .left = left,
						     .stack = 1});
}

static void on_waking(struct lode_builder *b, int64_t t, uint32_t cpu, int32_t waker, int32_t wakee)
{
	lode_builder_waking(b, &(struct lode_waking){.t_ns = t,
						     .cpu = cpu,
						     .waker_tid = waker,
						     .wakee_tid = wakee,
						     .has_context = true,
						     .in_interrupt = waker == 0});
}

static void on_sample(struct lode_builder *b, int64_t t, uint32_t cpu, int32_t tid)
{
	lode_builder_sample(b, &(struct lode_sample){
				       .t_ns = t, .cpu = cpu, .pid = tid, .tid = tid, .stack = 1});
}

/* Who sent is known by the stack of its softirq, and by it why a thread waited that had no stack.
 */
static void a_sender_wakes_and_an_interrupt_above_it_does_not(void **state)
{
	static const struct {
		bool in_hardirq;
		uint32_t stack;
		bool is_sender;
	} rows[] = {{false, SIM_SENT, true}, {true, SIM_SENT, false}, {false, 0, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
		const struct lode_events *e;
		struct lode_stream *stream;

		on_switch(b, 100, 0, 9, LODE_LEFT_RUNNABLE, 8);
		lode_builder_waking(b, &(struct lode_waking){.t_ns = 150,
							     .cpu = 0,
							     .waker_tid = 8,
							     .wakee_tid = 7,
							     .has_context = true,
							     .in_interrupt = true,
							     .in_hardirq = rows[i].in_hardirq,
							     .stack = rows[i].stack});
		stream = sim_finish(b);
		e = &thread_with_tid(stream, 7)->events;
		assert_int_equal(e->kind[0], LODE_EVENT_WAITING);
		assert_int_equal(e->other[0] != LODE_NONE, rows[i].is_sender);
		assert_int_equal(e->device[0] == LODE_DEVICE_NONE, rows[i].is_sender);
		assert_int_equal(e->reason[0],
				 rows[i].is_sender ? LODE_REASON_NETWORK : LODE_REASON_OTHER);
		lode_stream_free(stream);
	}
}

static uint64_t n_lost(const struct lode_stream *stream, enum lode_loss_kind kind)
{
	return stream->losses.by_kind[kind].count;
}

/* An idle CPU that is not traced: the switch from idle is missing, the waking is there. */
static void a_woken_thread_takes_an_idle_cpu_at_once(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 1, 7, LODE_LEFT_SLEEPING, 0);
	on_switch(b, 110, 0, 9, LODE_LEFT_RUNNABLE, 8);
	on_waking(b, 150, 0, 8, 7);
	on_sample(b, 180, 1, 7);
	on_switch(b, 200, 1, 7, LODE_LEFT_SLEEPING, 0);
	stream = sim_finish(b);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_WAITING, 100, 50, 0},
		     {LODE_EVENT_RUNNING, 150, 50, LODE_EVENT_INFERRED});
	assert_int_equal(n_lost(stream, LODE_LOSS_NO_SWITCH_IN), 1);
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_NO_SWITCH_IN].cost_ns, 30);
	assert_int_equal(n_lost(stream, LODE_LOSS_IDLE_GAP), 1);
	assert_int_equal(n_lost(stream, LODE_LOSS_CONTRADICTION), 0);
	lode_stream_free(stream);
}

/* The same without the waking: until it is seen at work nothing is known. */
static void a_thread_without_a_waking_waits_until_it_is_seen(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 1, 7, LODE_LEFT_SLEEPING, 0);
	on_sample(b, 180, 1, 7);
	on_switch(b, 200, 1, 7, LODE_LEFT_SLEEPING, 0);
	on_switch(b, 300, 1, 7, LODE_LEFT_SLEEPING, 0);
	on_switch(b, 400, 1, 0, LODE_LEFT_RUNNABLE, 7);
	stream = sim_finish(b);
	CHECK_EVENTS(stream, 7,
		     {LODE_EVENT_WAITING, 100, 80, LODE_EVENT_NO_WAKER | LODE_EVENT_INFERRED},
		     {LODE_EVENT_RUNNING, 180, 20, LODE_EVENT_INFERRED},
		     {LODE_EVENT_WAITING, 200, 100, LODE_EVENT_NO_WAKER | LODE_EVENT_INFERRED},
		     {LODE_EVENT_WAITING, 300, 100, LODE_EVENT_NO_WAKER});
	assert_int_equal(n_lost(stream, LODE_LOSS_NO_SWITCH_IN), 2);
	assert_int_equal(n_lost(stream, LODE_LOSS_NO_WAKER), 3);
	assert_int_equal(stream->losses.by_kind[LODE_LOSS_NO_WAKER].cost_ns, 280);
	lode_stream_free(stream);
}

/* A CPU free since before the waking is taken at the waking, one freed later when it is free. */
static void an_inferred_switch_in_waits_for_its_cpu(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 1, 7, LODE_LEFT_SLEEPING, 5);
	on_waking(b, 120, 0, 8, 7);
	on_switch(b, 160, 1, 5, LODE_LEFT_SLEEPING, 0);
	on_switch(b, 200, 1, 7, LODE_LEFT_SLEEPING, 0);
	stream = sim_finish(b);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_WAITING, 100, 20, 0},
		     {LODE_EVENT_READY, 120, 40, LODE_EVENT_INFERRED},
		     {LODE_EVENT_RUNNING, 160, 40, LODE_EVENT_INFERRED | LODE_EVENT_UNSAMPLED});
	assert_int_equal(thread_with_tid(stream, 7)->events.other[1],
			 lode_map_find(&stream->thread_index, 5));
	lode_stream_free(stream);
}

static void a_missing_switch_out_is_a_contradiction(void **state)
{
	for (int lost = 0; lost < 2; lost++) {
		struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
		struct lode_stream *stream;

		on_switch(b, 100, 0, 0, LODE_LEFT_RUNNABLE, 7);
		if (lost)
			lode_builder_lost(b, 140, UINT32_MAX);
		on_switch(b, 150, 0, 8, LODE_LEFT_SLEEPING, 0);
		on_waking(b, 170, 0, 0, 7);
		on_switch(b, 180, 0, 0, LODE_LEFT_RUNNABLE, 7);
		on_switch(b, 190, 0, 7, LODE_LEFT_DEAD, 0);
		stream = sim_finish(b);
		CHECK_EVENTS(
			stream, 7,
			{LODE_EVENT_RUNNING, 100, 50, LODE_EVENT_INFERRED | LODE_EVENT_UNSAMPLED},
			{LODE_EVENT_WAITING, 150, 20, LODE_EVENT_INFERRED | LODE_EVENT_FROM_IDLE},
			{LODE_EVENT_READY, 170, 10, 0},
			{LODE_EVENT_RUNNING, 180, 10, LODE_EVENT_UNSAMPLED});
		assert_int_equal(n_lost(stream, LODE_LOSS_CONTRADICTION), !lost);
		assert_int_equal(thread_with_tid(stream, 7)->died_ns, 190);
		lode_stream_free(stream);
	}
	(void)state;
}

/* As seen in a recording's first moments, and where a CPU traces nothing while it idles. */
static void an_exit_without_a_last_switch_is_an_end(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 0, 0, LODE_LEFT_RUNNABLE, 7);
	on_switch(b, 100, 1, 0, LODE_LEFT_RUNNABLE, 8);
	on_switch(b, 120, 1, 8, LODE_LEFT_SLEEPING, 0);
	lode_builder_exit(b, 150, 7, 7);
	on_sample(b, 155, 0, -1);	 /* still there */
	lode_builder_exit(b, 160, 8, 8); /* it had not been seen to run again */
	on_switch(b, 900, 2, 0, LODE_LEFT_RUNNABLE, 9);
	on_switch(b, 950, 2, 9, LODE_LEFT_SLEEPING, 0);
	stream = sim_finish(b);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_RUNNING, 100, 55, LODE_EVENT_INFERRED});
	CHECK_EVENTS(stream, 8, {LODE_EVENT_RUNNING, 100, 20, LODE_EVENT_UNSAMPLED},
		     {LODE_EVENT_WAITING, 120, 40, LODE_EVENT_INFERRED | LODE_EVENT_NO_WAKER});
	assert_int_equal(thread_with_tid(stream, 7)->died_ns, 155);
	assert_int_equal(thread_with_tid(stream, 8)->died_ns, 160);
	lode_stream_free(stream);
}

/* PERF_RECORD_SWITCH: each half knows its own thread only. */
static void halves_of_switches_make_whole_ones(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 0, -1, LODE_LEFT_RUNNABLE, 7);
	on_switch(b, 150, 0, 7, LODE_LEFT_SLEEPING, -1);
	on_switch(b, 151, 0, -1, LODE_LEFT_RUNNABLE, 8);
	on_switch(b, 180, 0, 8, LODE_LEFT_RUNNABLE, -1);
	on_switch(b, 180, 0, -1, LODE_LEFT_RUNNABLE, 7);
	on_switch(b, 190, 0, 7, LODE_LEFT_DEAD, -1);
	stream = sim_finish(b);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_RUNNING, 100, 50, LODE_EVENT_UNSAMPLED},
		     {LODE_EVENT_WAITING, 150, 30, LODE_EVENT_NO_WAKER},
		     {LODE_EVENT_RUNNING, 180, 10, LODE_EVENT_UNSAMPLED});
	CHECK_EVENTS(stream, 8, {LODE_EVENT_RUNNING, 151, 29, LODE_EVENT_UNSAMPLED},
		     {LODE_EVENT_READY, 180, 10, LODE_EVENT_PREEMPTED | LODE_EVENT_CUT_END});
	assert_int_equal(n_lost(stream, LODE_LOSS_CONTRADICTION), 0);
	lode_stream_free(stream);
}

static void without_switches_samples_count_by_weight(void **state)
{
	for (int told = 0; told < 2; told++) {
		struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
		struct lode_sample sample = {
			.t_ns = 10, .cpu = 0, .pid = 7, .tid = 7, .weight_ns = 1000, .stack = 1};
		struct lode_stream *stream;

		if (told)
			lode_builder_expect_switches(b, false);
		lode_builder_sample(b, &sample);
		sample.t_ns = 20;
		lode_builder_sample(b, &sample);
		sample.t_ns = 30;
		sample.weight_ns = 5000;
		lode_builder_offcpu(b, &sample);
		stream = sim_finish(b);
		CHECK_EVENTS(stream, 7, {LODE_EVENT_RUNNING, 10, 1000, 0},
			     {LODE_EVENT_RUNNING, 20, 1000, 0},
			     {LODE_EVENT_WAITING, 30, 5000, LODE_EVENT_NO_WAKER});
		assert_false(stream->has_switches);
		assert_int_equal(stream->t0_ns, 10);
		assert_int_equal(stream->t1_ns, 30);
		lode_stream_free(stream);
	}
	(void)state;
}

static void samples_of_threads_without_an_id_have_a_name(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_sample sample = {
		.t_ns = 10, .cpu = 0, .pid = -1, .tid = -1, .weight_ns = 1000, .stack = 1};
	struct lode_stream *stream;

	(void)state;
	lode_builder_expect_switches(b, false);
	lode_builder_sample(b, &sample);
	stream = sim_finish(b);
	assert_int_equal(stream->threads.n, 1);
	assert_string_equal(stream->tree.strings.text.at[stream->threads.at[0].comm], "[exited]");
	lode_stream_free(stream);
}

static void the_command_is_what_perf_started_and_its_children(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	lode_builder_fork(b, 0, 2, 2, 0, 0);
	lode_builder_fork(b, 0, 5, 5, 2, 2);
	lode_builder_comm(b, 0, 7, 7, "perf-exec", false);
	lode_builder_comm(b, 0, 9, 9, "sshd", false);
	lode_builder_comm(b, 50, 7, 7, "git", true);
	lode_builder_fork(b, 60, 7, 8, 7, 7);
	lode_builder_fork(b, 70, 10, 10, 9, 9);
	stream = sim_finish(b);
	assert_true(thread_with_tid(stream, 7)->is_command);
	assert_int_equal(thread_with_tid(stream, 7)->exec_ns, 50);
	assert_true(thread_with_tid(stream, 8)->is_command);
	assert_int_equal(thread_with_tid(stream, 8)->pid, 7);
	assert_int_equal(thread_with_tid(stream, 8)->born_ns, 60);
	assert_string_equal(stream->tree.strings.text.at[thread_with_tid(stream, 8)->comm], "git");
	assert_false(thread_with_tid(stream, 10)->is_command);
	assert_true(thread_with_tid(stream, 5)->is_kernel);
	assert_true(thread_with_tid(stream, 2)->is_kernel);
	assert_false(thread_with_tid(stream, 9)->is_kernel);
	lode_stream_free(stream);
}

static void times_and_weights_that_cannot_be_are_counted(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_sample sample = {
		.t_ns = 5, .pid = 7, .tid = 7, .weight_ns = INT64_MAX / 4, .stack = 1};
	struct lode_stream *stream;

	(void)state;
	on_switch(b, 100, 0, 0, LODE_LEFT_RUNNABLE, 7);
	on_switch(b, INT64_MAX, 0, 7, LODE_LEFT_SLEEPING, 0);
	on_waking(b, INT64_MIN, 0, 0, 7);
	on_switch(b, 200, 0, 0, LODE_LEFT_RUNNABLE, 7);
	stream = sim_finish(b);
	sim_check_tiles(0, stream);
	CHECK_EVENTS(stream, 7, {LODE_EVENT_READY, 100, 100, 0});
	assert_int_equal(n_lost(stream, LODE_LOSS_BAD_RECORD), 1);
	assert_int_equal(n_lost(stream, LODE_LOSS_UNORDERED), 1);
	lode_stream_free(stream);

	b = lode_builder_new("x", "x", "ns", NULL);
	for (int i = 0; i < 4; i++)
		lode_builder_sample(b, &sample);
	stream = sim_finish(b);
	assert_int_equal(thread_with_tid(stream, 7)->events.n, 2);
	assert_int_equal(n_lost(stream, LODE_LOSS_BAD_RECORD), 2);
	lode_stream_free(stream);
}

/* perf knows mappings and names before its events begin: nobody saw who ran then. */
static void what_was_open_at_the_start_began_with_the_events(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream;

	(void)state;
	lode_builder_time(b, 10);
	lode_builder_comm(b, 20, 7, 7, "x", false);
	on_waking(b, 100, 0, 0, 9);
	on_switch(b, 150, 1, 7, LODE_LEFT_RUNNABLE, 0);
	on_waking(b, 160, 0, 0, 8);
	stream = sim_finish(b);
	assert_int_equal(stream->t0_ns, 10);
	CHECK_EVENTS(stream, 7,
		     {LODE_EVENT_RUNNING, 100, 50, LODE_EVENT_CUT_START | LODE_EVENT_UNSAMPLED},
		     {LODE_EVENT_READY, 150, 10, LODE_EVENT_PREEMPTED | LODE_EVENT_CUT_END});
	CHECK_EVENTS(stream, 8,
		     {LODE_EVENT_WAITING, 100, 60, LODE_EVENT_CUT_START | LODE_EVENT_FROM_IDLE});
	lode_stream_free(stream);
}

static void nothing_at_all_is_an_empty_stream(void **state)
{
	struct lode_builder *b = lode_builder_new("x", "x", "ns", NULL);
	struct lode_stream *stream = lode_builder_finish(b, NULL, 0);

	(void)state;
	assert_int_equal(stream->threads.n, 0);
	assert_int_equal(stream->t0_ns, 0);
	assert_int_equal(stream->t1_ns, 0);
	lode_stream_free(stream);
	lode_builder_free(lode_builder_new("x", "x", "ns", NULL));
	lode_builder_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_wakes_and_an_interrupt_above_it_does_not),
		cmocka_unit_test(a_woken_thread_takes_an_idle_cpu_at_once),
		cmocka_unit_test(a_thread_without_a_waking_waits_until_it_is_seen),
		cmocka_unit_test(an_inferred_switch_in_waits_for_its_cpu),
		cmocka_unit_test(a_missing_switch_out_is_a_contradiction),
		cmocka_unit_test(an_exit_without_a_last_switch_is_an_end),
		cmocka_unit_test(halves_of_switches_make_whole_ones),
		cmocka_unit_test(without_switches_samples_count_by_weight),
		cmocka_unit_test(samples_of_threads_without_an_id_have_a_name),
		cmocka_unit_test(the_command_is_what_perf_started_and_its_children),
		cmocka_unit_test(times_and_weights_that_cannot_be_are_counted),
		cmocka_unit_test(what_was_open_at_the_start_began_with_the_events),
		cmocka_unit_test(nothing_at_all_is_an_empty_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
