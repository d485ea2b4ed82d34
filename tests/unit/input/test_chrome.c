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
#include "input/call_sort.h"
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
	static const char *const kinds[] = {">", "<", "~", "<any", "cut", "open"};
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

/* The trace's end is a call's of another thread. */
static void spans_without_an_end_last_to_the_end_of_the_trace(void **state)
{
	(void)state;
	check_text("[{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"f1\",\"ts\":1},"
		   "{\"ph\":\"b\",\"cat\":\"c\",\"id\":2,\"name\":\"f2\",\"ts\":2},"
		   "{\"ph\":\"e\",\"cat\":\"c\",\"id\":2,\"name\":\"f2\",\"ts\":3},"
		   "{\"ph\":\"X\",\"name\":\"f3\",\"ts\":4,\"dur\":5}]",
		   ">1 1000;open0 9000;>2 2000;<any0 3000;>3 4000;<3 9000;");
}

static void overlapping_calls_go_to_tracks_of_their_own(void **state)
{
	static const char *const names[] = {"", "7 #2"};
	struct test_collector collector;
	struct lode_error err = {0};
	char have[1024];

	(void)state;
	assert_int_equal(read_text(&collector,
				   "[{\"ph\":\"X\",\"name\":\"f1\",\"pid\":7,\"ts\":1,\"dur\":10},"
				   "{\"ph\":\"X\",\"name\":\"f2\",\"pid\":7,\"ts\":5,\"dur\":9},"
				   "{\"ph\":\"X\",\"name\":\"f3\",\"pid\":7,\"ts\":12,\"dur\":1}]",
				   0, &err),
			 0);
	assert_string_equal(as_text(&collector, have, sizeof(have)),
			    ">1 1000;<1 11000;>3 12000;<3 13000;>2 5000;<2 14000;");
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_OVERLAP].count, 0);
	assert_int_equal(collector.trace.threads.n, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(collector.trace.threads.at[i].pid, 7);
		assert_string_equal(collector.trace.threads.at[i].name, names[i]);
	}
	test_collector_release(&collector);
	/* an end that is rounded by 1 ns is no overlap */
	check_text("[{\"ph\":\"X\",\"name\":\"f1\",\"ts\":1,\"dur\":10},"
		   "{\"ph\":\"X\",\"name\":\"f2\",\"ts\":5,\"dur\":6.001}]",
		   ">1 1000;>2 5000;<2 11000;<1 11000;");
}

/* 260 calls, each starting and ending 1 us after the one before: more than there are tracks. */
static void beyond_the_last_track_calls_are_cut_and_counted(void **state)
{
	struct test_collector collector;
	struct lode_error err = {0};
	struct text text = {0};

	(void)state;
	append(&text, "[");
	for (int i = 0; i < LODE_CALL_TRACKS + 4; i++)
		append(&text, "%s{\"ph\":\"X\",\"name\":\"f1\",\"ts\":%d,\"dur\":1000}",
		       i ? "," : "", i);
	append(&text, "]%c", '\0');
	assert_int_equal(read_text(&collector, text.at.at, 0, &err), 0);
	assert_int_equal(collector.trace.threads.n, LODE_CALL_TRACKS);
	assert_int_equal(collector.n_events, 2 * (LODE_CALL_TRACKS + 4));
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_OVERLAP].count, 4);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_OVERLAP].cost_ns,
			 1000 + 2000 + 3000 + 4000);
	test_collector_release(&collector);
	lode_vec_release(&text.at);
}

/* ---- Calls of all tracks against what was written, whatever overlaps ---- */

struct span {
	int64_t start, end;
	uint32_t function;
};

struct spans {
	LODE_VEC(struct span) at;
};

static int by_span(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1)
	       : x->end != y->end   ? (x->end < y->end ? -1 : 1)
				    : (x->function > y->function) - (x->function < y->function);
}

/* The calls of all tracks; fails if a track does not nest. */
static void collect_spans(struct spans *spans, const struct test_collector *collector,
			  uint64_t seed)
{
	for (size_t i = 0; i < collector->trace.threads.n; i++) {
		const struct test_thread *thread = &collector->trace.threads.at[i];
		size_t open[64], depth = 0;
		int64_t last = INT64_MIN;

		for (size_t k = 0; k < thread->events.n; k++) {
			const struct test_event *e = &thread->events.at[k];

			assert_true(e->t >= last);
			last = e->t;
			if (e->kind == LODE_CALL_ENTER) {
				assert_true(depth < 64);
				open[depth++] = spans->at.n;
				lode_vec_append(&spans->at, ((struct span){e->t, -1, e->function}));
				continue;
			}
			if (!depth || (e->kind == LODE_CALL_EXIT &&
				       spans->at.at[open[depth - 1]].function != e->function))
				fail_msg("seed %" PRIu64 ": an exit of another call", seed);
			spans->at.at[open[--depth]].end = e->t;
		}
		assert_int_equal(depth, 0);
	}
}

