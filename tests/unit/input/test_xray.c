/* input/formats/xray: what a writer of each version puts into a log is what comes out of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "input/call_source.h"
#include "input/formats/xray/xray_ticks.h"
#include "unit/input/call_trace.h"
#include "cases.h"

static struct scratch scratch;
static const char *path;

struct image {
	LODE_VEC(uint8_t) bytes;
};

static void put(struct image *image, const void *data, size_t size)
{
	lode_vec_reserve(&image->bytes, image->bytes.n + size);
	memcpy(image->bytes.at + image->bytes.n, data, size);
	image->bytes.n += size;
}

static void put_header(struct image *image, uint16_t version, uint16_t type, uint64_t hz,
		       uint64_t buffer)
{
	uint32_t flags = 0xffffff03;
	uint64_t none = 0;

	put(image, &version, 2);
	put(image, &type, 2);
	put(image, &flags, 4);
	put(image, &hz, 8);
	put(image, &buffer, 8);
	put(image, &none, 8);
}

static int read_image(struct test_collector *collector, const struct image *image,
		      unsigned n_threads, struct lode_error *err)
{
	struct lode_call_options options = {.n_threads = n_threads};

	scratch_write(path, image->bytes.at, image->bytes.n);
	test_collector_init(collector);
	return lode_calls_read(path, &options, &collector->sink, err);
}

/* ---- Ticks ---- */

static int64_t exact_ns(uint64_t ticks, uint64_t hz)
{
	return (int64_t)((unsigned __int128)ticks * 1000000000 / hz);
}

static void ticks_are_exact_nanoseconds_at_any_frequency(void **state)
{
	struct test_random random = {11};

	(void)state;
	for (int round = 0; round < TEST_CASES(20000); round++) {
		static const uint64_t known[] = {1000000000, 2596126000, 24000000,
						 1000,	     1000003,	 1000000000000};
		uint64_t hz = round % 2 ? known[test_random_below(&random, 6)]
					: 1000 + test_random_next(&random) % 999999999000;
		struct lode_ticks ticks = lode_ticks_make(hz);
		unsigned __int128 highest = (unsigned __int128)(INT64_MAX / 2) * hz / 1000000000;
		uint64_t top = highest > UINT64_MAX / 2 ? UINT64_MAX / 2 : (uint64_t)highest;
		uint64_t at = test_random_next(&random) %
			      (top - ((uint64_t)1 << 34) > top ? top : top - ((uint64_t)1 << 34));

		if (!lode_ticks_move(&ticks, at))
			continue; /* beyond the clock's end: nothing to tell */
		for (int i = 0; i < 20; i++) {
			if (!lode_ticks_is_near(&ticks, at))
				assert_true(lode_ticks_move(&ticks, at));
			if (lode_ticks_near(&ticks, at) != exact_ns(at, hz))
				fail_msg("round %d: %llu ticks of %llu Hz: %lld, not %lld", round,
					 (unsigned long long)at, (unsigned long long)hz,
					 (long long)lode_ticks_near(&ticks, at),
					 (long long)exact_ns(at, hz));
			at += i % 3 ? test_random_below(&random, 1000)
				    : test_random_next(&random) >> 34;
		}
	}
}

/* ---- Flight data recorder ---- */

struct writer {
	struct test_random *random;
	uint16_t version;
	uint64_t hz;
	size_t buffer_bytes;
	uint64_t wall_s;
	uint32_t wall_us;
	LODE_VEC(struct image) buffers; /* without extents or padding */
};

static void put_metadata(struct image *buffer, unsigned kind, const void *body, size_t size)
{
	uint8_t record[16] = {(uint8_t)(kind << 1 | 1)};

	memcpy(record + 1, body, size);
	put(buffer, record, sizeof(record));
}

static void put_cpu(struct image *buffer, uint64_t now)
{
	uint8_t body[10] = {3};

	memcpy(body + 2, &now, 8);
	put_metadata(buffer, 2, body, sizeof(body));
}

/* Every buffer of a thread starts later than the one before; seconds turn, so parts fall. */
static void start_buffer(struct writer *w, struct image *buffer, const struct test_thread *thread,
			 uint64_t now)
{
	uint8_t wall[12];

	w->wall_us += 1 + test_random_below(w->random, 400000);
	w->wall_s += w->wall_us / 1000000;
	w->wall_us %= 1000000;
	memcpy(wall, &w->wall_s, 8);
	memcpy(wall + 8, &w->wall_us, 4);
	put_metadata(buffer, 0, &thread->tid, 4);
	put_metadata(buffer, 4, wall, sizeof(wall));
	if (w->version >= 3)
		put_metadata(buffer, 9, &thread->pid, 4);
	put_cpu(buffer, now);
}

