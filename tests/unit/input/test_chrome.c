/* input/formats/chrome, call_sort: what is written as trace events comes out nested and exact. */
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

#include "base/decimal.h"
#include "scratch.h"
#include "input/call_source.h"
#include "unit/input/call_trace.h"

static struct scratch scratch;
static const char *path;

static int read_text(struct test_collector *collector, const char *text, size_t memory_bytes,
		     struct lode_error *err)
{
	struct lode_call_options options = {.n_threads = 1, .memory_bytes = memory_bytes};

	scratch_write(path, text, strlen(text));
	test_collector_init(collector);
	return lode_calls_read(path, &options, &collector->sink, err);
}

/* ---- Numbers ---- */

static void times_are_exact_nanoseconds(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{"0", 0},
		{"1", 1000},
		{"-1.5", -1500},
		{"2382993241.317", INT64_C(2382993241317)},
		{"1795230510026466.965", INT64_C(1795230510026466965)}, /* beyond a double */
		{"1795230510026467.0000", INT64_C(1795230510026467000)},
		{"1.5e3", 1500000},
		{"1500E-3", 1500},
		{"0.0004", 0},
		{"0.0005", 1},
		{"2.99999999999999999999999", 3000},
	};
	static const char *const bad[] = {"",
					  "-",
					  ".",
					  "e3",
					  "1.2.3",
					  "1e",
					  "x",
					  "1x",
					  "1 ",
					  "1e400",
					  "99999999999999999999"};
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (!lode_decimal_parse(&ns, cases[i].text, strlen(cases[i].text), 3))
			fail_msg("%s is no number", cases[i].text);
		if (ns != cases[i].ns)
			fail_msg("%s is %" PRId64, cases[i].text, ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (lode_decimal_parse(&ns, bad[i], strlen(bad[i]), 3))
			fail_msg("\"%s\" is %" PRId64, bad[i], ns);
}

/* ---- Random traces, as B and E ---- */

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
	assert_true(n >= 0 && n < 512);
	text->at.n += (size_t)n;
}

static void append_time(struct text *text, const char *key, int64_t ns)
{
	append(text, "\"%s\":%s%" PRId64 ".%03d", key, ns < 0 ? "-" : "",
	       (ns < 0 ? -ns : ns) / 1000, (int)((ns < 0 ? -ns : ns) % 1000));
}

/* Members in any order, and some that mean nothing. */
static void append_event(struct text *text, const char *phase, const struct test_thread *thread,
			 const struct test_event *event, int64_t dur, bool has_name,
			 struct test_random *random)
{
	append(text, "%s{", text->at.n > 1 && text->at.at[text->at.n - 1] == '}' ? ",\n" : "");
	if (test_random_below(random, 2))
		append(text, "\"args\":{\"name\":\"f999\",\"ts\":1,\"x\":[{\"ph\":\"B\"},[]]},");
	if (has_name)
		append(text, "\"name\":\"f%u\",", event->function);
	append(text, "\"ph\":\"%s\",", phase);
	if (dur >= 0) {
		append_time(text, "dur", dur);
		append(text, ",");
	}
	append(text, "\"pid\":%d,", thread->pid);
	if (thread->tid != thread->pid || test_random_below(random, 2))
		append(text, test_random_below(random, 2) ? "\"tid\":%d," : "\"tid\":\"%d\",",
		       thread->tid);
	append_time(text, "ts", event->t);
	append(text, "}");
}

static void start(struct text *text, bool is_object)
{
	append(text, is_object ? "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" : "[");
}

/* An array's end may be missing. */
static void finish(struct text *text, bool is_object, struct test_random *random)
{
	if (is_object)
		append(text, "],\"metadata\":{\"traceEvents\":[{\"ph\":\"B\",\"ts\":1}]}}");
	else if (test_random_below(random, 2))
		append(text, "]");
	else if (test_random_below(random, 2))
		append(text, ",\n");
	append(text, "%c", '\0');
}

