/* engine/regtime/during: what threads do inside and outside of a condition, moment by moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include <cmocka.h>

#include "engine/regtime/during.h"
#include "unit/model/random_calls.h"
#include "cases.h"

/* Of the case at hand; checks name it. */
static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

/* ---- The plainest way: every moment at which nothing begins or ends ---- */

enum { IDLE = RANDOM_MAX_FUNCTIONS, N_KINDS };

struct plain_sums {
	int64_t inside[RANDOM_MAX_THREADS][N_KINDS], outside[RANDOM_MAX_THREADS][N_KINDS];
	uint64_t n_inside[RANDOM_MAX_THREADS][N_KINDS], n_outside[RANDOM_MAX_THREADS][N_KINDS];
	int64_t all_inside;
};

static size_t leaf_at(const struct plain_thread *thread, int64_t from, int64_t to)
{
	size_t leaf = IDLE;

	for (size_t i = 0; i < thread->calls.n; i++)
		if (thread->calls.at[i].start <= from && thread->calls.at[i].end >= to)
			leaf = thread->calls.at[i].function;
	return leaf;
}

static bool holds(const struct plain_thread *thread, size_t function, int64_t from, int64_t to)
{
	if (function == IDLE)
		return leaf_at(thread, from, to) == IDLE;
	for (size_t i = 0; i < thread->calls.n; i++)
		if (thread->calls.at[i].function == function && thread->calls.at[i].start <= from &&
		    thread->calls.at[i].end >= to)
			return true;
	return false;
}

typedef LODE_VEC(int64_t) times;

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sum_plainly(struct plain_sums *sums, const struct plain_thread *plain, size_t n_threads,
			size_t of, size_t function, int64_t t0, int64_t t1)
{
	times at = {0};

	lode_vec_append(&at, t0);
	lode_vec_append(&at, t1);
	for (size_t k = 0; k < n_threads; k++)
		for (size_t i = 0; i < plain[k].calls.n; i++) {
			lode_vec_append(&at, plain[k].calls.at[i].start);
			lode_vec_append(&at, plain[k].calls.at[i].end);
		}
	qsort(at.at, at.n, sizeof(*at.at), by_time);
	for (size_t i = 1; i < at.n; i++) {
		int64_t from = at.at[i - 1], to = at.at[i];
		bool is_inside;

		if (from >= to || from < t0 || to > t1)
			continue;
		is_inside = holds(&plain[of], function, from, to);
		sums->all_inside += is_inside ? to - from : 0;
		for (size_t k = 0; k < n_threads; k++)
			(is_inside ? sums->inside
				   : sums->outside)[k][leaf_at(&plain[k], from, to)] += to - from;
	}
	lode_vec_release(&at);
	for (size_t k = 0; k < n_threads; k++)
		for (size_t i = 0; i < plain[k].calls.n; i++) {
			const struct plain_call *call = &plain[k].calls.at[i];

			if (call->start >= t0 && call->start < t1)
				(holds(&plain[of], function, call->start, call->start + 1)
					 ? sums->n_inside
					 : sums->n_outside)[k][call->function]++;
		}
}

/* ---- Against it ---- */

static void check(const struct lode_during *got, const struct plain_sums *want,
		  const struct lode_call_trace *trace, size_t of)
{
	struct plain_sums left = *want;

	CHECK(got->inside_ns == want->all_inside);
	CHECK(got->outside_ns == got->t1_ns - got->t0_ns - want->all_inside);
	for (size_t i = 1; i < got->spans.n; i++)
		CHECK(got->spans.at[i].from_ns > got->spans.at[i - 1].to_ns);
	for (size_t i = 0; i < got->rows.n; i++) {
		const struct lode_during_row *row = &got->rows.at[i];
		/* Threads have the tids 100, 99, ... (random_calls.c). */
		size_t k = (size_t)(100 - trace->threads.at[row->thread]->tid);
		size_t f = row->function == LODE_NONE ? IDLE : row->function;

		CHECK(row->thread != of);
		CHECK(row->inside_ns == want->inside[k][f]);
		CHECK(row->outside_ns == want->outside[k][f]);
		CHECK(row->n_inside == want->n_inside[k][f]);
		CHECK(row->n_outside == want->n_outside[k][f]);
		CHECK(!i || fabs(row[-1].difference) >= fabs(row->difference));
		CHECK(isnan(row->p) || (row->p > 0 && row->p <= 1));
		left.inside[k][f] = left.outside[k][f] = 0;
	}
	for (size_t i = 0; i < trace->threads.n; i++)
		for (size_t f = 0, k = (size_t)(100 - trace->threads.at[i]->tid); f < N_KINDS; f++)
			CHECK(i == of || (!left.inside[k][f] && !left.outside[k][f]));
}

