/* model/call_clocks.h: which threads' times can be compared, by the rule word by word. */
#include "model/call_clocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/call_cursor.h"
#include "model/call_intake.h"
#include "cases.h"
#include "random.h"

/* Of the case at hand; checks name it. */
static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

struct lives {
	size_t n;
	int64_t first_ns[12], last_ns[12];
};

static int read_lives(void *context, struct lode_call_sink *sink, struct lode_error *err)
{
	const struct lives *lives = context;

	(void)err;
	sink->function(sink->context, NULL, "f");
	for (size_t i = 0; i < lives->n; i++) {
		uint32_t thread = sink->thread(sink->context, 1, (int32_t)i, NULL);
		const struct lode_call_event events[] = {
			{.t_ns = lives->first_ns[i], .kind = LODE_CALL_ENTER},
			{.t_ns = lives->last_ns[i], .kind = LODE_CALL_EXIT}};

		sink->events(sink->context, thread, events, 2, NULL);
	}
	return LODE_OK;
}

/* The rule, word by word: whether some time between all threads parts two from each other. */
static bool are_parted(const struct lives *lives, size_t a, size_t b)
{
	__int128 covered = 0;
	int64_t from, to;

	if (lives->first_ns[a] > lives->first_ns[b])
		return are_parted(lives, b, a);
	/* what is covered: each thread's part that no earlier thread has */
	for (size_t i = 0; i < lives->n; i++) {
		from = lives->first_ns[i];
		for (size_t k = 0; k < lives->n; k++)
			if ((lives->first_ns[k] < lives->first_ns[i] ||
			     (lives->first_ns[k] == lives->first_ns[i] && k < i)) &&
			    lives->last_ns[k] > from)
				from = lives->last_ns[k];
		covered += lives->last_ns[i] > from ? lives->last_ns[i] - from : 0;
	}
	/* each time that a thread ends: what begins next behind it, with nobody alive between */
	for (size_t i = 0; i < lives->n; i++) {
		bool is_free = true;

		from = lives->last_ns[i];
		to = INT64_MAX;
		for (size_t k = 0; k < lives->n; k++) {
			if (lives->first_ns[k] > from && lives->first_ns[k] < to)
				to = lives->first_ns[k];
			is_free &= lives->first_ns[k] > from || lives->last_ns[k] <= from;
		}
		if (is_free && to != INT64_MAX && to - from > LODE_CALL_CLOCK_GAP_NS &&
		    to - from > covered * LODE_CALL_CLOCK_TIMES && lives->first_ns[a] <= from &&
		    lives->first_ns[b] >= to)
			return true;
	}
	return false;
}

static void check_clocks(struct lives *lives)
{
	struct lode_call_intake_options options = {.n_threads = 1};
	struct lode_call_trace *trace;

	CHECK(lode_call_intake(&trace, "lives", read_lives, lives, &options, NULL) == 0);
	CHECK(trace->threads.n == lives->n);
	for (size_t i = 0; i < lives->n; i++) {
		const struct lode_call_thread *thread = trace->threads.at[i];
		struct lode_call_cursor cursor;

		for (size_t k = 0; k < lives->n; k++)
			CHECK(are_parted(lives, i, k) ==
			      (thread->clock != trace->threads.at[k]->clock));
		lode_call_cursor_init(&cursor, trace, thread);
		CHECK(lode_call_at(&cursor, 0)->start_ns == thread->first_ns);
		CHECK(lode_call_recorded_ns(trace, thread, thread->first_ns) == lives->first_ns[i]);
		CHECK(lode_call_recorded_ns(trace, thread, thread->last_ns) == lives->last_ns[i]);
		CHECK(thread->first_ns >= trace->first_ns && thread->last_ns <= trace->last_ns);
		lode_call_cursor_release(&cursor);
	}
	CHECK(trace->losses.by_kind[LODE_LOSS_CLOCKS].count == trace->clocks.n - 1);
	lode_call_trace_free(trace);
}

static void threads_are_on_one_clock_unless_the_rule_parts_them(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct test_random random = {seed};
		struct lives lives = {.n = 1 + test_random_below(&random, 12)};

		for (size_t i = 0; i < lives.n; i++) {
			int64_t step = (int64_t)1 << test_random_below(&random, 48);

			lives.first_ns[i] = (int64_t)test_random_below(&random, 3000) * step;
			lives.last_ns[i] =
				lives.first_ns[i] + ((int64_t)1 << test_random_below(&random, 45));
		}
		check_clocks(&lives);
	}
}

static void a_thread_that_begins_later_is_on_the_same_clock(void **state)
{
	const int64_t s = 1000000000, hour = 3600 * s, day = 24 * hour;
	struct lives an_hour = {2, {0, hour}, {5000000, hour + 1000}};
	struct lives days = {2, {0, 3 * day}, {hour, 3 * day + hour}};
	struct lives machines = {2, {0, 520 * day}, {31 * s, 520 * day + 396 * s}};
	struct lode_call_intake_options options = {.n_threads = 1};
	struct lives *all[] = {&an_hour, &days, &machines};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct lode_call_trace *trace;

		assert_int_equal(
			lode_call_intake(&trace, "lives", read_lives, all[i], &options, NULL), 0);
		assert_int_equal(trace->clocks.n, i == 2 ? 2 : 1);
		lode_call_trace_free(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_on_one_clock_unless_the_rule_parts_them),
		cmocka_unit_test(a_thread_that_begins_later_is_on_the_same_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