/* Something that is no call, now and then: events with data move the clock in version 5. */
static uint64_t put_noise(struct writer *w, struct image *buffer, uint64_t now, uint64_t next)
{
	uint8_t body[15] = {0}, data[40] = {0xff, 1, 0x0f};
	int32_t size = 1 + (int32_t)test_random_below(w->random, sizeof(data));
	int32_t since = (int32_t)(next > now ? test_random_below(w->random, 2) : 0);

	switch (test_random_below(w->random, 20)) {
	case 0:
		put_cpu(buffer, next);
		return next;
	case 1:
		put_metadata(buffer, 3, &next, 8);
		return next;
	case 2: /* custom event */
		memcpy(body, &size, 4);
		if (w->version >= 5)
			memcpy(body + 4, &since, 4);
		else
			memcpy(body + 4, &next, 8);
		put_metadata(buffer, 5, body, w->version >= 5 ? 8 : 14);
		put(buffer, data, (size_t)size);
		return w->version >= 5 ? now + (uint64_t)since : now;
	case 3: /* typed event */
		memcpy(body, &size, 4);
		memcpy(body + 4, &since, 4);
		put_metadata(buffer, 8, body, 10);
		put(buffer, data, (size_t)size);
		return now + (uint64_t)since;
	default:
		return now;
	}
}

static uint64_t put_event(struct writer *w, struct image *buffer, const struct test_event *event,
			  uint64_t now)
{
	static const uint32_t kinds[] = {
		[LODE_CALL_ENTER] = 0, [LODE_CALL_EXIT] = 1, [LODE_CALL_EXIT_TAIL] = 2};
	uint64_t t = (uint64_t)event->t, argument = 0x0f0f0f0f0f0f0f0f;
	bool has_argument = event->kind == LODE_CALL_ENTER && test_random_below(w->random, 10) == 0;
	uint32_t words[2] = {(has_argument ? 3 : kinds[event->kind]) << 1 | event->function << 4};

	now = put_noise(w, buffer, now, t);
	if (t - now > UINT32_MAX || t < now) {
		put_metadata(buffer, 3, &t, 8);
		now = t;
	}
	words[1] = (uint32_t)(t - now);
	put(buffer, words, 8);
	if (has_argument)
		put_metadata(buffer, 6, &argument, 8);
	return t;
}

static void write_thread(struct writer *w, const struct test_thread *thread)
{
	size_t i = 0;

	w->wall_s = 1000;
	w->wall_us = test_random_below(w->random, 1000000);
	while (i < thread->events.n) {
		struct image *buffer = lode_vec_append_zero(&w->buffers);
		uint64_t now = (uint64_t)thread->events.at[i].t;
		size_t room = 100 + test_random_below(w->random, (uint32_t)w->buffer_bytes - 250);

		start_buffer(w, buffer, thread, now);
		for (; i < thread->events.n && buffer->bytes.n < room; i++)
			now = put_event(w, buffer, &thread->events.at[i], now);
	}
}

/* The file: buffers in no order, each with its extents, or padded to one size in version 1. */
static void assemble(struct writer *w, struct image *image)
{
	put_header(image, w->version, 1, w->hz, w->buffer_bytes);
	for (size_t i = w->buffers.n; i > 1; i--) {
		size_t k = test_random_below(w->random, (uint32_t)i);
		struct image swap = w->buffers.at[i - 1];

		w->buffers.at[i - 1] = w->buffers.at[k];
		w->buffers.at[k] = swap;
	}
	for (size_t i = 0; i < w->buffers.n; i++) {
		struct image *buffer = &w->buffers.at[i];
		uint64_t size = buffer->bytes.n;

		if (w->version == 1) {
			put_metadata(buffer, 1, &size, 0);
			assert_true(buffer->bytes.n <= w->buffer_bytes);
			while (buffer->bytes.n < w->buffer_bytes)
				put(buffer, "\x01garbage", 1);
		} else {
			put_metadata(image, 7, &size, 8);
		}
		put(image, buffer->bytes.at, buffer->bytes.n);
		if (w->version >= 3 && test_random_below(w->random, 8) == 0) {
			size = 0;
			put_metadata(image, 7, &size, 8); /* a buffer that was never used */
		}
	}
}

