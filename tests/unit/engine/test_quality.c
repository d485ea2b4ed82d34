/* Hand-made streams whose flaws are known by construction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/quality/quality.h"

/* A perf recording of one program thread; every part can then be spoiled. */
static struct lode_stream *good_stream(void)
{
	struct lode_stream *s = lode_alloc0(1, sizeof(*s));

	lode_calltree_init(&s->tree);
	s->path = "hand-made";
	s->format = "perf.data";
	s->unit = "ns";
	s->host = s->kernel = s->arch = "";
	s->command = "perf record -a -- ./slow --flag";
	s->n_samples = 1000;
	s->has_switches = s->has_wakings = s->has_samples = true;
	s->has_callchains = s->has_syscalls = true;
	return s;
}

static struct lode_thread *add_thread(struct lode_stream *s)
{
	struct lode_thread *thread = lode_vec_append_zero(&s->threads);

	thread->pid = thread->tid = (int32_t)s->threads.n;
	return thread;
}

static uint32_t stack_of(struct lode_stream *s, const char *module, const char *function,
			 uint32_t flags)
{
	return lode_calltree_child(&s->tree, 0,
				   lode_frame_intern(&s->tree, module, function, flags));
}

static struct lode_event_count *add_event_count(struct lode_stream *s, const char *name)
{
	struct lode_event_count *e = lode_vec_append_zero(&s->event_counts);

	e->name = name;
	e->n = 10;
	e->period = 1;
	e->is_tracepoint = e->has_callchain = true;
	return e;
}

static bool advises(const struct lode_quality *q, const char *words)
{
	for (size_t i = 0; i < q->advice.n; i++) {
		if (strstr(q->advice.at[i].text, words))
			return true;
	}
	return false;
}

static void a_good_recording_serves_and_needs_no_advice(void **state)
{
	struct lode_stream *s = good_stream();
	struct lode_thread *t = add_thread(s);
	struct lode_quality q;

	(void)state;
	lode_events_append(&t->events, LODE_EVENT_RUNNING, 0, 100, stack_of(s, "slow", "main", 0));
	lode_quality_assess(&q, s);
	assert_int_equal(q.serves[LODE_ANALYSIS_MINE].service, LODE_SERVICE_YES);
	assert_int_equal(q.serves[LODE_ANALYSIS_SUSPECTS].service, LODE_SERVICE_YES);
	assert_int_equal(q.serves[LODE_ANALYSIS_TIMELINE].service, LODE_SERVICE_PARTLY);
	assert_int_equal(q.advice.n, 0);
	assert_null(q.record_line);
	lode_quality_release(&q);
	lode_stream_free(s);
}

