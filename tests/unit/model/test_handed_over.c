/* model/handed_over.h: cases, and random threads against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/handed_over.h"
#include "unit/engine/random_stream.h"
#include "cases.h"
#include "random.h"

enum { WAITER, HOLDER, OTHER, N_THREADS };

static struct lode_stream *new_stream(void)
{
	static const char *const comms[N_THREADS] = {"waiter", "holder", "other"};

	return stream_of_threads(comms, N_THREADS);
}

static uint32_t add_lock_wait(struct lode_stream *stream, lode_thread_id thread, int64_t start_ns,
			      int64_t end_ns, lode_thread_id by)
{
	struct lode_events *e = &stream->threads.at[thread].events;

	add_wait(stream, thread, start_ns, end_ns, "take_lock", by,
		 by == LODE_NONE ? LODE_DEVICE_TIMER : LODE_DEVICE_NONE);
	e->reason[e->n - 1] = LODE_REASON_LOCK;
	return (uint32_t)e->n - 1;
}

static bool by_timer(const void *context, const struct lode_events *e, uint32_t wait)
{
	(void)context;
	return e->other[wait] == LODE_NONE && e->device[wait] == LODE_DEVICE_TIMER;
}

/* The waiter's wait from 1,000 to 2,000 times out, and it wakes `woken` at 2,200; the holder works
   from `from_ns` to `to_ns`, and waits until then. Whose wait is it? */
static lode_thread_id found(lode_thread_id woken, int64_t from_ns, int64_t to_ns, int32_t pid)
{
	struct lode_stream *stream = new_stream();
	const struct lode_events *e = &stream->threads.at[WAITER].events;
	lode_thread_id other;

	stream->threads.at[HOLDER].pid = pid;
	add_run(stream, WAITER, 0, 1000, "work");
	add_lock_wait(stream, WAITER, 1000, 2000, LODE_NONE);
	add_run(stream, WAITER, 2000, 2400, "work");
	add_run(stream, HOLDER, from_ns, to_ns, "stats");
	add_lock_wait(stream, HOLDER, to_ns, 2300, WAITER);
	add_lock_wait(stream, OTHER, 0, 2200, woken == OTHER ? WAITER : LODE_NONE);
	lode_stream_find_holders(stream, by_timer, NULL);
	other = e->other[1];
	if (other != LODE_NONE) {
		assert_int_equal(e->device[1], LODE_DEVICE_NONE);
		assert_int_equal(e->other_stack[1], stream->threads.at[HOLDER].events.stack[1]);
	}
	lode_stream_free(stream);
	return other;
}

static void test_whom_the_waiter_wakes_held_the_lock(void **state)
{
	(void)state;
	assert_int_equal(found(HOLDER, 0, 2100, 100), HOLDER);
	assert_int_equal(found(HOLDER, 1100, 1900, 100), LODE_NONE); /* not at work for a tenth */
	assert_int_equal(found(HOLDER, 0, 1800, 100), LODE_NONE);    /* let go before */
	assert_int_equal(found(HOLDER, 0, 2100, 7), LODE_NONE);	     /* of another process */
	assert_int_equal(found(OTHER, 0, 2100, 100), LODE_NONE);     /* woke another one first */
}

/* ---- Random threads ---- */

static struct lode_stream *random_threads(struct test_random *random)
{
	struct lode_stream *stream = new_stream();

	for (lode_thread_id t = 0; t < N_THREADS; t++) {
		int64_t at = test_random_below(random, 5);

		stream->threads.at[t].pid = test_random_below(random, 5) ? 100 : 7;
		for (int i = 0; i < 8; i++) {
			int64_t length = 1 + test_random_below(random, 30);
			lode_thread_id by = test_random_below(random, 4);

			add_run(stream, t, at, at + length, "work");
			at += length;
			length = 1 + test_random_below(random, 20);
			add_lock_wait(stream, t, at, at + length, by < N_THREADS ? by : LODE_NONE);
			at += length;
		}
	}
	return stream;
}

/* Was the thread off its waits for nine tenths of [from, to)? */
static bool was_at_work(const struct lode_events *e, int64_t from_ns, int64_t to_ns)
{
	int64_t n = 0;

	for (int64_t t = from_ns; t < to_ns; t++)
		for (size_t i = 0; i < e->n; i++)
			n += e->kind[i] != LODE_EVENT_WAITING && t >= e->start_ns[i] &&
			     t < lode_event_end_ns(e, i);
	return n >= to_ns - from_ns - (to_ns - from_ns) / 10;
}

static lode_thread_id oracle(const struct lode_stream *stream, lode_thread_id waiter, uint32_t wait)
{
	const struct lode_events *e = &stream->threads.at[waiter].events;
	int64_t end_ns = lode_event_end_ns(e, wait), first_ns = INT64_MAX,
		length = e->cost_ns[wait];
	int64_t again_ns = wait + 2 < e->n ? e->start_ns[wait + 2] : INT64_MAX;
	lode_thread_id holder = LODE_NONE;

	if (e->kind[wait] != LODE_EVENT_WAITING || e->other[wait] != LODE_NONE)
		return e->other[wait];
	for (lode_thread_id t = 0; t < N_THREADS; t++) {
		const struct lode_events *of = &stream->threads.at[t].events;

		for (size_t i = 0; i < of->n; i++) {
			int64_t woken_ns = lode_event_end_ns(of, i);

			if (of->kind[i] != LODE_EVENT_WAITING || of->other[i] != waiter ||
			    woken_ns < end_ns || woken_ns >= first_ns)
				continue;
			first_ns = woken_ns;
			holder = t != waiter && woken_ns <= again_ns &&
						 stream->threads.at[t].pid ==
							 stream->threads.at[waiter].pid &&
						 of->start_ns[i] >= end_ns - length / 10 &&
						 was_at_work(of, e->start_ns[wait], end_ns)
					 ? t
					 : LODE_NONE;
		}
	}
	return holder;
}

static void test_random_threads_are_as_the_definition_says(void **state)
{
	size_t n_found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct test_random random = {seed}, again = {seed};
		struct lode_stream *stream = random_threads(&random), *was = random_threads(&again);

		lode_stream_find_holders(stream, by_timer, NULL);
		for (lode_thread_id t = 0; t < N_THREADS; t++)
			for (uint32_t i = 0; i < stream->threads.at[t].events.n; i++) {
				assert_int_equal(stream->threads.at[t].events.other[i],
						 oracle(was, t, i));
				n_found += stream->threads.at[t].events.other[i] !=
					   was->threads.at[t].events.other[i];
			}
		lode_stream_free(stream);
		lode_stream_free(was);
	}
	assert_true(n_found > TEST_CASES(3000) / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whom_the_waiter_wakes_held_the_lock),
		cmocka_unit_test(test_random_threads_are_as_the_definition_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
