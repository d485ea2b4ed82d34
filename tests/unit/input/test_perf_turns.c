/* The perf source: two events of one tracepoint, of which each has its turn, are read as one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "input/formats/perf/perf_abi.h"
#include "random.h"
#include "unit/input/perf_image.h"

enum { TURN_CPUS = 2, TURN_THREADS = 4 };

/* A switch or waking by event `which` of two for the same tracepoint. */
static void put_turn(struct perf_image *image, int which, bool is_switch,
		     struct perf_image_sample *s, uint64_t time)
{
	s->time = time;
	perf_put_sample(&image->records, &image->events.at[1 + 2 * which + !is_switch], s, 0);
}

/* Random switches and wakings; from `from` on event 1 is on, event 0 until `to`. */
static void turns_image(struct perf_image *image, uint32_t seed, uint64_t from, uint64_t to)
{
	static const uint64_t chain[] = {PERF_CONTEXT_USER, 0x401000, 0x401100};
	struct test_random random = {seed};
	int32_t current[TURN_CPUS] = {0}, woken[TURN_CPUS] = {0};

	memset(image, 0, sizeof(*image));
	lode_vec_append(&image->events, perf_image_clock());
	lode_vec_append(&image->events,
			perf_image_trace(PERF_TRACE_SWITCH, 12, "sched:sched_switch"));
	lode_vec_append(&image->events,
			perf_image_trace(PERF_TRACE_WAKING, 13, "sched:sched_waking"));
	lode_vec_append(&image->events, perf_image_trace(PERF_TRACE_SWITCH, 14, "switch-dumps"));
	lode_vec_append(&image->events, perf_image_trace(PERF_TRACE_WAKING, 15, "waking-dumps"));
	perf_image_trace_formats(image);
	for (uint64_t t = 1000; t < 100000; t += 1000) {
		uint32_t cpu = test_random_below(&random, TURN_CPUS);
		bool is_switch = test_random_below(&random, 3) > 0, is_first_1;
		int32_t next = 100 + (int32_t)(cpu * TURN_THREADS) +
			       (int32_t)test_random_below(&random, TURN_THREADS);
		struct perf_image_sample s = {.pid = current[cpu],
					      .tid = current[cpu],
					      .cpu = cpu,
					      .chain = chain,
					      .n_chain = 3};
		uint64_t later = t + 1 + test_random_below(&random, 500);
		uint8_t raw[64];

		is_first_1 = test_random_below(&random, 2);
		if (is_switch && next == current[cpu])
			next = 0;
		/* One thread woken twice in a row may lose the first where the turn is between. */
		if (!is_switch && next == woken[cpu])
			continue;
		if (is_switch)
			perf_switch_payload(raw, current[cpu], "t", 1, next, "t");
		else
			perf_waking_payload(raw, 0, next, "t");
		s.raw = raw;
		s.raw_bytes = is_switch ? 64 : 40;
		if (t < to && t >= from) {
			put_turn(image, is_first_1, is_switch, &s, t);
			put_turn(image, !is_first_1, is_switch, &s, later);
		} else {
			put_turn(image, t >= from, is_switch, &s, t);
		}
		*(is_switch ? &current[cpu] : &woken[cpu]) = next;
	}
	perf_put_record(&image->records, LODE_PERF_FINISHED_ROUND, 0, NULL, 0);
}

static void compare_streams(const struct lode_stream *a, const struct lode_stream *b)
{
	assert_int_equal(a->threads.n, b->threads.n);
	for (size_t i = 0; i < a->threads.n; i++) {
		const struct lode_events *x = &a->threads.at[i].events;
		const struct lode_events *y = &b->threads.at[i].events;

		assert_int_equal(x->n, y->n);
		assert_memory_equal(x->kind, y->kind, x->n * sizeof(*x->kind));
		assert_memory_equal(x->start_ns, y->start_ns, x->n * sizeof(*x->start_ns));
		assert_memory_equal(x->cost_ns, y->cost_ns, x->n * sizeof(*x->cost_ns));
		assert_memory_equal(x->other, y->other, x->n * sizeof(*x->other));
	}
	for (int kind = 0; kind < LODE_N_LOSS_KINDS; kind++)
		assert_int_equal(a->losses.by_kind[kind].count, b->losses.by_kind[kind].count);
}