static void flaws_are_weighed_by_cost(void **state)
{
	struct lode_stream *s = good_stream();
	struct lode_thread *t = add_thread(s);
	uint32_t whole = stack_of(s, "slow", "main", 0);
	uint32_t unknown = stack_of(s, "libx.so", "", 0);
	uint32_t kernel = stack_of(s, "[kernel]", "schedule", LODE_FRAME_KERNEL);
	struct lode_quality q;
	size_t i;

	(void)state;
	s->n_stack_flags = s->tree.nodes.n;
	s->stack_flags = lode_alloc0(s->n_stack_flags, 1);
	s->stack_flags[unknown] = LODE_STACK_UNROOTED;
	s->stack_flags[kernel] = LODE_STACK_TRUNCATED;
	lode_events_append(&t->events, LODE_EVENT_RUNNING, 0, 500, whole);
	lode_events_append(&t->events, LODE_EVENT_RUNNING, 500, 300, unknown);
	i = lode_events_append(&t->events, LODE_EVENT_WAITING, 800, 100, kernel);
	t->events.flags[i] = LODE_EVENT_NO_WAKER;
	lode_events_append(&t->events, LODE_EVENT_WAITING, 900, 100, kernel);
	/* Open at the end of the recording: its length says nothing, so it weighs nothing. */
	i = lode_events_append(&t->events, LODE_EVENT_WAITING, 1000, 1000000, unknown);
	t->events.flags[i] = LODE_EVENT_CUT_END | LODE_EVENT_NO_WAKER;
	lode_events_append(&t->events, LODE_EVENT_READY, 0, 1000, 0);
	lode_quality_assess(&q, s);
	assert_int_equal(q.machine.kind_ns[LODE_EVENT_RUNNING], 800);
	assert_int_equal(q.machine.kind_ns[LODE_EVENT_WAITING], 200);
	assert_int_equal(q.machine.no_stack.part_ns, 1000);
	assert_int_equal(q.machine.no_stack.whole_ns, 2000);
	assert_int_equal(q.machine.unrooted.part_ns, 300);
	assert_int_equal(q.machine.unrooted.whole_ns, 1000);
	assert_int_equal(q.machine.truncated.part_ns, 200);
	assert_int_equal(q.machine.kernel_only.part_ns, 200);
	assert_int_equal(q.machine.unknown.part_ns, 300);
	assert_int_equal(q.machine.leaf_unknown.part_ns, 300);
	assert_int_equal(q.machine.no_waker.part_ns, 100);
	assert_int_equal(q.machine.no_waker.whole_ns, 200);
	assert_int_equal(q.serves[LODE_ANALYSIS_MINE].service, LODE_SERVICE_PARTLY);
	assert_true(advises(&q, "no recorded waker"));
	assert_true(advises(&q, "cut at the recorder's limit"));
	assert_int_equal(q.unnamed.part_ns, 300);
	assert_int_equal(q.unnamed.whole_ns, 1000);
	assert_true(advises(&q, "has no symbol for its innermost function"));
	lode_quality_release(&q);
	lode_stream_free(s);
}

static void names_count_where_an_answer_needs_them(void **state)
{
	struct lode_stream *s = good_stream();
	struct lode_thread *noise = add_thread(s), *t = add_thread(s);
	uint32_t deep = lode_calltree_child(&s->tree, stack_of(s, "libdeep.so", "", 0),
					    lode_frame_intern(&s->tree, "slow", "work", 0));
	uint32_t peer = stack_of(s, "libpeer.so", "", 0);
	uint32_t in_kernel = lode_calltree_child(
		&s->tree, peer, lode_frame_intern(&s->tree, "[kernel]", "wake", LODE_FRAME_KERNEL));
	struct lode_quality q;
	size_t i;

	(void)state;
	noise = &s->threads.at[0];
	t->is_command = true;
	lode_events_append(&noise->events, LODE_EVENT_RUNNING, 0, 10000,
			   stack_of(s, "libnoise.so", "", 0));
	lode_events_append(&t->events, LODE_EVENT_RUNNING, 0, 900, deep);
	i = lode_events_append(&t->events, LODE_EVENT_WAITING, 900, 100, deep);
	t->events.other_stack[i] = in_kernel;
	lode_quality_assess(&q, s);
	assert_int_equal(q.command.unknown.part_ns, 1000);
	assert_int_equal(q.unnamed.part_ns, 100);
	assert_int_equal(q.unnamed.whole_ns, 1000);
	assert_string_equal(q.unnamed_module, "libpeer.so");
	assert_true(advises(&q, "10 % of the cost has no symbol for its innermost function"));
	lode_quality_release(&q);
	lode_stream_free(s);
}

static void sampled_tracepoints_are_found_by_rate_and_by_period(void **state)
{
	for (int by_period = 0; by_period < 2; by_period++) {
		struct lode_stream *s = good_stream();
		struct lode_event_count *e;
		struct lode_quality q;

		(void)state;
		lode_events_append(&add_thread(s)->events, LODE_EVENT_RUNNING, 0, 1,
				   stack_of(s, "slow", "main", 0));
		add_event_count(s, "sched:sched_waking");
		e = add_event_count(s, "sched:sched_switch");
		e->period = by_period ? 4 : 0;
		e->frequency = by_period ? 0 : 999;
		lode_quality_assess(&q, s);
		assert_true(advises(&q, "sched:sched_switch"));
		assert_false(advises(&q, "sched:sched_waking"));
		assert_int_equal(q.serves[LODE_ANALYSIS_MINE].service, LODE_SERVICE_PARTLY);
		assert_string_equal(q.record_line, "lode record --syscalls -- ./slow --flag");
		lode_quality_release(&q);
		lode_stream_free(s);
	}
}