static const struct test_shape shape = {.max_threads = 4,
					.max_events = 200,
					.n_functions = 30,
					.start = INT64_C(1795230510026466965),
					.typical_gap = 2000,
					.rare_gap = INT64_C(3000000000)};

static void check(struct text *text, const struct test_trace *want, size_t memory_bytes,
		  uint64_t seed)
{
	struct test_collector collector;
	struct lode_error err = {0};

	if (read_text(&collector, text->at.at, memory_bytes, &err) < 0)
		fail_msg("seed %" PRIu64 ": %s\n%s", seed, err.message, text->at.at);
	if (!test_trace_equal(want, &collector.trace))
		fail_msg("seed %" PRIu64, seed);
	for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++)
		if (collector.losses.by_kind[k].count)
			fail_msg("seed %" PRIu64 ": %s", seed, collector.losses.by_kind[k].detail);
	test_collector_release(&collector);
}

static void entries_and_exits_read_as_they_were_written(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random random = {seed};
		struct test_shape open = shape;
		struct test_trace trace;
		struct text text = {0};
		bool is_object = seed % 2, has_exit_names = seed % 3;
		size_t next[8] = {0};

		open.is_open = true;
		test_trace_random(&trace, &open, &random);
		start(&text, is_object);
		for (bool is_more = true; is_more;) {
			is_more = false;
			for (size_t i = 0; i < trace.threads.n; i++) {
				struct test_thread *thread = &trace.threads.at[i];
				size_t n = test_random_below(&random, 10);

				for (; n && next[i] < thread->events.n; n--) {
					struct test_event *e = &thread->events.at[next[i]++];
					bool is_enter = e->kind == LODE_CALL_ENTER;

					append_event(&text, is_enter ? "B" : "E", thread, e, -1,
						     is_enter || has_exit_names, &random);
					if (!is_enter && !has_exit_names) {
						e->kind = LODE_CALL_EXIT_ANY;
						e->function = TEST_NO_FUNCTION;
					}
				}
				is_more = is_more || next[i] < thread->events.n;
			}
		}
		finish(&text, is_object, &random);
		check(&text, &trace, seed % 4 ? 0 : 1, seed);
		test_trace_release(&trace);
		lode_vec_release(&text.at);
	}
}

/* ---- Whole calls ---- */

struct call {
	const struct test_thread *thread;
	struct test_event event; /* its entry */
	int64_t end;
	size_t order; /* of entering */
	uint32_t dice;
};

struct calls {
	LODE_VEC(struct call) at;
};

/* The calls of a trace in which all entries have their exits. */
static void collect_calls(struct calls *calls, const struct test_trace *trace,
			  struct test_random *random)
{
	for (size_t i = 0; i < trace->threads.n; i++) {
		const struct test_thread *thread = &trace->threads.at[i];
		size_t open[64], depth = 0;

		for (size_t k = 0; k < thread->events.n; k++) {
			struct call call = {.thread = thread, .event = thread->events.at[k]};

			if (call.event.kind != LODE_CALL_ENTER) {
				calls->at.at[open[--depth]].end = call.event.t;
				continue;
			}
			call.order = calls->at.n;
			call.dice = test_random_below(random, 1000000);
			open[depth++] = calls->at.n;
			lode_vec_append(&calls->at, call);
		}
	}
}

static int by_start(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

static int by_end(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->order < y->order) - (x->order > y->order); /* inner ones end first */
}

static int by_dice(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (x->dice > y->dice) - (x->dice < y->dice);
}

/* Calls of one time and one length cannot be told apart, whichever is the caller: give every event
   of a thread a time of its own. */
static void make_times_distinct(struct test_trace *trace)
{
	for (size_t i = 0; i < trace->threads.n; i++)
		for (size_t k = 0; k < trace->threads.at[i].events.n; k++)
			trace->threads.at[i].events.at[k].t += (int64_t)k;
}

