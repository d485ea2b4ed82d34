/* input/formats/ftrace: every shape of function_graph text, and random traces written as such text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "input/call_source.h"
#include "input/formats/ftrace/graph_line.h"
#include "unit/input/call_trace.h"

static struct scratch scratch;
static const char *path;

static int read_text(struct test_collector *collector, const char *text, struct lode_error *err)
{
	struct lode_call_options options = {.n_threads = 1};

	scratch_write(path, text, strlen(text));
	test_collector_init(collector);
	return lode_calls_read(path, &options, &collector->sink, err);
}

/* ---- Lines ---- */

static bool is(struct lode_slice text, const char *want)
{
	return text.len == strlen(want) && (!text.len || !memcmp(text.at, want, text.len));
}

static void lines_of_all_shapes_are_understood(void **state)
{
	static const struct {
		const char *line;
		enum lode_graph_kind kind;
		int32_t cpu, tid;
		int64_t t_ns, duration_ns; /* -1: none */
		const char *function, *module;
	} cases[] = {
		{" 0)               |  do_open() {", LODE_GRAPH_ENTER, 0, 0, -1, -1, "do_open", ""},
		{" 11)  0.123 us    |    getname();", LODE_GRAPH_LEAF, 11, 0, -1, 123, "getname",
		 ""},
		{" 1) + 12.345 us   |  }", LODE_GRAPH_EXIT, 1, 0, -1, 12345, "", ""},
		{" 1) ! 12.345 us   |  } /* do_open */", LODE_GRAPH_EXIT, 1, 0, -1, 12345,
		 "do_open", ""},
		{" 1) @ 100000.5 us |  } /* f [ext4] */", LODE_GRAPH_EXIT, 1, 0, -1, 100000500, "f",
		 "ext4"},
		{" 1) $ 1234567 us  |  } /* f = 0xffffffea */", LODE_GRAPH_EXIT, 1, 0, -1,
		 1234567000, "f", ""},
		{" 1)   1.2 us      |  } /* = 0x0 */", LODE_GRAPH_EXIT, 1, 0, -1, 1200, "", ""},
		{" 1)   1.2 us      |  } /* f.isra.0+0x10/0x40 ret=0x0 */", LODE_GRAPH_EXIT, 1, 0,
		 -1, 1200, "f.isra.0", ""},
		{" 0)   bash-3110   |   0.100 us    |  nf_hook [nf]();", LODE_GRAPH_LEAF, 0, 3110,
		 -1, 100, "nf_hook", "nf"},
		{"   87.000001 |   0)  kworker/0:1-45 | # 1.5 us |  f(a=1|2, s=\"x | y\"); /* = 0 "
		 "*/",
		 LODE_GRAPH_LEAF, 0, 45, 87000001000, 1500, "f", ""},
		{"   87.000001 |   3)  my prog-9  |  d..1. |             |  f(p={1, 2}) {",
		 LODE_GRAPH_ENTER, 3, 9, 87000001000, -1, "f", ""},
		{"  0.500 us    |  f();", LODE_GRAPH_LEAF, -1, 0, -1, 500, "f", ""},
		{"   bash-12  [002]  1234.567890: funcgraph_entry:        0.734 us   |  f();",
		 LODE_GRAPH_LEAF, 2, 12, 1234567890000, 734, "f", ""},
		{"   a-b-12  [002] d..1.  1234.567890: funcgraph_exit:  + 10.734 us   |  }",
		 LODE_GRAPH_EXIT, 2, 12, 1234567890000, 10734, "", ""},
		{" 0)   ==========> |", LODE_GRAPH_NOTHING, 0, 0, -1, -1, "", ""},
		{" 0)   bash-1  |   <========== |", LODE_GRAPH_NOTHING, 0, 1, -1, -1, "", ""},
		{" 0)               |  /* sched_switch: a ==> b */", LODE_GRAPH_NOTHING, 0, 0, -1,
		 -1, "", ""},
		{"##### CPU 1 buffer started ####", LODE_GRAPH_NOTHING, -1, 0, -1, -1, "", ""},
		{" ------------------------------------------", LODE_GRAPH_NOTHING, -1, 0, -1, -1,
		 "", ""},
		{"version = 7", LODE_GRAPH_NOTHING, -1, 0, -1, -1, "", ""},
		{"cpus=16", LODE_GRAPH_NOTHING, -1, 0, -1, -1, "", ""},
		{"CPU 1 is empty", LODE_GRAPH_NOTHING, -1, 0, -1, -1, "", ""},
		{"CPU:3 [LOST 23 EVENTS]", LODE_GRAPH_LOST, 3, 0, -1, -1, "", ""},
		{"CPU:3 [23 EVENTS DROPPED]", LODE_GRAPH_LOST, 3, 0, -1, -1, "", ""},
		{"CPU:3 [EVENTS DROPPED]", LODE_GRAPH_LOST, 3, 0, -1, -1, "", ""},
		{"CPU:3 [", LODE_GRAPH_BAD, -1, 0, -1, -1, "", ""},
		{"  <idle>-0 [002]  1234.567890: sched_switch: swapper/2:0 [120] R ==> ls:7 [120]",
		 LODE_GRAPH_NOTHING, 2, 0, 1234567890000, -1, "", ""},
		{" 0)   words", LODE_GRAPH_BAD, 0, 0, -1, -1, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lode_graph_line line;
		size_t len = strlen(cases[i].line);
		char *copy = malloc(len + 1); /* so that a sanitizer sees a byte too far */

		memcpy(copy, cases[i].line, len + 1);
		lode_graph_parse(&line, copy, len);
		if (line.kind != cases[i].kind || line.cpu != cases[i].cpu ||
		    line.task.tid != cases[i].tid ||
		    (line.has_time ? line.t_ns : -1) != cases[i].t_ns ||
		    (line.has_duration ? line.duration_ns : -1) != cases[i].duration_ns ||
		    !is(line.function, cases[i].function) || !is(line.module, cases[i].module))
			fail_msg("%s: kind %d cpu %d tid %d t %" PRId64 " for %" PRId64
				 " %.*s [%.*s]",
				 cases[i].line, line.kind, line.cpu, line.task.tid, line.t_ns,
				 line.duration_ns, (int)line.function.len, line.function.at,
				 (int)line.module.len, line.module.at);
		free(copy);
	}
}

/* ---- Random traces as text ---- */

struct text {
	LODE_VEC(char) at;
};

static void append(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void append(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	lode_vec_reserve(&text->at, text->at.n + 512);
	va_start(args, format);
	n = vsnprintf(text->at.at + text->at.n, 512, format, args);
	va_end(args);
	text->at.n += (size_t)n;
}

/* Seven characters at most, as the kernel prints it. */
static void append_duration(struct text *text, int64_t ns)
{
	if (ns < 0)
		append(text, "               |  ");
	else
		append(text, " %c %" PRId64 ".%03d us |  ", ns > 10000 ? '+' : ' ', ns / 1000,
		       (int)(ns % 1000));
}

/* Index of the exit that belongs to the entry at `i`. */
static size_t exit_of(const struct test_thread *thread, size_t i)
{
	int depth = 1;

	while (depth) {
		i++;
		depth += thread->events.at[i].kind == LODE_CALL_ENTER ? 1 : -1;
	}
	return i;
}

/* One line for the event at `i`; gives the index of the next event. */
static size_t append_event(struct text *text, const struct test_thread *thread, size_t i,
			   bool has_times, struct test_random *random)
{
	const struct test_event *e = &thread->events.at[i];
	bool is_leaf = e->kind == LODE_CALL_ENTER && exit_of(thread, i) == i + 1;

	if (has_times)
		append(text, " %" PRId64 ".%06d |  ", e->t / 1000000000,
		       (int)(e->t / 1000 % 1000000));
	append(text, "%d)  prog-%d  |", (int)test_random_below(random, 4), thread->tid);
	if (is_leaf) {
		append_duration(text, thread->events.at[i + 1].t - e->t);
		append(text, "f%u();\n", e->function);
		return i + 2;
	}
	if (e->kind == LODE_CALL_ENTER) {
		append_duration(text, -1);
		append(text, "f%u() {\n", e->function);
		return i + 1;
	}
	for (size_t k = i, depth = 1; depth;) { /* its entry */
		k--;
		if (thread->events.at[k].kind == LODE_CALL_ENTER)
			depth--;
		else
			depth++;
		if (!depth)
			append_duration(text, e->t - thread->events.at[k].t);
	}
	append(text, "} /* f%u */\n", e->function);
	return i + 1;
}

/*
 * The text has microseconds for times: entries may come out up to a microsecond early, never late,
 * and events stay in order; everything else is exact.
 */
static void check_thread(const struct test_thread *want, const struct test_thread *have,
			 uint64_t seed)
{
	int64_t last = INT64_MIN;

	assert_non_null(have);
	assert_string_equal(have->name, "prog");
	if (want->events.n != have->events.n)
		fail_msg("seed %" PRIu64 ": %zu events, not %zu", seed, have->events.n,
			 want->events.n);
	for (size_t i = 0; i < want->events.n; i++) {
		const struct test_event *a = &want->events.at[i], *b = &have->events.at[i];

		if (a->function != b->function || a->kind != b->kind)
			fail_msg("seed %" PRIu64 ": event %zu is another", seed, i);
		if (b->t > a->t || b->t < a->t - 1000 || b->t < last)
			fail_msg("seed %" PRIu64 ": event %zu at %" PRId64 ", not %" PRId64, seed,
				 i, b->t, a->t);
		last = b->t;
	}
}

static void random_traces_keep_their_events_and_times(void **state)
{
	static const struct test_shape shape = {.max_threads = 4,
						.max_events = 150,
						.n_functions = 30,
						.start = 87000000000,
						.typical_gap = 5000,
						.rare_gap = 3000000000};

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random random = {seed};
		struct test_collector collector;
		struct test_trace trace;
		struct lode_error err = {0};
		struct text text = {0};
		size_t next[8] = {0};

		test_trace_random(&trace, &shape, &random);
		if (seed % 2)
			append(&text, "# tracer: function_graph\n#\n");
		for (bool is_more = true; is_more;) {
			is_more = false;
			for (size_t i = 0; i < trace.threads.n; i++) {
				const struct test_thread *thread = &trace.threads.at[i];
				size_t n = test_random_below(&random, 10);

				for (; n && next[i] < thread->events.n; n--)
					next[i] =
						append_event(&text, thread, next[i], true, &random);
				is_more = is_more || next[i] < thread->events.n;
			}
		}
		append(&text, "%c", '\0');
		if (read_text(&collector, text.at.at, &err) < 0)
			fail_msg("seed %" PRIu64 ": %s", seed, err.message);
		for (size_t i = 0; i < trace.threads.n; i++)
			check_thread(&trace.threads.at[i],
				     test_trace_thread(&collector.trace, 0,
						       trace.threads.at[i].tid),
				     seed);
		assert_int_equal(collector.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 0);
		test_collector_release(&collector);
		test_trace_release(&trace);
		lode_vec_release(&text.at);
	}
}

/* ---- By hand ---- */

static void threads_without_a_column_follow_the_switches(void **state)
{
	static const char text[] = "# tracer: function_graph\n"
				   " 0)               |  f1() {\n"
				   " 0)   1.000 us    |    f2();\n"
				   " ------------------------------------------\n"
				   " 0)   bash-31    =>    sshd-12\n"
				   " ------------------------------------------\n"
				   " 0)   2.000 us    |  f3();\n"
				   " 0)    sshd-12   =>    bash-31\n"
				   " 0)   9.000 us    |  }\n"
				   " 1)   5.000 us    |  f4();\n";
	struct test_collector collector;
	struct lode_error err = {0};
	const struct test_thread *bash, *sshd;

	(void)state;
	assert_int_equal(read_text(&collector, text, &err), 0);
	bash = test_trace_thread(&collector.trace, 0, 31);
	sshd = test_trace_thread(&collector.trace, 0, 12);
	assert_non_null(bash);
	assert_non_null(sshd);
	assert_int_equal(bash->events.n, 4);
	assert_int_equal(bash->events.at[3].kind, LODE_CALL_EXIT_ANY);
	assert_int_equal(bash->events.at[3].t, 9000);
	assert_int_equal(sshd->events.n, 2);
	assert_int_equal(sshd->events.at[0].t, 1000);
	assert_int_equal(sshd->events.at[1].t, 3000);
	assert_int_equal(collector.trace.threads.n, 3);
	assert_string_equal(collector.trace.threads.at[2].name, "CPU 1");
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_UNDECODABLE].count, 1);
	test_collector_release(&collector);
}

