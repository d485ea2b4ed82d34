/* answers/timeline/window_walk: it gives the windows that looking at every one gives, and visits no
   more than the calls ask for, however long nothing is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cases.h"
#include "answers/timeline/views.h"
#include "answers/timeline/window_walk.h"
#include "unit/model/random_calls.h"

/* Of the case at hand; checks name it. */
static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

struct starts {
	LODE_VEC(int64_t) at; /* of all calls, in order */
};

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void find_starts(struct starts *out, const struct random_trace *random)
{
	for (size_t i = 0; i < random->n_threads; i++) {
		struct plain_thread plain;

		plain_pair(&plain, &random->threads[i]);
		for (size_t k = 0; k < plain.calls.n; k++)
			lode_vec_append(&out->at, plain.calls.at[k].start);
		lode_vec_release(&plain.calls);
	}
	if (out->at.n)
		qsort(out->at.at, out->at.n, sizeof(*out->at.at), compare_times);
}

/* ---- Oracles ---- */

/* The definition: every window of the level, one after the other. */
static struct lode_walk_window nth(const struct lode_call_trace *trace, int64_t n, int64_t i)
{
	__int128 length = (__int128)trace->last_ns + 1 - trace->first_ns;

	return (struct lode_walk_window){
		.t0_ns = trace->first_ns + (int64_t)(length * i / n),
		.t1_ns = trace->first_ns + (int64_t)(length * (i + 2) / n),
	};
}

static uint64_t count(const struct starts *starts, const struct lode_walk_window *w)
{
	uint64_t n = 0;

	for (size_t i = 0; i < starts->at.n; i++)
		n += starts->at.at[i] >= w->t0_ns && starts->at.at[i] < w->t1_ns;
	return n;
}

static bool is_same(const struct lode_walk_window *a, const struct lode_walk_window *b)
{
	return a->t0_ns == b->t0_ns && a->t1_ns == b->t1_ns && a->n_calls == b->n_calls;
}

/* Every window, and from now on only those that end behind a time, as who knows some asks. */
static void check_all(struct lode_call_trace *trace, const struct starts *starts, int64_t n,
		      struct test_random *random)
{
	unsigned passes = test_random_below(random, 2) ? test_random_below(random, 40) : 0;
	struct lode_window_walk walk;
	struct lode_walk_window got;
	int64_t behind = INT64_MIN;

	lode_window_walk_init(&walk, trace, n);
	for (int64_t i = 0; i + 2 <= n; i++) {
		struct lode_walk_window want = nth(trace, n, i);

		want.n_calls = count(starts, &want);
		if (!want.n_calls || want.t1_ns <= behind)
			continue;
		CHECK(lode_window_walk_next(&walk, &got, NULL) == 1);
		CHECK(is_same(&got, &want));
		if (test_random_below(random, 100) >= passes)
			continue;
		behind = want.t1_ns + test_random_below(random, 1000);
		lode_window_walk_pass(&walk, behind);
	}
	CHECK(lode_window_walk_next(&walk, &got, NULL) == 0);
	CHECK(walk.n_visited <= 4 * starts->at.n + 1);
	lode_window_walk_release(&walk);
}

/* Where there are too many to look at: windows rise, each is of the level, and together they have
   each call once or twice, as its step has it. */
static void check_sums(struct lode_call_trace *trace, const struct starts *starts, int64_t n)
{
	struct lode_walk_window got, before = {.t0_ns = INT64_MIN};
	struct lode_window_walk walk;
	uint64_t sum = 0, once = 0;
	int rc;

	lode_window_walk_init(&walk, trace, n);
	while ((rc = lode_window_walk_next(&walk, &got, NULL)) > 0) {
		CHECK(got.t0_ns > before.t0_ns && got.t1_ns > got.t0_ns);
		CHECK(got.n_calls == count(starts, &got));
		sum += got.n_calls;
		before = got;
	}
	CHECK(rc == 0);
	/* All are in two windows but for those of the first and of the last step. */
	for (size_t i = 0; i < starts->at.n; i++)
		once += starts->at.at[i] < nth(trace, n, 1).t0_ns ||
			starts->at.at[i] >= nth(trace, n, n - 1).t0_ns;
	CHECK(sum == 2 * starts->at.n - once);
	CHECK(walk.n_visited <= 4 * starts->at.n + 1);
	lode_window_walk_release(&walk);
}