static void whole_calls_nest_in_whatever_order_they_come(void **state)
{
	static int (*const orders[])(const void *, const void *) = {by_start, by_end, by_dice};

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random random = {seed};
		struct test_trace trace;
		struct calls calls = {0};
		struct text text = {0};

		test_trace_random(&trace, &shape, &random);
		make_times_distinct(&trace);
		collect_calls(&calls, &trace, &random);
		qsort(calls.at.at, calls.at.n, sizeof(*calls.at.at), orders[seed % 3]);
		start(&text, seed % 2);
		for (size_t i = 0; i < calls.at.n; i++)
			append_event(&text, "X", calls.at.at[i].thread, &calls.at.at[i].event,
				     calls.at.at[i].end - calls.at.at[i].event.t, true, &random);
		finish(&text, seed % 2, &random);
		check(&text, &trace, seed % 4 ? 0 : 1,
		      seed); /* 1 byte: as little as there can be */
		test_trace_release(&trace);
		lode_vec_release(&calls.at);
		lode_vec_release(&text.at);
	}
}

/* More than memory is allowed: sorted pieces go to a file and come back merged. */
static void more_calls_than_memory_come_back_in_order(void **state)
{
	struct test_random random = {3};
	struct test_shape large = shape;
	struct test_trace trace;
	struct calls calls = {0};
	struct text text = {0};

	(void)state;
	large.max_threads = 3;
	large.max_events = 20000;
	do {
		test_trace_random(&trace, &large, &random);
		make_times_distinct(&trace);
		calls.at.n = 0;
		collect_calls(&calls, &trace, &random);
		if (calls.at.n < 10000)
			test_trace_release(&trace);
	} while (calls.at.n < 10000);
	qsort(calls.at.at, calls.at.n, sizeof(*calls.at.at), by_dice);
	start(&text, false);
	for (size_t i = 0; i < calls.at.n; i++)
		append_event(&text, "X", calls.at.at[i].thread, &calls.at.at[i].event,
			     calls.at.at[i].end - calls.at.at[i].event.t, true, &random);
	finish(&text, false, &random);
	check(&text, &trace, 1, 3);
	test_trace_release(&trace);
	lode_vec_release(&calls.at);
	lode_vec_release(&text.at);
}

/* ---- By hand ---- */

/* Events as "kind function time" lines, one thread after another. */
static const char *as_text(const struct test_collector *collector, char *buffer, size_t size)
{
	static const char *const kinds[] = {">", "<", "~", "<any", "cut"};
	size_t n = 0;

	*buffer = '\0';
	for (size_t i = 0; i < collector->trace.threads.n; i++)
		for (size_t k = 0; k < collector->trace.threads.at[i].events.n; k++) {
			const struct test_event *e = &collector->trace.threads.at[i].events.at[k];

			n += (size_t)snprintf(buffer + n, size - n, "%s%u %" PRId64 ";",
					      kinds[e->kind], e->function, e->t);
		}
	return buffer;
}

static void check_text(const char *json, const char *want)
{
	struct test_collector collector;
	struct lode_error err = {0};
	char have[1024];

	if (read_text(&collector, json, 0, &err) < 0)
		fail_msg("%s: %s", json, err.message);
	assert_string_equal(as_text(&collector, have, sizeof(have)), want);
	test_collector_release(&collector);
}

static void calls_of_one_time_nest_by_length(void **state)
{
	(void)state;
	check_text("[{\"ph\":\"X\",\"name\":\"f2\",\"ts\":1,\"dur\":1},"
		   "{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"dur\":2},"
		   "{\"ph\":\"X\",\"name\":\"f3\",\"ts\":1}]",
		   ">1 1000;>2 1000;>3 1000;<3 1000;<2 2000;<1 3000;");
	/* one that starts where another ends comes after it */
	check_text("[{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"dur\":2},"
		   "{\"ph\":\"X\",\"name\":\"f2\",\"ts\":3,\"dur\":2}]",
		   ">1 1000;<1 3000;>2 3000;<2 5000;");
	/* entries and exits of one time stay as they are */
	check_text(
		"[{\"ph\":\"B\",\"name\":\"f1\",\"ts\":1},{\"ph\":\"E\",\"name\":\"f1\",\"ts\":1},"
		"{\"ph\":\"B\",\"name\":\"f2\",\"ts\":1},{\"ph\":\"E\",\"ts\":1}]",
		">1 1000;<1 1000;>2 1000;<any0 1000;");
}

