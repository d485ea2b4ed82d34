/* input/formats/calltext: CSV and NonSequitur's text read as they were written, faults are counted.
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

#include "input/call_source.h"
#include "input/formats/calltext/call_line.h"
#include "unit/input/call_trace.h"
#include "scratch.h"

static struct scratch scratch;

static const char *in_scratch(const char *name)
{
	snprintf(scratch.path, sizeof(scratch.path), "%s/%s", scratch.dir, name);
	return scratch.path;
}

static int read_path(struct test_collector *collector, const char *path, struct lode_error *err)
{
	struct lode_call_options options = {.n_threads = 1};

	test_collector_init(collector);
	return lode_calls_read(path, &options, &collector->sink, err);
}

static const struct test_shape shape = {.max_threads = 4,
					.max_events = 200,
					.n_functions = 30,
					.start = INT64_C(46000000000000001),
					.typical_gap = 2000,
					.rare_gap = INT64_C(3000000000),
					.is_open = true};

/* ---- NonSequitur ---- */

static void write_thread(const struct test_thread *thread, const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (size_t i = 0; i < thread->events.n; i++)
		fprintf(f, "%d f%u %" PRId64 "\n",
			thread->events.at[i].kind == LODE_CALL_ENTER ? 0 : 1,
			thread->events.at[i].function, thread->events.at[i].t);
	assert_int_equal(fclose(f), 0);
}

static void a_folder_of_texts_is_one_run(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct test_random random = {seed};
		struct test_collector collector;
		struct test_trace trace;
		struct lode_error err = {0};
		bool is_numbered = seed % 2;

		scratch_make(&scratch);
		test_trace_random(&trace, &shape, &random);
		for (size_t i = 0; i < trace.threads.n; i++) {
			struct test_thread *thread = &trace.threads.at[i];
			char name[64];

			thread->pid = 0;
			if (is_numbered)
				snprintf(name, sizeof(name), "trace1_%d.txt", thread->tid);
			else
				snprintf(name, sizeof(name), "thread-%c", (char)('a' + i));
			if (!is_numbered)
				thread->tid = (int32_t)i + 1;
			write_thread(thread, in_scratch(name));
		}
		scratch_write(in_scratch("README.md"), "# notes\n", 8);
		if (read_path(&collector, scratch.dir, &err) < 0)
			fail_msg("seed %" PRIu64 ": %s", seed, err.message);
		if (!test_trace_equal(&trace, &collector.trace))
			fail_msg("seed %" PRIu64, seed);
		test_collector_release(&collector);
		test_trace_release(&trace);
		scratch_remove(&scratch);
	}
}

static void a_bad_line_is_counted_and_the_rest_read(void **state)
{
	static const char text[] =
		"0 f1 10\r\n2 f1 11\n0 f2\n\n1  f1 12\n1 f1 9223372036854775807\n"
		"1 f1 9223372036854775808\n1 f1 -5";
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	scratch_make(&scratch);
	scratch_write(in_scratch("run_7.txt"), text, sizeof(text) - 1);
	assert_int_equal(read_path(&collector, in_scratch("run_7.txt"), &err), 0);
	assert_int_equal(collector.n_events, 3);
	assert_int_equal(collector.trace.threads.at[0].tid, 7);
	assert_string_equal(collector.trace.threads.at[0].name, "run_7");
	assert_int_equal(collector.trace.threads.at[0].events.at[1].t, INT64_MAX);
	assert_int_equal(collector.trace.threads.at[0].events.at[2].t, -5);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 4);
	test_collector_release(&collector);
	scratch_remove(&scratch);
}

static void an_empty_folder_is_refused(void **state)
{
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	scratch_make(&scratch);
	assert_int_equal(read_path(&collector, scratch.dir, &err), LODE_ERR_FORMAT);
	assert_null(lode_format_find_folder(scratch.dir));
	test_collector_release(&collector);
	scratch_remove(&scratch);
}

/* ---- CSV ---- */

struct dialect {
	char separator;
	bool has_heading, is_reordered, is_quoted;
	const char *enter, *leave;
};

static void write_csv(const struct test_trace *trace, const struct dialect *d, const char *path,
		      struct test_random *random)
{
	FILE *f = fopen(path, "w");
	size_t next[8] = {0};
	char s = d->separator;

	assert_non_null(f);
	fprintf(f, "# a comment\n");
	if (d->has_heading && d->is_reordered)
		fprintf(f, "Time_ns%ccpu%cFunction%ctid%cevent\n", s, s, s, s);
	else if (d->has_heading)
		fprintf(f, "thread%cdirection%cname%cns\n", s, s, s);
	for (bool is_more = true; is_more;) {
		is_more = false;
		for (size_t i = 0; i < trace->threads.n; i++) {
			const struct test_thread *thread = &trace->threads.at[i];
			size_t n = test_random_below(random, 10);

			for (; n && next[i] < thread->events.n; n--) {
				const struct test_event *e = &thread->events.at[next[i]++];
				const char *kind = e->kind == LODE_CALL_ENTER ? d->enter : d->leave;
				const char *quote = d->is_quoted ? "\"" : "";

				if (d->has_heading && d->is_reordered)
					fprintf(f, "%" PRId64 "%c3%c%sf%u%s%c%d%c%s\n", e->t, s, s,
						quote, e->function, quote, s, thread->tid, s, kind);
				else
					fprintf(f, "%d%c %s%c%sf%u%s%c%" PRId64 "\n", thread->tid,
						s, kind, s, quote, e->function, quote, s, e->t);
			}
			is_more = is_more || next[i] < thread->events.n;
		}
	}
	assert_int_equal(fclose(f), 0);
}