/* Call chains, then stack dumps: for a moment both are on, and each switch comes twice. */
static void test_events_that_take_turns_are_one(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 100; seed++) {
		uint64_t from = 20000 + 1000 * (seed % 40);
		struct lode_stream *one, *two;
		struct perf_image image;

		turns_image(&image, seed, UINT64_MAX, UINT64_MAX);
		one = perf_image_load(&image);
		perf_image_release(&image);
		turns_image(&image, seed, from, seed % 4 ? from + 500 * (seed % 30) : UINT64_MAX);
		two = perf_image_load(&image);
		perf_image_release(&image);
		compare_streams(one, two);
		lode_stream_free(one);
		lode_stream_free(two);
	}
}

/* Thread 200 is woken by 100, then by a timer that interrupts 100, each by an event of its own. */
static void put_two_wakings(struct perf_image *image)
{
	static const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000100};
	struct perf_image_sample s = {.chain = chain, .n_chain = 2};
	uint8_t raw[64];

	s.raw = raw;
	for (uint64_t i = 0; i < 2; i++) {
		s.cpu = 1;
		s.pid = s.tid = 200;
		s.raw_bytes = 64;
		s.time = 2000 + 2000 * i;
		perf_switch_payload(raw, 200, "other", 1, 0, "swapper/1");
		perf_put_sample(&image->records, &image->events.at[1], &s, 0);
		s.cpu = 0;
		s.pid = s.tid = 100;
		s.raw_bytes = 40;
		s.time += 1000;
		perf_waking_payload(raw, i ? 0x08 : 0, 200, "other");
		perf_put_sample(&image->records, &image->events.at[3 + i], &s, 0);
		s.cpu = 1;
		s.pid = s.tid = 0;
		s.raw_bytes = 64;
		s.time += 100;
		perf_switch_payload(raw, 0, "swapper/1", 0, 200, "other");
		perf_put_sample(&image->records, &image->events.at[2], &s, 0);
	}
}

/* lode record takes stacks of some switches and wakings only: that makes two events of each. */
static void test_events_that_share_a_tracepoint_are_all_there(void **state)
{
	struct perf_image image = {0};
	struct lode_stream *stream;
	const struct lode_events *e;
	size_t n = 0;

	(void)state;
	lode_vec_append(&image.events, perf_image_clock());
	lode_vec_append(&image.events,
			perf_image_trace(PERF_TRACE_SWITCH, 12, "sched:sched_switch"));
	lode_vec_append(&image.events,
			perf_image_trace(PERF_TRACE_SWITCH, 13, "sched:sched_switch"));
	lode_vec_append(&image.events,
			perf_image_trace(PERF_TRACE_WAKING, 14, "sched:sched_waking"));
	lode_vec_append(&image.events,
			perf_image_trace(PERF_TRACE_WAKING, 15, "sched:sched_waking"));
	perf_image_trace_formats(&image);
	put_two_wakings(&image);
	perf_put_record(&image.records, LODE_PERF_FINISHED_ROUND, 0, NULL, 0);
	stream = perf_image_load(&image);
	perf_image_release(&image);
	e = &perf_image_thread(stream, 200)->events;
	for (size_t i = 0; i < e->n; i++) {
		if (e->kind[i] != LODE_EVENT_WAITING)
			continue;
		assert_int_equal(e->start_ns[i], 2000 + 2000 * n);
		assert_int_equal(e->cost_ns[i], 1000);
		assert_int_equal(e->other[i] == LODE_NONE, n == 1);
		assert_int_equal(e->device[i] == LODE_DEVICE_NONE, n == 0);
		n++;
	}
	assert_int_equal(n, 2);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_that_take_turns_are_one),
		cmocka_unit_test(test_events_that_share_a_tracepoint_are_all_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