/* ---- Cases ---- */

static void check_case(struct test_random *random, int64_t long_step, unsigned last_level)
{
	const struct random_options options = {
		.max_events = 1 + test_random_below(random, 100),
		.depth = 1 + test_random_below(random, 5),
		.long_step = long_step,
	};
	struct random_trace made;
	struct lode_call_trace *trace;
	struct starts starts = {0};

	random_trace_make(&made, random, &options);
	trace = random_trace_intake(&made, 1, 1 + test_random_below(random, 4));
	find_starts(&starts, &made);
	for (unsigned level = 1; level <= last_level && starts.at.n; level++) {
		int64_t n = (int64_t)2 << 2 * level;

		if (trace->last_ns - trace->first_ns + 1 < n)
			break;
		if (level <= 4)
			check_all(trace, &starts, n, random);
		check_sums(trace, &starts, n);
	}
	lode_vec_release(&starts.at);
	lode_call_trace_free(trace);
	random_trace_release(&made);
}

static void the_walk_gives_every_window_with_calls(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct test_random random = {seed};

		check_case(&random, 1 + test_random_below(&random, 20000), 5);
	}
}

/* Up to years between two calls: 2^61 windows in the deepest level. */
static void the_walk_follows_the_calls_whatever_lies_between_them(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct test_random random = {seed};

		check_case(&random, UINT32_MAX, 30);
	}
}

/* Two bursts an hour apart: windows down to single calls of both, and few are looked at. */
static void a_page_of_two_bursts_visits_few_windows(void **state)
{
	const int64_t hour = 3600000000000;
	struct random_trace made = {.n_threads = 1, .n_functions = 1};
	struct lode_regtime_options regtime = lode_regtime_defaults();
	const struct lode_timeline_views_options options = {
		.regtime = &regtime,
		.whole_budget = LODE_VIEWS_WHOLE_BUDGET,
		.meanwhile_bytes = LODE_VIEWS_MEANWHILE_BYTES,
		.page_bytes = LODE_VIEWS_PAGE_BYTES,
	};
	struct lode_timeline_job job = {.n_threads = 1};
	struct lode_timeline_views views;
	struct lode_error err;
	bool is_single[2] = {false, false};

	(void)state;
	for (int64_t i = 0; i < 2000; i++) {
		int64_t t = i * 1000 + (i < 1000 ? 0 : hour);

		lode_vec_append(&made.threads[0].events,
				((struct lode_call_event){.t_ns = t, .kind = LODE_CALL_ENTER}));
		lode_vec_append(&made.threads[0].events,
				((struct lode_call_event){.t_ns = t + 500 + i % 7,
							  .kind = LODE_CALL_EXIT}));
	}
	job.trace = random_trace_intake(&made, 1, 0);
	assert_int_equal(lode_timeline_job_compress(&job, &regtime, &err), LODE_OK);
	assert_int_equal(lode_timeline_views_make(&views, &job, &options, &err), LODE_OK);
	for (size_t i = 0; i < views.windows.n; i++) {
		const struct lode_timeline_view *w = &views.windows.at[i];

		is_single[0] |= w->is_single && w->t1_ns < hour / 2;
		is_single[1] |= w->is_single && w->t0_ns > hour / 2;
	}
	assert_true(is_single[0] && is_single[1]);
	assert_true(views.n_visited < (uint64_t)2000);
	lode_timeline_views_release(&views);
	lode_timeline_job_release(&job);
	random_trace_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_walk_gives_every_window_with_calls),
		cmocka_unit_test(the_walk_follows_the_calls_whatever_lies_between_them),
		cmocka_unit_test(a_page_of_two_bursts_visits_few_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