static void release_writer(struct writer *w)
{
	for (size_t i = 0; i < w->buffers.n; i++)
		lode_vec_release(&w->buffers.at[i].bytes);
	lode_vec_release(&w->buffers);
}

static uint64_t random_hz(struct test_random *random)
{
	static const uint64_t hz[] = {1000000000, 2596126000, 24000000, 3579545};

	return hz[test_random_below(random, 4)];
}

/* The trace that is expected: times in ns, threads as the version can tell them. */
static void to_ns(struct test_trace *trace, uint64_t hz, bool has_pids)
{
	for (size_t i = 0; i < trace->threads.n; i++) {
		if (!has_pids)
			trace->threads.at[i].pid = 0;
		for (size_t k = 0; k < trace->threads.at[i].events.n; k++) {
			struct test_event *event = &trace->threads.at[i].events.at[k];

			event->t = exact_ns((uint64_t)event->t, hz);
		}
	}
}

static const struct test_shape fdr_shape = {.max_threads = 5,
					    .max_events = 300,
					    .n_functions = 40,
					    .start = INT64_C(0x20000000000001),
					    .typical_gap = 3000,
					    .rare_gap = INT64_C(20000000000),
					    .has_tail_exits = true};

static void fdr_logs_of_all_versions_read_as_they_were_written(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		struct test_random random = {seed};
		struct writer w = {.random = &random, .hz = random_hz(&random)};
		struct test_shape shape = fdr_shape;
		struct test_collector collector;
		struct test_trace trace;
		struct image image = {0};
		struct lode_error err = {0};

		w.version = (uint16_t)(1 + seed % 5);
		w.buffer_bytes = 400 + test_random_below(&random, 4000);
		shape.is_open = seed % 3 == 0;
		test_trace_random(&trace, &shape, &random);
		for (size_t i = 0; i < trace.threads.n; i++)
			write_thread(&w, &trace.threads.at[i]);
		assemble(&w, &image);
		to_ns(&trace, w.hz, w.version >= 3);
		if (read_image(&collector, &image, 1 + seed % 3, &err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
		if (!test_trace_equal(&trace, &collector.trace))
			fail_msg("seed %llu: not what was written", (unsigned long long)seed);
		for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++)
			if (collector.losses.by_kind[k].count)
				fail_msg("seed %llu: %s", (unsigned long long)seed,
					 collector.losses.by_kind[k].detail);
		test_collector_release(&collector);
		test_trace_release(&trace);
		release_writer(&w);
		lode_vec_release(&image.bytes);
	}
}

/* ---- Buffers that are lost, or there twice ---- */

/* One thread, buffers of `per_buffer` events each; those with a bit in `kept` are written. */
static void write_buffers(struct writer *w, const struct test_thread *thread, size_t per_buffer,
			  uint64_t kept)
{
	for (size_t from = 0, b = 0; from < thread->events.n; from += per_buffer, b++) {
		uint64_t now = (uint64_t)thread->events.at[from].t;
		struct image unused = {0}, *buffer = &unused;

		if (kept >> (b % 64) & 1)
			buffer = lode_vec_append_zero(&w->buffers);
		start_buffer(w, buffer, thread, now);
		for (size_t i = from; i < from + per_buffer && i < thread->events.n; i++)
			now = put_event(w, buffer, &thread->events.at[i], now);
		lode_vec_release(&unused.bytes);
	}
}

/*
 * What is expected of kept buffers, by the rule as docs/formats/xray.md states it: a buffer that
 * leaves a function which is not open, while others that were open before it still are, comes after
 * a cut.
 */
static void expect_cuts(struct test_thread *want, const struct test_thread *thread,
			size_t per_buffer, uint64_t kept)
{
	uint32_t before[1024], own[1024];
	size_t n_before = 0;

	for (size_t from = 0, b = 0; from < thread->events.n; from += per_buffer, b++) {
		size_t end =
			from + per_buffer < thread->events.n ? from + per_buffer : thread->events.n;
		size_t n_own = 0, keep = n_before;
		bool is_cut = false, is_done = false;

		if (!(kept >> (b % 64) & 1))
			continue;
		for (size_t i = from; i < end; i++) {
			const struct test_event *event = &thread->events.at[i];
			size_t k = n_own;

			if (event->kind == LODE_CALL_ENTER) {
				own[n_own++] = event->function;
				continue;
			}
			while (k && own[k - 1] != event->function)
				k--;
			if (k) {
				n_own = k - 1;
				continue;
			}
			for (k = keep; k && before[k - 1] != event->function;)
				k--;
			if (keep == 0 || is_done || is_cut)
				is_done = true;
			else if (k)
				keep = k - 1;
			else
				is_cut = true;
		}
		if (is_cut) {
			struct test_event cut = {.t = thread->events.at[from].t,
						 .kind = LODE_CALL_CUT};

			lode_vec_append(&want->events, cut);
			keep = 0;
		}
		for (size_t i = from; i < end; i++)
			lode_vec_append(&want->events, thread->events.at[i]);
		memmove(before + keep, own, n_own * sizeof(*own));
		n_before = keep;
		n_before += n_own;
	}
}