static void one_command_mends_all(void **state)
{
	struct lode_stream *s = good_stream();
	struct lode_quality q;

	(void)state;
	lode_events_append(&add_thread(s)->events, LODE_EVENT_RUNNING, 0, 1,
			   stack_of(s, "slow", "main", 0));
	s->has_wakings = s->has_syscalls = false;
	s->losses.by_kind[LODE_LOSS_EVENTS].count = 50;
	s->losses.by_kind[LODE_LOSS_IDLE_GAP].count = 7;
	lode_quality_assess(&q, s);
	assert_true(advises(&q, "sched_waking"));
	assert_true(advises(&q, "dropped 50 events"));
	assert_true(advises(&q, "7 switches from idle"));
	assert_string_equal(q.record_line, "lode record --syscalls --buffer 64M --cpu-rate 199 "
					   "-- ./slow --flag");
	lode_quality_release(&q);
	lode_stream_free(s);
}

static void without_switches_waits_are_missing(void **state)
{
	struct lode_stream *s = good_stream();
	struct lode_quality q;

	(void)state;
	s->has_switches = s->has_wakings = false;
	s->command = "";
	lode_events_append(&add_thread(s)->events, LODE_EVENT_RUNNING, 0, 1,
			   stack_of(s, "slow", "main", 0));
	lode_quality_assess(&q, s);
	assert_int_equal(q.serves[LODE_ANALYSIS_MINE].service, LODE_SERVICE_PARTLY);
	assert_true(advises(&q, "No sched:sched_switch"));
	assert_string_equal(q.record_line, "lode record --syscalls -- COMMAND");
	lode_quality_release(&q);
	lode_stream_free(s);
}

