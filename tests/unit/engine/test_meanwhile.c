/* engine/regtime/meanwhile, meanwhile_many: what every thread did during a span, against its
   calls looked at one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/regtime/meanwhile_many.h"
#include "unit/model/random_calls.h"
#include "cases.h"

enum { MOST_SPANS = 40 };

/* Of the case at hand; checks name it. */
static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

/* ---- The plainest way ---- */

static int64_t part_within(const struct plain_call *call, int64_t t0, int64_t t1)
{
	int64_t from = call->start > t0 ? call->start : t0, to = call->end < t1 ? call->end : t1;

	return from < to ? to - from : 0;
}

static void check_thread(const struct lode_meanwhile_thread *got, const struct plain_thread *plain,
			 int64_t t0, int64_t t1, size_t most)
{
	uint64_t ns[RANDOM_MAX_FUNCTIONS] = {0}, n[RANDOM_MAX_FUNCTIONS] = {0}, busy = 0, all = 0;
	bool is_there[RANDOM_MAX_FUNCTIONS] = {false};
	size_t n_functions = 0;

	for (size_t i = 0; i < plain->calls.n; i++) {
		const struct plain_call *call = &plain->calls.at[i];
		uint64_t part = (uint64_t)part_within(call, t0, t1);

		if (call->start >= t1 || (call->start < t0 && call->end <= t0))
			continue;
		n[call->function]++;
		all++;
		ns[call->function] += part;
		if (call->caller == SIZE_MAX)
			busy += part;
		else
			ns[plain->calls.at[call->caller].function] -= part;
	}
	CHECK(got->idle_ns == (uint64_t)(t1 - t0) - busy);
	CHECK(got->n_calls == all);
	for (size_t f = 0; f < RANDOM_MAX_FUNCTIONS; f++)
		n_functions += n[f] > 0;
	CHECK(got->leaves.n == (most && most < n_functions ? most : n_functions));
	for (size_t i = 0; i < got->leaves.n; i++) {
		const struct lode_leaf *leaf = &got->leaves.at[i];

		CHECK(leaf->leaf_ns == ns[leaf->function] && leaf->n_calls == n[leaf->function]);
		CHECK(leaf->n_calls > 0 && !is_there[leaf->function]);
		is_there[leaf->function] = true;
		CHECK(!i || leaf[-1].leaf_ns >= leaf->leaf_ns);
	}
	for (size_t f = 0; f < RANDOM_MAX_FUNCTIONS && got->leaves.n; f++)
		CHECK(is_there[f] || !n[f] || ns[f] <= got->leaves.at[got->leaves.n - 1].leaf_ns);
}

/* ---- Both ways against it ---- */

static void check_same(const struct lode_meanwhile_thread *many,
		       const struct lode_meanwhile_thread *one)
{
	CHECK(many->thread == one->thread && many->leaves.n <= one->leaves.n);
	for (size_t i = 0; i < many->leaves.n; i++)
		CHECK(many->leaves.at[i].function == one->leaves.at[i].function);
}

static void check_spans(struct lode_call_trace *trace, const struct plain_thread *plain,
			struct test_random *random)
{
	size_t n = test_random_below(random, MOST_SPANS + 1), most = test_random_below(random, 5);
	uint32_t length = (uint32_t)(trace->last_ns - trace->first_ns) + 20;
	struct lode_meanwhile many[MOST_SPANS] = {{0}};
	struct lode_error err;

	for (size_t i = 0; i < n; i++) {
		many[i].t0_ns = trace->first_ns - 10 + test_random_below(random, length);
		many[i].t1_ns = many[i].t0_ns + 1 + test_random_below(random, length);
		if (i && test_random_below(random, 3) == 0) /* where another one begins or ends */
			many[i].t0_ns = many[i - 1].t0_ns;
		else if (i && many[i - 1].t1_ns < many[i].t1_ns)
			many[i].t0_ns = many[i - 1].t1_ns;
		if (many[i].t1_ns <= many[i].t0_ns)
			many[i].t1_ns = many[i].t0_ns + 1;
	}
	CHECK(lode_meanwhile_make_many(many, n, trace, most, 1 + test_random_below(random, 3),
				       &err) == LODE_OK);
	for (size_t i = 0; i < n; i++) {
		int64_t t0 = many[i].t0_ns, t1 = many[i].t1_ns;
		struct lode_meanwhile one;

		CHECK(lode_meanwhile_make(&one, trace, NULL, 0, t0, t1, 1, &err) == LODE_OK);
		CHECK(many[i].n_threads == trace->threads.n && one.n_threads == trace->threads.n);
		for (size_t k = 0; k < one.n_threads; k++) {
			/* Threads have the tids 100, 99, ... (random_calls.c). */
			const struct plain_thread *calls = &plain[100 - one.threads[k].thread->tid];

			check_thread(&one.threads[k], calls, t0, t1, 0);
			check_thread(&many[i].threads[k], calls, t0, t1, most);
			check_same(&many[i].threads[k], &one.threads[k]);
		}
		lode_meanwhile_release(&one);
		lode_meanwhile_release(&many[i]);
	}
}

static void spans_hold_what_their_calls_say(void **state)
{
	(void)state;
	for (seed = 1; seed <= TEST_CASES(4000); seed++) {
		struct test_random random = {seed};
		const struct random_options options = {
			.max_events = 1 + test_random_below(&random, 150),
			.depth = 1 + test_random_below(&random, seed % 4 ? 6 : 60),
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
		check_spans(trace, plain, &random);
		for (size_t i = 0; i < making.n_threads; i++)
			lode_vec_release(&plain[i].calls);
		lode_call_trace_free(trace);
		random_trace_release(&making);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_hold_what_their_calls_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
