/* answers/timeline: windows hold what the calls say, own times are exact,
   and the readable axis never runs backwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/regtime/regtime.h"
#include "answers/timeline/views.h"
#include "unit/model/random_calls.h"
#include "cases.h"

/* Of the case at hand; checks name it. */
static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

struct fixture {
	struct random_trace random;
	struct lode_timeline_job job;
	struct lode_regtime_options options;
	struct plain_thread plain[RANDOM_MAX_THREADS];
};

static bool setup(struct fixture *f, struct test_random *random)
{
	const struct random_options options = {
		.max_events = 1 + test_random_below(random, 120),
		.depth = 1 + test_random_below(random, 6),
		.faults = test_random_below(random, 2) ? test_random_below(random, 20) : 0,
		.long_step = 1 + test_random_below(random, 100000),
	};
	struct lode_error err;

	memset(f, 0, sizeof(*f));
	random_trace_make(&f->random, random, &options);
	f->job.trace = random_trace_intake(&f->random, 1, 1 + test_random_below(random, 4));
	f->job.n_threads = 1 + test_random_below(random, 2);
	f->options = lode_regtime_defaults();
	f->options.long_call = LODE_REGTIME_SHARE(test_random_below(random, 200) / 1000.0);
	f->options.gap = LODE_REGTIME_SHARE(test_random_below(random, 100) / 1000.0);
	f->options.negligible = LODE_REGTIME_SHARE(test_random_below(random, 100) / 1000.0);
	for (size_t i = 0; i < f->random.n_threads; i++)
		plain_pair(&f->plain[i], &f->random.threads[i]);
	if (!f->job.trace->n_calls)
		return false;
	CHECK(lode_timeline_job_compress(&f->job, &f->options, &err) == LODE_OK);
	return true;
}

static void teardown(struct fixture *f)
{
	for (size_t i = 0; i < f->random.n_threads; i++)
		lode_vec_release(&f->plain[i].calls);
	lode_timeline_job_release(&f->job);
	random_trace_release(&f->random);
}

/* Threads have the tids 100, 99, ... (random_calls.c). */
static const struct plain_thread *plain_of(const struct fixture *f,
					   const struct lode_call_thread *thread)
{
	return &f->plain[100 - thread->tid];
}

static int64_t plain_own(const struct plain_thread *plain, size_t call)
{
	int64_t ns = plain->calls.at[call].end - plain->calls.at[call].start;

	for (size_t i = 0; i < plain->calls.n; i++)
		if (plain->calls.at[i].caller == call)
			ns -= plain->calls.at[i].end - plain->calls.at[i].start;
	return ns;
}

/* Calls kept one by one, in order: those of [t0, t1), with their own times. */
static void check_single(const struct lode_regtime_thread *got, const struct plain_thread *plain,
			 int64_t t0, int64_t t1)
{
	int64_t *own = lode_alloc0(got->items.n + 1, sizeof(*own));
	size_t k = 0;

	lode_regtime_own(own, got);
	for (size_t i = 0; i < plain->calls.n; i++) {
		const struct plain_call *call = &plain->calls.at[i];

		if (call->start >= t1 || (call->start < t0 && call->end <= t0))
			continue;
		while (k < got->items.n && got->items.at[k].kind == LODE_REGTIME_GAP)
			k++;
		CHECK(k < got->items.n && got->items.at[k].kind == LODE_REGTIME_CALL);
		CHECK(got->items.at[k].start_ns == call->start);
		CHECK(got->items.at[k].end_ns == call->end);
		CHECK(got->items.at[k].depth == call->depth);
		if (call->start < t0 || call->end > t1)
			CHECK(own[k] == LODE_OWN_UNKNOWN);
		else
			CHECK(own[k] == plain_own(plain, i));
		k++;
	}
	while (k < got->items.n && got->items.at[k].kind == LODE_REGTIME_GAP)
		k++;
	CHECK(k == got->items.n);
	free(own);
}