static void lost_buffers_are_cuts_where_what_follows_contradicts(void **state)
{
	uint64_t n_cuts = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct test_random random = {seed};
		struct writer w = {
			.random = &random, .hz = 1000000000, .version = 5, .buffer_bytes = 100000};
		uint64_t kept = test_random_next(&random) | test_random_next(&random);
		struct test_collector collector;
		struct test_trace trace, want = {0};
		struct test_thread *expected;
		struct image image = {0};
		struct lode_error err = {0};
		struct test_shape shape = fdr_shape;
		size_t per_buffer = 3 + test_random_below(&random, 30);

		shape.max_threads = 1;
		kept |= 1; /* something */
		test_trace_random(&trace, &shape, &random);
		write_buffers(&w, &trace.threads.at[0], per_buffer, kept);
		assemble(&w, &image);
		expected = lode_vec_append_zero(&want.threads);
		expected->pid = expected->tid = 100;
		expect_cuts(expected, &trace.threads.at[0], per_buffer, kept);
		assert_int_equal(read_image(&collector, &image, 1, &err), 0);
		if (!test_trace_equal(&want, &collector.trace))
			fail_msg("seed %llu", (unsigned long long)seed);
		n_cuts += collector.losses.by_kind[LODE_LOSS_EVENTS].count;
		test_collector_release(&collector);
		test_trace_release(&trace);
		test_trace_release(&want);
		release_writer(&w);
		lode_vec_release(&image.bytes);
	}
	assert_true(n_cuts > 100);
}

static void a_buffer_that_is_there_twice_counts_once(void **state)
{
	struct test_random random = {5};
	struct writer w = {.random = &random, .hz = 1000000000, .version = 5, .buffer_bytes = 2000};
	struct test_collector collector;
	struct test_trace trace;
	struct image image = {0}, *copy;
	struct lode_error err = {0};

	(void)state;
	test_trace_random(&trace, &fdr_shape, &random);
	for (size_t i = 0; i < trace.threads.n; i++)
		write_thread(&w, &trace.threads.at[i]);
	copy = lode_vec_append_zero(&w.buffers);
	put(copy, w.buffers.at[0].bytes.at, w.buffers.at[0].bytes.n);
	assemble(&w, &image);
	assert_int_equal(read_image(&collector, &image, 2, &err), 0);
	assert_int_equal(collector.losses.by_kind[LODE_LOSS_DUPLICATE].count, 1);
	assert_true(test_trace_equal(&trace, &collector.trace));
	test_collector_release(&collector);
	test_trace_release(&trace);
	release_writer(&w);
	lode_vec_release(&image.bytes);
}

/* A log cut anywhere gives the events before the cut, says so, and never more than there are. */
static void a_log_that_ends_early_gives_what_is_there(void **state)
{
	struct test_random random = {6};
	struct writer w = {.random = &random, .hz = 1000000000, .version = 5, .buffer_bytes = 1000};
	struct test_shape shape = fdr_shape;
	struct test_trace trace;
	struct image image = {0};
	uint64_t n_before = 0;

	(void)state;
	shape.max_threads = 2;
	test_trace_random(&trace, &shape, &random);
	for (size_t i = 0; i < trace.threads.n; i++)
		write_thread(&w, &trace.threads.at[i]);
	assemble(&w, &image);
	for (size_t n = 40; n <= image.bytes.n; n++) {
		struct image part = {.bytes = {.at = image.bytes.at, .n = n}};
		struct test_collector collector;
		struct lode_error err = {0};
		int rc = read_image(&collector, &part, 1, &err);
		uint64_t n_cuts = collector.losses.by_kind[LODE_LOSS_EVENTS].count;
		uint64_t n_events = collector.n_events - (rc < 0 ? 0 : n_cuts);

		if (rc == 0)
			assert_true(n_events + 2 >= n_before);
		assert_true(rc == 0 || err.message[0]);
		n_before = n_events;
		test_collector_release(&collector);
	}
	test_trace_release(&trace);
	release_writer(&w);
	lode_vec_release(&image.bytes);
}

