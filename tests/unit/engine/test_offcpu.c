/* Stacks as far as they are good, and threads off their CPUs. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/suspects/graft.h"
#include "engine/suspects/offcpu.h"

/* A stack from the root: "main", "k:schedule" of the kernel, "?" outside of every mapping. */
static uint32_t push(struct lode_stream *stream, const char *const *names)
{
	uint32_t node = 0, frame;

	for (; *names; names++) {
		if (!strcmp(*names, "?"))
			frame = lode_frame_intern(&stream->tree, "[unknown]", "", 0);
		else if (!strncmp(*names, "k:", 2))
			frame = lode_frame_intern(&stream->tree, "[kernel]", *names + 2,
						  LODE_FRAME_KERNEL);
		else
			frame = lode_frame_intern(&stream->tree, "m", *names, 0);
		node = lode_calltree_push(&stream->tree, node, frame);
	}
	return node;
}

static struct lode_stream *make_stream(void)
{
	struct lode_stream *stream = lode_alloc0(1, sizeof(*stream));

	lode_calltree_init(&stream->tree);
	stream->path = "a stream";
	return stream;
}

static const char *text_of(const struct lode_calltree *tree, uint32_t node, char *text, size_t size)
{
	uint32_t path[16];
	size_t n = lode_calltree_path(tree, node, path);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? ">" : "",
			 *lode_frame_function(tree, path[i]) ? lode_frame_function(tree, path[i])
							     : "?");
	return text;
}

#define STACK(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_stacks_are_used_as_far_as_they_are_good(void **state)
{
	const struct {
		const char *const *stack;
		enum lode_graft_trim trim;
		const char *want;
	} cases[] = {
		{STACK("main", "f", "read"), LODE_TRIM_NONE, "main>f>read"},
		{STACK("?", "main", "?", "f", "read"), LODE_TRIM_NONE, "f>read"},
		{STACK("main", "?"), LODE_TRIM_NONE, "main>?"},
		{STACK("main", "read", "k:entry", "k:sys_read"), LODE_TRIM_NONE,
		 "main>read>entry>sys_read"},
		{STACK("main", "read", "k:entry", "k:sys_read"), LODE_TRIM_KERNEL, "main>read"},
		{STACK("?", "read", "k:sys_read"), LODE_TRIM_KERNEL, "read"},
		{STACK("k:kthread", "k:worker"), LODE_TRIM_KERNEL, ""},
		{STACK("main", "k:futex_do_wait", "k:schedule", "k:__schedule"), LODE_TRIM_SWITCH,
		 "main>futex_do_wait"},
		{STACK("main", "k:irqentry_exit", "k:schedule", "k:__schedule"), LODE_TRIM_SWITCH,
		 "main"},
		{STACK("k:schedule", "k:__schedule"), LODE_TRIM_SWITCH, "schedule>__schedule"},
		{STACK("main", "schedule"), LODE_TRIM_SWITCH, "main>schedule"}, /* its own */
		{STACK("k:schedule", "k:kthread"), LODE_TRIM_SWITCH, "schedule>kthread"},
	};
	enum { N = sizeof(cases) / sizeof(*cases) };
	struct lode_stream *stream = make_stream();
	struct lode_calltree tree;
	struct lode_graft graft;
	uint32_t nodes[N];
	char text[256];

	(void)state;
	for (size_t i = 0; i < N; i++)
		nodes[i] = push(stream, cases[i].stack);
	lode_calltree_init(&tree);
	lode_graft_init(&graft, &tree, stream);
	/* Twice: what is remembered must be the same. */
	for (size_t i = 0; i < (size_t)2 * N; i++)
		assert_string_equal(
			text_of(&tree, lode_graft_node(&graft, nodes[i % N], cases[i % N].trim),
				text, sizeof(text)),
			cases[i % N].want);
	lode_graft_release(&graft);
	lode_calltree_release(&tree);
	lode_stream_free(stream);
}