static void check_spans(struct spans *want, const struct test_collector *collector, uint64_t seed)
{
	struct spans have = {0};

	collect_spans(&have, collector, seed);
	if (have.at.n != want->at.n)
		fail_msg("seed %" PRIu64 ": %zu calls of %zu", seed, have.at.n, want->at.n);
	qsort(have.at.at, have.at.n, sizeof(*have.at.at), by_span);
	qsort(want->at.at, want->at.n, sizeof(*want->at.at), by_span);
	for (size_t i = 0; i < want->at.n; i++)
		if (by_span(&have.at.at[i], &want->at.at[i]))
			fail_msg("seed %" PRIu64 ": f%u from %" PRId64 " to %" PRId64, seed,
				 want->at.at[i].function, want->at.at[i].start, want->at.at[i].end);
	for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++)
		if (collector->losses.by_kind[k].count)
			fail_msg("seed %" PRIu64 ": %s", seed, collector->losses.by_kind[k].detail);
	lode_vec_release(&have.at);
}

static void calls_that_overlap_at_random_keep_their_times(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct test_random random = {seed};
		uint32_t n = 1 + test_random_below(&random, 60);
		struct test_collector collector;
		struct lode_error err = {0};
		struct spans want = {0};
		struct text text = {0};

		append(&text, "[");
		for (uint32_t i = 0; i < n; i++) {
			/* even ends: none that counts as rounded */
			int64_t start = 2 * (int64_t)test_random_below(&random, 60);
			int64_t end = start + 2 * (int64_t)test_random_below(&random, 40);
			uint32_t function = 1 + test_random_below(&random, 5);

			lode_vec_append(&want.at, ((struct span){start, end, function}));
			append(&text, "%s{\"ph\":\"X\",\"name\":\"f%u\",", i ? "," : "", function);
			append_time(&text, "ts", start);
			append(&text, ",");
			append_time(&text, "dur", end - start);
			append(&text, "}");
		}
		append(&text, "]%c", '\0');
		if (read_text(&collector, text.at.at, 0, &err) < 0)
			fail_msg("seed %" PRIu64 ": %s", seed, err.message);
		check_spans(&want, &collector, seed);
		test_collector_release(&collector);
		lode_vec_release(&want.at);
		lode_vec_release(&text.at);
	}
}

/* ---- Asynchronous spans ---- */

/* The begins and ends of spans of one id, at rising times: they nest. */
static void append_random_spans(struct spans *want, struct text *text, uint32_t id, bool is_text_id,
				const char *phases, struct test_random *random)
{
	uint32_t open[8], depth = 0, n = 1 + test_random_below(random, 6);
	int64_t t = test_random_below(random, 100);

	while (n || depth) {
		bool is_begin = n && (!depth || (depth < 8 && test_random_below(random, 2)));
		uint32_t at = is_begin ? (uint32_t)want->at.n : open[depth - 1];
		uint32_t function =
			is_begin ? 1 + test_random_below(random, 9) : want->at.at[at].function;

		t += 1 + test_random_below(random, 20);
		append(text, "%s{\"ph\":\"%c\",\"cat\":\"net\",\"name\":\"f%u\",\"pid\":%u,",
		       text->at.n > 1 ? "," : "", phases[!is_begin], function,
		       test_random_below(random, 3));
		append(text, is_text_id ? "\"id\":\"request-%u\"," : "\"id\":\"0x%x\",", id);
		append_time(text, "ts", t);
		append(text, "}");
		if (is_begin) {
			open[depth++] = at;
			lode_vec_append(&want->at, ((struct span){t, -1, function}));
			n--;
		} else {
			want->at.at[at].end = t;
			depth--;
		}
	}
}

static void asynchronous_spans_are_calls_on_tracks_of_their_own(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct test_random random = {seed};
		uint32_t n = 1 + test_random_below(&random, 20);
		struct test_collector collector;
		struct lode_error err = {0};
		struct spans want = {0};
		struct text text = {0};

		append(&text, "[");
		for (uint32_t i = 0; i < n; i++)
			append_random_spans(&want, &text, i, seed % 2, "be", &random);
		append(&text, "]%c", '\0');
		if (read_text(&collector, text.at.at, seed % 3 ? 0 : 1, &err) < 0)
			fail_msg("seed %" PRIu64 ": %s", seed, err.message);
		check_spans(&want, &collector, seed);
		test_collector_release(&collector);
		lode_vec_release(&want.at);
		lode_vec_release(&text.at);
	}
}