static void csv_of_any_dialect_reads_as_it_was_written(void **state)
{
	static const char *const words[][2] = {
		{"enter", "exit"}, {"ENTRY", "Return"}, {"call", "leave"}, {"begin", "end"}};

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random random = {seed};
		const char *const *word = words[test_random_below(&random, 4)];
		struct dialect dialect = {.separator = ",\t;"[test_random_below(&random, 3)],
					  .has_heading = test_random_below(&random, 2),
					  .is_reordered = test_random_below(&random, 2),
					  .is_quoted = test_random_below(&random, 2),
					  .enter = word[0],
					  .leave = word[1]};
		struct test_collector collector;
		struct test_trace trace;
		struct lode_error err = {0};

		scratch_make(&scratch);
		test_trace_random(&trace, &shape, &random);
		write_csv(&trace, &dialect, in_scratch("calls.csv"), &random);
		for (size_t i = 0; i < trace.threads.n; i++)
			trace.threads.at[i].pid = 0;
		if (read_path(&collector, in_scratch("calls.csv"), &err) < 0)
			fail_msg("seed %" PRIu64 ": %s", seed, err.message);
		if (!test_trace_equal(&trace, &collector.trace))
			fail_msg("seed %" PRIu64, seed);
		assert_int_equal(collector.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 0);
		test_collector_release(&collector);
		test_trace_release(&trace);
		scratch_remove(&scratch);
	}
}

static void csv_fields_may_be_quoted_and_threads_named(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf\"main loop\",enter,\"operator,(int, \"\"x\"\")\",1\n"
		"main loop,exit,,2\n"
		"17,enter,f1,3\n"
		"17,enter,f1\n"
		"17,enter,,4\n"
		"17,enter,\"f1,5\n"
		"17,jump,f1,6\n";
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	scratch_make(&scratch);
	scratch_write(in_scratch("calls.csv"), text, sizeof(text) - 1);
	assert_int_equal(read_path(&collector, in_scratch("calls.csv"), &err), 0);
	assert_int_equal(collector.trace.threads.n, 2);
	assert_string_equal(collector.trace.threads.at[0].name, "main loop");
	assert_true(collector.trace.threads.at[0].tid < 0);
	assert_string_equal(collector.names.text.at[0], "operator,(int, \"x\")");
	assert_int_equal(collector.trace.threads.at[0].events.at[1].kind, LODE_CALL_EXIT_ANY);
	assert_int_equal(collector.n_events, 3);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 4);
	test_collector_release(&collector);
	scratch_remove(&scratch);
}

/* A table names the threads that come without a name, and no others. */
static void a_table_names_threads_that_have_no_name(void **state)
{
	static const char text[] = "17,enter,f1,1\nmain,enter,f1,1\n18,enter,f1,1\n";
	static const char table[] = "# tid\tname\n17\tthe worker\n19\tnobody\n-1\tnot main\n";
	char names[sizeof(scratch.path)];
	struct lode_call_options options = {.n_threads = 1, .thread_names = names};
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	scratch_make(&scratch);
	scratch_write(in_scratch("names.tsv"), table, sizeof(table) - 1);
	memcpy(names, scratch.path, sizeof(names));
	scratch_write(in_scratch("calls.csv"), text, sizeof(text) - 1);
	test_collector_init(&collector);
	assert_int_equal(lode_calls_read(scratch.path, &options, &collector.sink, &err), 0);
	assert_int_equal(collector.trace.threads.n, 3);
	assert_string_equal(collector.trace.threads.at[0].name, "the worker");
	assert_string_equal(collector.trace.threads.at[1].name, "main");
	assert_string_equal(collector.trace.threads.at[2].name, "");
	test_collector_release(&collector);
	scratch_write(names, "1\ta\nb\n", 6);
	test_collector_init(&collector);
	assert_int_equal(lode_calls_read(scratch.path, &options, &collector.sink, &err),
			 LODE_ERR_FORMAT);
	assert_true(err.is_line && err.offset == 2);
	test_collector_release(&collector);
	scratch_remove(&scratch);
}

/* What looks like text of another kind is not taken for calls. */
static void other_texts_are_not_calls(void **state)
{
	static const char *const texts[] = {"a;b;c 12\n", "tid,name\n1,x\n", "0 f1\n", "hello\n",
					    "1,2,3,4\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct lode_format *format =
			lode_format_find(LODE_HOLDS_CALLS, (const uint8_t *)texts[i],
					 strlen(texts[i]));

		if (format)
			fail_msg("\"%s\" is %s", texts[i], format->name);
	}
}

static void a_trace_of_calls_is_said_where_samples_are_read(void **state)
{
	static const char trace[] = "[{\"ph\":\"X\",\"name\":\"f\",\"ts\":1,\"dur\":2}]",
			  other[] = "{\"x\":1}";
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_format_fail_unknown(LODE_HOLDS_SAMPLES, "a.json",
						  (const uint8_t *)trace, strlen(trace), &err),
			 LODE_ERR_FORMAT);
	assert_non_null(strstr(err.message, "lode timeline FILE"));
	(void)lode_format_fail_unknown(LODE_HOLDS_SAMPLES, "a.json", (const uint8_t *)other,
				       strlen(other), &err);
	assert_non_null(strstr(err.message, "unknown format"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_of_texts_is_one_run),
		cmocka_unit_test(a_bad_line_is_counted_and_the_rest_read),
		cmocka_unit_test(an_empty_folder_is_refused),
		cmocka_unit_test(csv_of_any_dialect_reads_as_it_was_written),
		cmocka_unit_test(csv_fields_may_be_quoted_and_threads_named),
		cmocka_unit_test(a_table_names_threads_that_have_no_name),
		cmocka_unit_test(other_texts_are_not_calls),
		cmocka_unit_test(a_trace_of_calls_is_said_where_samples_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