/* Dumps of 32 KiB, 64 MiB of them a second for each CPU: 2,048 events. */
static void dumps_are_advised_where_perf_can_write_them(void **state)
{
	static const struct {
		uint64_t n_stacks, n_wakings, n_lost;
		uint32_t n_cpus;
		int64_t for_ms;
		bool do_fit;
	} rows[] = {
		{2048, 0, 0, 1, 1000, true},
		{2049, 0, 0, 1, 1000, false},
		{4096, 0, 0, 2, 1000, true},
		{4097, 0, 0, 2, 1000, false},
		{1024, 0, 0, 1, 500, true},
		{1025, 0, 0, 1, 500, false},
		/* Wakings get none; what perf dropped would have had one. */
		{2048, 900000, 0, 1, 1000, true},
		{2000, 0, 48, 1, 1000, true},
		{2000, 0, 49, 1, 1000, false},
		/* A recording that does not say on how many CPUs. */
		{900000, 0, 0, 0, 1000, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lode_stream *s = good_stream();
		uint32_t cut = stack_of(s, "slow", "main", 0);
		struct lode_quality q;

		s->n_cpus = rows[i].n_cpus;
		s->t1_ns = s->t0_ns + rows[i].for_ms * 1000000;
		add_event_count(s, "sched:sched_switch")->n = rows[i].n_stacks;
		add_event_count(s, "sched:sched_waking")->n = rows[i].n_wakings;
		add_event_count(s, "block:block_rq_issue")->n = 900000;
		s->event_counts.at[2].has_callchain = false;
		s->losses.by_kind[LODE_LOSS_EVENTS].count = rows[i].n_lost;
		s->n_stack_flags = s->tree.nodes.n;
		s->stack_flags = lode_alloc0(s->n_stack_flags, 1);
		s->stack_flags[cut] = LODE_STACK_UNROOTED;
		lode_events_append(&add_thread(s)->events, LODE_EVENT_RUNNING, 0, 500, cut);
		lode_quality_assess(&q, s);
		assert_true(advises(&q, "do not reach a thread's entry"));
		if (advises(&q, "or record stack dumps") != rows[i].do_fit ||
		    advises(&q, "events are lost beyond") == rows[i].do_fit ||
		    !strstr(q.record_line, "--call-graph dwarf") == rows[i].do_fit)
			fail_msg("row %zu: %s", i, q.record_line);
		lode_quality_release(&q);
		/* Dumps that perf lost most of are not asked for again. */
		s->command = "perf record -a --call-graph dwarf,32768 -- ./slow --flag";
		lode_quality_assess(&q, s);
		assert_int_equal(strstr(q.record_line, "--call-graph dwarf") != NULL,
				 rows[i].do_fit);
		lode_quality_release(&q);
		lode_stream_free(s);
	}
}

/* Such recordings have no event that costs time: their system calls are measured, not modelled. */
static void system_calls_alone_serve_suspects(void **state)
{
	struct lode_stream *s = good_stream();
	struct lode_quality q;

	(void)state;
	s->has_switches = s->has_wakings = s->has_samples = false;
	lode_quality_assess(&q, s);
	assert_int_equal(q.serves[LODE_ANALYSIS_SUSPECTS].service, LODE_SERVICE_YES);
	assert_int_equal(q.serves[LODE_ANALYSIS_MINE].service, LODE_SERVICE_NO);
	lode_quality_release(&q);
	s->has_callchains = false;
	lode_quality_assess(&q, s);
	assert_int_equal(q.serves[LODE_ANALYSIS_SUSPECTS].service, LODE_SERVICE_PARTLY);
	lode_quality_release(&q);
	s->has_callchains = true;
	s->has_syscalls = false;
	lode_quality_assess(&q, s);
	assert_int_equal(q.serves[LODE_ANALYSIS_SUSPECTS].service, LODE_SERVICE_NO);
	lode_quality_release(&q);
	lode_vec_append(&s->event_counts,
			((struct lode_event_count){.name = "block:block_rq_issue", .n = 5}));
	lode_quality_assess(&q, s);
	assert_int_equal(q.serves[LODE_ANALYSIS_SUSPECTS].service, LODE_SERVICE_PARTLY);
	lode_quality_release(&q);
	lode_stream_free(s);
}

static void nothing_serves_nothing(void **state)
{
	struct lode_stream *s = good_stream();
	struct lode_quality q;

	(void)state;
	s->has_switches = s->has_wakings = s->has_samples = s->has_callchains = false;
	s->has_syscalls = false;
	lode_quality_assess(&q, s);
	for (unsigned a = 0; a < LODE_N_ANALYSES; a++)
		assert_int_equal(q.serves[a].service, LODE_SERVICE_NO);
	assert_true(advises(&q, "No callchains"));
	lode_quality_release(&q);
	lode_stream_free(s);
}

static void folded_stacks_serve_patterns_and_get_no_advice_on_perf(void **state)
{
	struct lode_stream *s = good_stream();
	struct lode_quality q;

	(void)state;
	s->format = "folded";
	s->has_switches = s->has_wakings = false;
	lode_events_append(&add_thread(s)->events, LODE_EVENT_RUNNING, 0, 1,
			   stack_of(s, "slow", "main", 0));
	lode_quality_assess(&q, s);
	assert_int_equal(q.serves[LODE_ANALYSIS_MINE].service, LODE_SERVICE_PARTLY);
	assert_int_equal(q.advice.n, 0);
	assert_null(q.record_line);
	lode_quality_release(&q);
	lode_stream_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_recording_serves_and_needs_no_advice),
		cmocka_unit_test(flaws_are_weighed_by_cost),
		cmocka_unit_test(names_count_where_an_answer_needs_them),
		cmocka_unit_test(sampled_tracepoints_are_found_by_rate_and_by_period),
		cmocka_unit_test(one_command_mends_all),
		cmocka_unit_test(without_switches_waits_are_missing),
		cmocka_unit_test(dumps_are_advised_where_perf_can_write_them),
		cmocka_unit_test(system_calls_alone_serve_suspects),
		cmocka_unit_test(nothing_serves_nothing),
		cmocka_unit_test(folded_stacks_serve_patterns_and_get_no_advice_on_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