static void lost_events_are_cuts(void **state)
{
	static const char text[] = " 1)  a-5  |               |  f1() {\n"
				   "CPU:1 [LOST 23 EVENTS]\n"
				   " 1)  a-5  |   1.000 us    |  f2();\n";
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	assert_int_equal(read_text(&collector, text, &err), 0);
	assert_int_equal(collector.trace.threads.at[0].events.n, 4);
	assert_int_equal(collector.trace.threads.at[0].events.at[1].kind, LODE_CALL_CUT);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_EVENTS].count, 23);
	test_collector_release(&collector);
}

static void text_without_any_time_is_refused(void **state)
{
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	assert_int_equal(read_text(&collector, "# tracer: function_graph\n 0) | f1() {\n 0) | }\n",
				   &err),
			 LODE_ERR_UNSUPPORTED);
	test_collector_release(&collector);
	assert_int_equal(read_text(&collector, "# tracer: function_graph\n", &err),
			 LODE_ERR_FORMAT);
	test_collector_release(&collector);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_all_shapes_are_understood),
		cmocka_unit_test(random_traces_keep_their_events_and_times),
		cmocka_unit_test(threads_without_a_column_follow_the_switches),
		cmocka_unit_test(lost_events_are_cuts),
		cmocka_unit_test(text_without_any_time_is_refused),
	};
	int failed;

	scratch_make(&scratch);
	path = scratch_path(&scratch, "trace");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&scratch);
	return failed;
}