/* ---- Basic mode ---- */

static void put_basic(struct image *image, uint16_t version, const struct test_thread *thread,
		      const struct test_event *event, struct test_random *random)
{
	static const uint8_t kinds[] = {
		[LODE_CALL_ENTER] = 0, [LODE_CALL_EXIT] = 1, [LODE_CALL_EXIT_TAIL] = 2};
	bool has_argument = event->kind == LODE_CALL_ENTER && test_random_below(random, 10) == 0;
	uint8_t record[32] = {0, 0, 7, has_argument ? 3 : kinds[event->kind]};
	uint8_t argument[32] = {1};

	memcpy(record + 4, &event->function, 4);
	memcpy(record + 8, &event->t, 8);
	memcpy(record + 16, &thread->tid, 4);
	if (version >= 3)
		memcpy(record + 20, &thread->pid, 4);
	else
		memset(record + 20, 0xaa, 12);
	put(image, record, sizeof(record));
	memcpy(argument + 4, &event->function, 4);
	if (has_argument)
		put(image, argument, sizeof(argument));
}

static void basic_logs_of_all_versions_read_as_they_were_written(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random random = {seed};
		uint16_t version = (uint16_t)(1 + seed % 3);
		uint64_t hz = random_hz(&random);
		struct test_shape shape = fdr_shape;
		struct test_collector collector;
		struct test_trace trace;
		struct image image = {0};
		struct lode_error err = {0};
		size_t next[8] = {0};
		bool is_more = true;

		shape.is_open = true;
		test_trace_random(&trace, &shape, &random);
		put_header(&image, version, 0, hz, 0);
		while (is_more) { /* threads append their buffers in turn */
			is_more = false;
			for (size_t i = 0; i < trace.threads.n; i++) {
				const struct test_thread *thread = &trace.threads.at[i];
				size_t n = test_random_below(&random, 50);

				for (; n && next[i] < thread->events.n; n--)
					put_basic(&image, version, thread,
						  &thread->events.at[next[i]++], &random);
				is_more = is_more || next[i] < thread->events.n;
			}
		}
		to_ns(&trace, hz, version >= 3);
		if (read_image(&collector, &image, 1, &err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
		if (!test_trace_equal(&trace, &collector.trace))
			fail_msg("seed %llu: not what was written", (unsigned long long)seed);
		test_collector_release(&collector);
		test_trace_release(&trace);
		lode_vec_release(&image.bytes);
	}
}

static void what_is_no_log_is_refused_with_a_reason(void **state)
{
	struct test_collector collector;
	struct lode_error err = {0};
	struct image image = {0};

	(void)state;
	put_header(&image, 5, 1, 1000000000, 4096);
	assert_int_equal(read_image(&collector, &image, 1, &err), LODE_ERR_FORMAT);
	assert_non_null(strstr(err.message, "no function entry or exit"));
	test_collector_release(&collector);
	image.bytes.n = 0;
	put_header(&image, 3, 0, 1000000000, 0);
	assert_int_equal(read_image(&collector, &image, 1, &err), LODE_ERR_FORMAT);
	assert_non_null(strstr(err.message, "no records of calls"));
	test_collector_release(&collector);
	image.bytes.n = 0;
	put_header(&image, 9, 1, 1000000000, 4096);
	assert_int_equal(read_image(&collector, &image, 1, &err), LODE_ERR_FORMAT);
	test_collector_release(&collector);
	lode_vec_release(&image.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_exact_nanoseconds_at_any_frequency),
		cmocka_unit_test(fdr_logs_of_all_versions_read_as_they_were_written),
		cmocka_unit_test(lost_buffers_are_cuts_where_what_follows_contradicts),
		cmocka_unit_test(a_buffer_that_is_there_twice_counts_once),
		cmocka_unit_test(a_log_that_ends_early_gives_what_is_there),
		cmocka_unit_test(basic_logs_of_all_versions_read_as_they_were_written),
		cmocka_unit_test(what_is_no_log_is_refused_with_a_reason),
	};
	int failed;

	scratch_make(&scratch);
	path = scratch_path(&scratch, "xray.log");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&scratch);
	return failed;
}