static void check_conditions(struct lode_call_trace *trace, const struct plain_thread *plain,
			     size_t n_plain, struct test_random *random)
{
	uint32_t length = (uint32_t)(trace->last_ns - trace->first_ns) + 20;

	for (unsigned kind = 0; kind < 2 && trace->threads.n; kind++) {
		size_t of = test_random_below(random, (uint32_t)trace->threads.n);
		struct lode_during_condition condition = {of, LODE_NONE};
		int64_t t0 = trace->first_ns, t1 = trace->last_ns + 1;
		struct lode_during during;
		struct plain_sums want = {0};
		struct lode_error err;

		if (kind)
			condition.function = test_random_below(random, RANDOM_MAX_FUNCTIONS);
		if (test_random_below(random, 2)) {
			t0 += (int64_t)test_random_below(random, length) - 10;
			t1 = t0 + 1 + test_random_below(random, length);
		}
		sum_plainly(&want, plain, n_plain, (size_t)(100 - trace->threads.at[of]->tid),
			    kind ? condition.function : IDLE, t0, t1);
		CHECK(lode_during_make(&during, trace, &condition, t0, t1, &err) == LODE_OK);
		check(&during, &want, trace, of);
		lode_during_release(&during);
	}
}

static void times_are_those_of_every_moment(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(400); seed++) {
		struct test_random random = {seed};
		const struct random_options options = {
			.max_events = 1 + test_random_below(&random, 60),
			.depth = 1 + test_random_below(&random, seed % 4 ? 6 : 40),
			.faults =
				test_random_below(&random, 2) ? test_random_below(&random, 20) : 0,
			.long_step = 1 + test_random_below(&random, 2000),
		};
		struct plain_thread plain[RANDOM_MAX_THREADS] = {0};
		struct random_trace making = {0};
		struct lode_call_trace *trace;

		random_trace_make(&making, &random, &options);
		trace = random_trace_intake(&making, 1, 1 + test_random_below(&random, 4));
		for (size_t i = 0; i < making.n_threads; i++)
			plain_pair(&plain[i], &making.threads[i]);
		check_conditions(trace, plain, making.n_threads, &random);
		for (size_t i = 0; i < making.n_threads; i++)
			lode_vec_release(&plain[i].calls);
		lode_call_trace_free(trace);
		random_trace_release(&making);
	}
}

/* ---- p: two threads whose calls go together, or each by itself ---- */

struct source {
	struct test_random random;
	bool is_together;
};

/* Thread 1 calls "a" at random moments; thread 2 calls "b" at the same ones, or at others. */
static int give_calls(void *context, struct lode_call_sink *sink, struct lode_error *err)
{
	struct source *s = context;
	uint32_t threads[2], functions[2];
	int64_t t[2] = {0, 0};
	int rc = LODE_OK;

	for (unsigned i = 0; i < 2; i++) {
		threads[i] = sink->thread(sink->context, 1, (int32_t)i + 1, i ? "two" : "one");
		functions[i] = sink->function(sink->context, NULL, i ? "b" : "a");
	}
	for (unsigned call = 0; call < 60 && rc == LODE_OK; call++)
		for (unsigned i = 0; i < 2 && rc == LODE_OK; i++) {
			struct lode_call_event events[2];

			if (i && s->is_together)
				t[1] = t[0];
			else
				t[i] += 500 + test_random_below(&s->random, 9000);
			events[0] = (struct lode_call_event){t[i], functions[i], LODE_CALL_ENTER};
			events[1] =
				(struct lode_call_event){t[i] + 500, functions[i], LODE_CALL_EXIT};
			rc = sink->events(sink->context, threads[i], events, 2, err);
		}
	return rc;
}

static double p_of_two(uint64_t of, bool is_together)
{
	struct source source = {{of}, is_together};
	const struct lode_call_intake_options options = {.n_threads = 1};
	const struct lode_during_condition condition = {0, 0};
	struct lode_call_trace *trace;
	struct lode_during during;
	struct lode_error err;
	double p = NAN;

	assert_int_equal(lode_call_intake(&trace, "test", give_calls, &source, &options, &err), 0);
	assert_int_equal(lode_during_make(&during, trace, &condition, trace->first_ns,
					  trace->last_ns, &err),
			 0);
	for (size_t i = 0; i < during.rows.n; i++)
		if (during.rows.at[i].function == 1)
			p = during.rows.at[i].p;
	lode_during_release(&during);
	lode_call_trace_free(trace);
	return p;
}

static void p_tells_what_goes_together_from_what_does_not(void **state)
{
	unsigned n_small = 0;

	(void)state;
	for (uint64_t i = 1; i <= 200; i++) {
		if (!(p_of_two(i, true) <= 0.005))
			fail_msg("case %d: p = %f of calls at the same time", (int)i,
				 p_of_two(i, true));
		n_small += p_of_two(i, false) <= 0.05;
	}
	/* Of 200 independent ones 10 are expected; more than 22 come once in ten thousand times. */
	assert_true(n_small <= 22);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_those_of_every_moment),
		cmocka_unit_test(p_tells_what_goes_together_from_what_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