static void spans_are_told_apart_by_category_scope_and_process(void **state)
{
	static const char *const want[] = {"net (async)", "disk (async)", "net (async)",
					   "net (async)", "f1 (async)",	  "net (async) #2"};
	struct test_collector collector;
	struct lode_error err = {0};
	char have[1024];

	(void)state;
	assert_int_equal(
		read_text(&collector,
			  "[{\"ph\":\"b\",\"cat\":\"net\",\"id\":1,\"name\":\"f1\",\"ts\":1},"
			  "{\"ph\":\"b\",\"cat\":\"disk\",\"id\":1,\"name\":\"f2\",\"ts\":2},"
			  "{\"ph\":\"b\",\"cat\":\"net\",\"scope\":\"s\",\"id\":1,\"name\":\"f3\","
			  "\"ts\":3},"
			  "{\"ph\":\"b\",\"cat\":\"net\",\"id2\":{\"local\":1},\"pid\":4,"
			  "\"name\":\"f4\",\"ts\":4},"
			  "{\"ph\":\"S\",\"cat\":\"net\",\"id\":1,\"name\":\"f1\",\"ts\":5},"
			  "{\"ph\":\"b\",\"cat\":\"net\",\"id\":2,\"name\":\"f5\",\"ts\":6},"
			  "{\"ph\":\"n\",\"cat\":\"net\",\"id\":2,\"name\":\"f5\",\"ts\":6},"
			  "{\"ph\":\"e\",\"cat\":\"disk\",\"id\":2,\"name\":\"f2\",\"ts\":8},"
			  "{\"ph\":\"C\",\"name\":\"size\",\"ts\":8,\"args\":{\"n\":1}},"
			  "{\"ph\":\"F\",\"cat\":\"net\",\"id\":1,\"name\":\"f1\",\"ts\":9}]",
			  0, &err),
		0);
	/* threads in the order in which they appear, each with its tracks */
	assert_string_equal(as_text(&collector, have, sizeof(have)),
			    ">1 1000;open0 9000;>5 6000;open0 9000;>2 2000;open0 9000;"
			    ">3 3000;open0 9000;>4 4000;open0 9000;>1 5000;<any0 9000;");
	assert_int_equal(collector.trace.threads.n, 6);
	assert_string_equal(collector.trace.threads.at[0].name, want[0]);
	assert_string_equal(collector.trace.threads.at[1].name, want[5]);
	for (size_t i = 2; i < 6; i++)
		assert_string_equal(collector.trace.threads.at[i].name, want[i - 1]);
	/* a step, a counter, and an end without its begin */
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_LEFT_OUT].count, 3);
	assert_string_equal(collector.losses.by_kind[LODE_LOSS_LEFT_OUT].detail,
			    "1 counters (see lode pio), 1 steps of asynchronous spans");
	test_collector_release(&collector);
}

static void details_are_part_of_names_if_asked_for(void **state)
{
	static const char json[] =
		"[{\"ph\":\"X\",\"name\":\"Source\",\"ts\":1,\"args\":{\"detail\":\"a.h\"}}]";
	static const char *const want[] = {"Source", "Source a.h"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct lode_call_options options = {.n_threads = 1, .with_details = i == 1};
		struct test_collector collector;
		struct lode_error err = {0};

		scratch_write(path, json, strlen(json));
		test_collector_init(&collector);
		assert_int_equal(lode_calls_read(path, &options, &collector.sink, &err), 0);
		assert_string_equal(collector.names.text.at[0], want[i]);
		test_collector_release(&collector);
	}
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
		cmocka_unit_test(spans_without_an_end_last_to_the_end_of_the_trace),
		cmocka_unit_test(overlapping_calls_go_to_tracks_of_their_own),
		cmocka_unit_test(beyond_the_last_track_calls_are_cut_and_counted),
		cmocka_unit_test(calls_that_overlap_at_random_keep_their_times),
		cmocka_unit_test(asynchronous_spans_are_calls_on_tracks_of_their_own),
		cmocka_unit_test(spans_are_told_apart_by_category_scope_and_process),
		cmocka_unit_test(details_are_part_of_names_if_asked_for),
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