static void check_window(const struct fixture *f, struct test_random *random)
{
	const struct lode_call_trace *trace = f->job.trace;
	uint32_t length = (uint32_t)(trace->last_ns - trace->first_ns + 1);
	struct lode_timeline_window_query query = {.detail = test_random_below(random, 5),
						   .single_calls = test_random_below(random, 60)};
	struct lode_regtime *window;
	struct lode_error err;

	query.t0_ns = trace->first_ns + test_random_below(random, length);
	query.t1_ns = query.t0_ns + 1 + test_random_below(random, length);
	CHECK(lode_timeline_window(&window, f->job.trace, &f->options, &query, &err) == LODE_OK);
	for (size_t i = 0; i < window->n_threads; i++) {
		const struct lode_regtime_thread *got = &window->threads[i];
		const struct plain_thread *plain = plain_of(f, got->thread);

		CHECK(got->is_single == (got->n_calls <= query.single_calls));
		if (got->is_single)
			check_single(got, plain, query.t0_ns, query.t1_ns);
	}
	lode_regtime_free(window);
}

static void check_own_of_whole(const struct fixture *f)
{
	for (size_t i = 0; i < f->job.regtime->n_threads; i++) {
		const struct lode_regtime_thread *got = &f->job.regtime->threads[i];
		const struct plain_thread *plain = plain_of(f, got->thread);
		int64_t *own = lode_alloc0(got->items.n + 1, sizeof(*own));
		size_t call = 0;

		lode_regtime_own(own, got);
		for (size_t k = 0; k < got->items.n; k++) {
			const struct lode_regtime_item *item = &got->items.at[k];

			if (item->kind != LODE_REGTIME_CALL)
				continue;
			while (plain->calls.at[call].start != item->start_ns ||
			       plain->calls.at[call].depth != item->depth ||
			       plain->calls.at[call].end != item->end_ns)
				call++;
			CHECK(call < plain->calls.n && own[k] == plain_own(plain, call));
			call++;
		}
		free(own);
	}
}

static void check_axis(const struct lode_readable_axis *axis, const struct lode_call_trace *trace)
{
	CHECK(axis->knots.n >= 2);
	CHECK(axis->knots.at[0].t_ns == trace->first_ns && axis->knots.at[0].x == 0);
	CHECK(axis->knots.at[axis->knots.n - 1].x == LODE_AXIS_WIDTH);
	CHECK(axis->knots.at[axis->knots.n - 1].t_ns >= trace->last_ns);
	for (size_t i = 1; i < axis->knots.n; i++) {
		CHECK(axis->knots.at[i].t_ns > axis->knots.at[i - 1].t_ns);
		CHECK(axis->knots.at[i].x >= axis->knots.at[i - 1].x);
	}
}

/* Whether a mark of the whole, or a time before or behind all calls of a thread, means it. */
static bool is_meant(const struct lode_timeline_views *views, int64_t t0, int64_t t1)
{
	const struct lode_call_trace *trace = views->whole->trace;

	for (size_t i = 0; i < views->whole->n_threads; i++) {
		const struct lode_regtime_thread *t = &views->whole->threads[i];

		if ((t0 == trace->first_ns && t1 == t->thread->first_ns) ||
		    (t0 == t->thread->last_ns && t1 == trace->last_ns))
			return true;
		for (size_t k = 0; k < t->items.n; k++)
			if (t->items.at[k].start_ns == t0 && t->items.at[k].end_ns == t1)
				return true;
	}
	return false;
}

static void check_meanwhiles(const struct fixture *f, const struct lode_timeline_views *views,
			     size_t budget)
{
	struct lode_error err;
	size_t n_calls = 0;

	CHECK(views->meanwhile_bytes <= budget);
	for (size_t i = 0; i < views->meanwhiles.n; i++) {
		const struct lode_meanwhile *m = &views->meanwhiles.at[i];
		struct lode_meanwhile again;

		CHECK(m->t0_ns < m->t1_ns && is_meant(views, m->t0_ns, m->t1_ns));
		CHECK(!i || m[-1].t0_ns < m->t0_ns ||
		      (m[-1].t0_ns == m->t0_ns && m[-1].t1_ns < m->t1_ns));
		CHECK(lode_meanwhile_make(&again, f->job.trace, NULL, m->clock, m->t0_ns, m->t1_ns,
					  1, &err) == LODE_OK);
		for (size_t k = 0; k < m->n_threads; k++) {
			size_t n = again.threads[k].leaves.n;

			CHECK(m->threads[k].idle_ns == again.threads[k].idle_ns);
			CHECK(m->threads[k].leaves.n ==
			      (n < LODE_VIEWS_LEAVES ? n : LODE_VIEWS_LEAVES));
		}
		lode_meanwhile_release(&again);
	}
	/* With room for all, there are all. */
	if (budget < 1000000)
		return;
	for (size_t i = 0; i < views->whole->n_threads; i++) {
		const struct lode_regtime_thread *t = &views->whole->threads[i];

		for (size_t k = 0; k < t->items.n; k++) {
			const struct lode_regtime_item *item = &t->items.at[k];
			size_t found = item->start_ns == item->end_ns;

			for (size_t m = 0; m < views->meanwhiles.n; m++)
				found += views->meanwhiles.at[m].t0_ns == item->start_ns &&
					 views->meanwhiles.at[m].t1_ns == item->end_ns;
			CHECK(found == 1);
			n_calls++;
		}
	}
	CHECK(n_calls >= views->whole->n_threads || !f->job.trace->n_calls);
}