static void add(struct lode_stream *stream, enum lode_event_kind kind, int64_t start_ns,
		int64_t end_ns, uint32_t stack, unsigned flags)
{
	struct lode_events *events = &stream->threads.at[0].events;
	size_t i = lode_events_append(events, kind, start_ns, end_ns - start_ns, stack);

	events->flags[i] = (uint8_t)flags;
	events->reason[i] = kind == LODE_EVENT_WAITING ? LODE_REASON_DISK : LODE_REASON_NONE;
}

struct got {
	const struct lode_execution_set *set;
	char text[1024];
};

static void take(void *context, const struct lode_execution *at, size_t n)
{
	struct got *got = context;
	char stack[128];

	for (size_t i = 0; i < n; i++)
		snprintf(got->text + strlen(got->text), sizeof(got->text) - strlen(got->text),
			 "%s %lld+%lld %s\n", got->set->metrics.at[at[i].metric].name,
			 (long long)at[i].start_ns, (long long)at[i].value,
			 text_of(&got->set->tree, at[i].stack, stack, sizeof(stack)));
}

static void test_waits_last_until_the_thread_runs_again(void **state)
{
	struct lode_execution_set *set = lode_execution_set_new(1 << 20);
	struct lode_collect *collect = lode_collect_new(set, NULL, false);
	struct lode_tap *tap = lode_collect_tap(collect);
	struct lode_stream *stream = make_stream();
	struct got got = {.set = set};
	uint32_t waits, out, metric, no_raw = 0;
	struct lode_error err;

	(void)state;
	stream->has_switches = true;
	(void)lode_vec_append_zero(&stream->threads);
	waits = push(stream, STACK("main", "k:io_wait", "k:schedule"));
	out = push(stream, STACK("main", "f", "k:irqentry_exit", "k:schedule"));
	add(stream, LODE_EVENT_WAITING, 0, 5, waits, LODE_EVENT_CUT_START);
	add(stream, LODE_EVENT_READY, 5, 7, waits, 0);
	add(stream, LODE_EVENT_RUNNING, 7, 10, 0, 0);
	add(stream, LODE_EVENT_WAITING, 10, 20, waits, 0);
	add(stream, LODE_EVENT_READY, 20, 26, waits, 0);
	add(stream, LODE_EVENT_RUNNING, 26, 30, 0, 0);
	add(stream, LODE_EVENT_READY, 30, 34, out, LODE_EVENT_PREEMPTED);
	add(stream, LODE_EVENT_RUNNING, 34, 40, 0, 0);
	add(stream, LODE_EVENT_WAITING, 40, 41, waits, 0);
	add(stream, LODE_EVENT_READY, 41, 48, waits, LODE_EVENT_INFERRED);
	add(stream, LODE_EVENT_RUNNING, 48, 50, 0, 0);
	add(stream, LODE_EVENT_WAITING, 50, 60, waits, LODE_EVENT_CUT_END);
	lode_collect_begin(collect, "a stream");
	tap->begin(tap->context, &(struct lode_tap_about){.arch = "", .has_all_kinds = true});
	tap->finish(tap->context, stream, &no_raw, 1);
	lode_offcpu_measure(collect, stream);
	assert_int_equal(lode_collect_end(collect, &err), 0);
	assert_int_equal(lode_execution_set_each(set, take, &got, &err), 0);
	assert_string_equal(got.text, "cpu:wait 5+2 main>io_wait\n"
				      "ready:woken 5+2 main>io_wait\n"
				      "offcpu:disk 10+16 main>io_wait\n"
				      "cpu:wait 20+6 main>io_wait\n"
				      "ready:woken 20+6 main>io_wait\n"
				      "cpu:wait 30+4 main>f\n"
				      "offcpu:preempted 30+4 main>f\n");
	metric = lode_execution_set_metric(set, "offcpu:disk", "ns");
	assert_int_equal(set->metrics.at[metric].losses[LODE_EXECUTION_NO_START], 1);
	assert_int_equal(set->metrics.at[metric].losses[LODE_EXECUTION_NO_END], 1);
	assert_int_equal(set->metrics.at[metric].losses[LODE_EXECUTION_DOUBTFUL], 1);
	lode_collect_free(collect);
	lode_execution_set_free(set);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_are_used_as_far_as_they_are_good),
		cmocka_unit_test(test_waits_last_until_the_thread_runs_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
