/* engine/regtime/profile: calls by function, and by caller and callee, against calls one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/regtime/profile.h"
#include "unit/model/random_calls.h"
#include "cases.h"

/* Of the case at hand; checks name it. */
static uint64_t seed;

static void broken(const char *what, int line)
{
	fail_msg("line %d, seed %llu: %s", line, (unsigned long long)seed, what);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

/* ---- The plainest way: sums in arrays by function, the last one for "no caller" ---- */

enum { OUTSIDE = RANDOM_MAX_FUNCTIONS };

struct sums {
	uint64_t calls[OUTSIDE], total[OUTSIDE], self[OUTSIDE], threads[OUTSIDE], all;
	uint64_t edge_calls[OUTSIDE + 1][OUTSIDE], edge_ns[OUTSIDE + 1][OUTSIDE];
};

static bool is_within_itself(const struct plain_thread *plain, const struct plain_call *call)
{
	for (size_t i = call->caller; i != SIZE_MAX; i = plain->calls.at[i].caller)
		if (plain->calls.at[i].function == call->function)
			return true;
	return false;
}

static void add_plain(struct sums *sums, const struct plain_thread *plain, int64_t t0, int64_t t1)
{
	bool is_called[OUTSIDE] = {false};

	for (size_t i = 0; i < plain->calls.n; i++) {
		const struct plain_call *call = &plain->calls.at[i];
		size_t caller =
			call->caller == SIZE_MAX ? OUTSIDE : plain->calls.at[call->caller].function;
		int64_t from = call->start > t0 ? call->start : t0;
		int64_t to = call->end < t1 ? call->end : t1;
		uint64_t ns = from < to ? (uint64_t)(to - from) : 0;

		if (call->start >= t1 || (call->start < t0 && call->end <= t0))
			continue;
		sums->calls[call->function]++;
		sums->self[call->function] += ns;
		sums->total[call->function] += is_within_itself(plain, call) ? 0 : ns;
		sums->edge_calls[caller][call->function]++;
		sums->edge_ns[caller][call->function] += ns;
		if (caller == OUTSIDE)
			sums->all += ns;
		else
			sums->self[caller] -= ns;
		sums->threads[call->function] += !is_called[call->function];
		is_called[call->function] = true;
	}
}

static void check(const struct lode_profile *got, const struct sums *want)
{
	size_t n_functions = 0, n_edges = 0;

	CHECK(got->self_ns == want->all);
	for (size_t f = 0; f < OUTSIDE; f++)
		n_functions += want->calls[f] > 0;
	CHECK(got->rows.n == n_functions);
	for (size_t i = 0; i < got->rows.n; i++) {
		const struct lode_profile_row *row = &got->rows.at[i];

		CHECK(row->n_calls == want->calls[row->function]);
		CHECK(row->self_ns == want->self[row->function]);
		CHECK(row->total_ns == want->total[row->function]);
		CHECK(row->n_threads == want->threads[row->function]);
		CHECK(!i || row[-1].self_ns >= row->self_ns);
		CHECK(lode_profile_find(got, row->function) == row);
	}
	for (size_t c = 0; c <= OUTSIDE; c++)
		for (size_t f = 0; f < OUTSIDE; f++)
			n_edges += want->edge_calls[c][f] > 0;
	CHECK(got->edges.n == n_edges);
	for (size_t i = 0; i < got->edges.n; i++) {
		const struct lode_profile_edge *edge = &got->edges.at[i];
		size_t caller = edge->caller == LODE_NONE ? OUTSIDE : edge->caller;

		CHECK(edge->n_calls == want->edge_calls[caller][edge->callee]);
		CHECK(edge->total_ns == want->edge_ns[caller][edge->callee]);
		CHECK(!i || edge[-1].callee < edge->callee ||
		      (edge[-1].callee == edge->callee && edge[-1].total_ns >= edge->total_ns));
	}
}

/* All threads or one, the whole trace or a window. */
static void check_spans(struct lode_call_trace *trace, const struct plain_thread *plain,
			struct test_random *random)
{
	uint32_t length = (uint32_t)(trace->last_ns - trace->first_ns) + 20;

	for (unsigned kind = 0; kind < 4; kind++) {
		struct lode_profile_span span = {0};
		struct lode_profile profile;
		struct lode_error err;
		struct sums want = {0};
		int64_t t0 = INT64_MIN, t1 = INT64_MAX;

		if (kind & 1) {
			t0 = span.t0_ns = trace->first_ns - 10 + test_random_below(random, length);
			t1 = span.t1_ns = t0 + 1 + test_random_below(random, length);
		}
		if (kind & 2 && trace->threads.n)
			span.only =
				trace->threads
					.at[test_random_below(random, (uint32_t)trace->threads.n)];
		for (size_t i = 0; i < trace->threads.n; i++)
			if (!span.only || trace->threads.at[i] == span.only)
				/* Threads have the tids 100, 99, ... (random_calls.c). */
				add_plain(&want, &plain[100 - trace->threads.at[i]->tid], t0, t1);
		CHECK(lode_profile_make(&profile, trace, &span, &err) == LODE_OK);
		check(&profile, &want);
		lode_profile_release(&profile);
	}
}

static void functions_have_the_time_of_their_calls(void **state)
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
		cmocka_unit_test(functions_have_the_time_of_their_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