static void check_views(const struct fixture *f, struct test_random *random)
{
	const struct lode_timeline_views_options options = {
		.regtime = &f->options,
		.whole_budget = test_random_below(random, 500),
		.meanwhile_bytes =
			test_random_below(random, 2) ? 1000000 : test_random_below(random, 2000),
		.page_bytes = test_random_below(random, 30000),
	};
	struct lode_timeline_views views;
	struct lode_error err;
	size_t spent = 0;

	CHECK(lode_timeline_views_make(&views, &f->job, &options, &err) == LODE_OK);
	CHECK(views.whole->n_threads == f->job.regtime->n_threads);
	for (size_t i = 0; i < views.whole->n_threads; i++)
		CHECK(views.whole->threads[i].n_glyphs >= f->job.regtime->threads[i].n_expressions);
	CHECK(views.negligible.parts_1e9 <= f->options.negligible.parts_1e9);
	check_axis(&views.axis, f->job.trace);
	check_meanwhiles(f, &views, options.meanwhile_bytes);
	for (size_t i = 0; i < views.windows.n; i++) {
		const struct lode_timeline_view *w = &views.windows.at[i];

		spent += lode_timeline_view_bytes(w->regtime);
		CHECK(w->t0_ns < w->t1_ns && w->level > 0);
		CHECK(!i || w[-1].level < w->level ||
		      (w[-1].level == w->level && w[-1].t0_ns < w->t0_ns));
	}
	CHECK(!views.windows.n ||
	      spent + lode_timeline_view_bytes(views.whole) + views.meanwhile_bytes <=
		      options.page_bytes);
	lode_timeline_views_release(&views);
}

static void windows_own_times_and_axes_are_those_of_the_calls(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct test_random random = {seed};
		struct fixture f;

		if (setup(&f, &random)) {
			check_own_of_whole(&f);
			check_window(&f, &random);
			if (seed % 4 == 0)
				check_views(&f, &random);
		}
		teardown(&f);
	}
}

/* One thread, one call of 10 ns among a thousand: it gets more room than its share of time. */
static void an_outlier_has_room_on_the_readable_axis(void **state)
{
	struct lode_call_trace *trace = lode_call_trace_new();
	struct lode_regtime_thread thread = {.t0_ns = 0, .t1_ns = 1000};
	struct lode_regtime regtime = {.trace = trace, .n_threads = 1, .threads = &thread};
	struct lode_readable_axis axis = {0};

	(void)state;
	lode_vec_append(&thread.items, ((struct lode_regtime_item){.kind = LODE_REGTIME_EXPRESSION,
								   .start_ns = 0,
								   .end_ns = 500}));
	lode_vec_append(&thread.items, ((struct lode_regtime_item){.kind = LODE_REGTIME_CALL,
								   .start_ns = 500,
								   .end_ns = 510}));
	lode_vec_append(&thread.items, ((struct lode_regtime_item){.kind = LODE_REGTIME_EXPRESSION,
								   .start_ns = 510,
								   .end_ns = 1000}));
	lode_readable_axis_make(&axis, &regtime, 0, 1000);
	assert_int_equal(axis.knots.n, 4);
	assert_int_equal(axis.knots.at[1].t_ns, 500);
	assert_int_equal(axis.knots.at[2].t_ns, 510);
	/* 35 % for the one outlier, and 1 % of the 40 % that go by time */
	assert_in_range(axis.knots.at[2].x - axis.knots.at[1].x, 353990, 354010);
	lode_readable_axis_release(&axis);
	lode_vec_release(&thread.items);
	lode_call_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_own_times_and_axes_are_those_of_the_calls),
		cmocka_unit_test(an_outlier_has_room_on_the_readable_axis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