static void overlapping_calls_are_cut_and_counted(void **state)
{
	struct test_collector collector;
	struct lode_error err = {0};
	char have[1024];

	(void)state;
	assert_int_equal(read_text(&collector,
				   "[{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"dur\":10},"
				   "{\"ph\":\"X\",\"name\":\"f2\",\"ts\":5,\"dur\":9}]",
				   0, &err),
			 0);
	assert_string_equal(as_text(&collector, have, sizeof(have)),
			    ">1 1000;>2 5000;<2 11000;<1 11000;");
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_OVERLAP].count, 1);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_OVERLAP].cost_ns, 3000);
	test_collector_release(&collector);
}

static void threads_have_the_names_that_come_at_any_time(void **state)
{
	static const char json[] =
		"{\"traceEvents\":["
		"{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"pid\":7,\"tid\":8},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":8,\"args\":{\"name\":\"[8] old\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":8,\"args\":{\"name\":\"[8] log\"}},"
		"{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"pid\":7},"
		"{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"pid\":7,\"tid\":\"GPU 0\"},"
		"{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"pid\":7,\"tid\":140737353979712},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":7,"
		"\"args\":{\"name\":\"main\"}}]}";
	static const char *const want[] = {"log", "main", "GPU 0", "140737353979712"};
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	assert_int_equal(read_text(&collector, json, 0, &err), 0);
	assert_int_equal(collector.trace.threads.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(collector.trace.threads.at[i].name, want[i]);
	test_collector_release(&collector);
}

static void broken_text_gives_what_was_before_it(void **state)
{
	static const char *const bad[] = {
		"[{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"na",
		"[{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"dur\":1},,{\"ph\":\"X\"}]",
		"{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"dur\":1}]",
	};
	struct test_collector collector;
	struct lode_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_text(&collector, bad[i], 0, &err), 0);
		assert_int_equal(collector.n_events, 2);
		assert_int_equal(collector.losses.by_kind[LODE_LOSS_TRUNCATED].count, 1);
		test_collector_release(&collector);
	}
	assert_int_equal(read_text(&collector, "[{\"ph\":\"i\",\"ts\":1}]", 0, &err),
			 LODE_ERR_FORMAT);
	test_collector_release(&collector);
	assert_int_equal(read_text(&collector,
				   "[{\"ph\":\"X\",\"name\":\"f1\",\"ts\":\"soon\"},"
				   "{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"dur\":-1},"
				   "{\"ph\":\"X\",\"name\":\"f1\",\"ts\":2}]",
				   0, &err),
			 0);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 2);
	assert_int_equal(collector.n_events, 2);
	test_collector_release(&collector);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_exact_nanoseconds),
		cmocka_unit_test(entries_and_exits_read_as_they_were_written),
		cmocka_unit_test(whole_calls_nest_in_whatever_order_they_come),
		cmocka_unit_test(more_calls_than_memory_come_back_in_order),
		cmocka_unit_test(calls_of_one_time_nest_by_length),
		cmocka_unit_test(overlapping_calls_are_cut_and_counted),
		cmocka_unit_test(threads_have_the_names_that_come_at_any_time),
		cmocka_unit_test(broken_text_gives_what_was_before_it),
	};
	int failed;

	scratch_make(&scratch);
	path = scratch_path(&scratch, "trace.json");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&scratch);
	return failed;
}
