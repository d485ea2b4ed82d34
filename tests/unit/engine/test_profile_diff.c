/* engine/regtime/profile_diff: two profiles, against their calls one by one; how often its test
 * errs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "engine/regtime/profile_diff.h"
#include "model/call_spread.h"
#include "unit/model/random_calls.h"
#include "cases.h"

/* A trace, its profile, and the durations of each function's calls. */
struct side {
	struct lode_call_trace *trace;
	struct lode_profile profile;
	LODE_VEC(uint64_t) durations[RANDOM_MAX_FUNCTIONS];
};

static void make_side(struct side *side, struct test_random *random, int64_t long_step)
{
	const struct random_options options = {.max_events = 10 + test_random_below(random, 300),
					       .depth = 4,
					       .long_step = long_step};
	const struct lode_profile_span whole = {0};
	struct random_trace making = {0};

	memset(side, 0, sizeof(*side));
	random_trace_make(&making, random, &options);
	side->trace = random_trace_intake(&making, 1, 3);
	assert_int_equal(lode_profile_make(&side->profile, side->trace, &whole, NULL), 0);
	for (size_t i = 0; i < making.n_threads; i++) {
		struct plain_thread plain = {0};

		plain_pair(&plain, &making.threads[i]);
		for (size_t k = 0; k < plain.calls.n; k++)
			lode_vec_append(&side->durations[plain.calls.at[k].function],
					(uint64_t)(plain.calls.at[k].end -
						   plain.calls.at[k].start));
		lode_vec_release(&plain.calls);
	}
	random_trace_release(&making);
}

static void free_side(struct side *side)
{
	for (size_t f = 0; f < RANDOM_MAX_FUNCTIONS; f++)
		lode_vec_release(&side->durations[f]);
	lode_profile_release(&side->profile);
	lode_call_trace_free(side->trace);
}

/* By the definition: every pair. */
static double longer_of(const struct side *a, const struct side *b, uint32_t f, uint32_t g)
{
	double longer = 0;

	for (size_t i = 0; i < a->durations[f].n; i++) {
		for (size_t k = 0; k < b->durations[g].n; k++) {
			uint32_t x = lode_spread_bucket(a->durations[f].at[i]);
			uint32_t y = lode_spread_bucket(b->durations[g].at[k]);

			longer += x > y ? 1 : x == y ? 0.5 : 0;
		}
	}
	return longer / ((double)a->durations[f].n * (double)b->durations[g].n);
}

static void check_row(const struct side *a, const struct side *b,
		      const struct lode_profile_change *change)
{
	uint64_t n = change->here ? change->here->n_calls : 0;
	uint64_t m = change->there ? change->there->n_calls : 0;
	int64_t here_ns = change->here ? (int64_t)change->here->self_ns : 0;
	int64_t there_ns = change->there ? (int64_t)change->there->self_ns : 0;

	assert_int_equal(change->self_ns, here_ns - there_ns);
	assert_true(n || m);
	if (n < LODE_PROFILE_TESTED || m < LODE_PROFILE_TESTED) {
		assert_true(isnan(change->longer) && isnan(change->log_p));
		return;
	}
	assert_string_equal(lode_frame_function(&a->trace->functions, change->here->function),
			    lode_frame_function(&b->trace->functions, change->there->function));
	assert_true(fabs(change->longer -
			 longer_of(a, b, change->here->function, change->there->function)) < 1e-9);
	assert_true(change->log_p <= 0);
}

static void rows_are_what_pairs_of_calls_say(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct test_random random = {seed};
		struct side a, b;
		struct lode_profile_diff diff;
		size_t n_here = 0, n_there = 0;

		make_side(&a, &random, 1 + test_random_below(&random, 2000));
		make_side(&b, &random, 1 + test_random_below(&random, 2000));
		assert_int_equal(lode_profile_diff_make(
					 &diff, &(struct lode_profile_side){a.trace, &a.profile},
					 &(struct lode_profile_side){b.trace, &b.profile}, NULL),
				 0);
		for (size_t i = 0; i < diff.rows.n; i++) {
			check_row(&a, &b, &diff.rows.at[i]);
			n_here += diff.rows.at[i].here != NULL;
			n_there += diff.rows.at[i].there != NULL;
			assert_true(!i || llabs(diff.rows.at[i - 1].self_ns) >=
						  llabs(diff.rows.at[i].self_ns));
		}
		assert_int_equal(n_here, a.profile.rows.n);
		assert_int_equal(n_there, b.profile.rows.n);
		lode_profile_diff_release(&diff);
		free_side(&a);
		free_side(&b);
	}
}

/* One thread that calls one function: lengths from 1 ns to 100 ns times `factor`. */
static struct lode_call_trace *trace_of_lengths(struct test_random *random, size_t n, double factor)
{
	struct random_trace making = {.n_threads = 1, .n_functions = 1, .random = *random};
	struct lode_call_trace *trace;
	int64_t t = 1000;

	for (size_t i = 0; i < n; i++) {
		int64_t ns = (int64_t)((100 + test_random_below(random, 900)) * factor);

		lode_vec_append(&making.threads[0].events,
				((struct lode_call_event){t, 0, LODE_CALL_ENTER}));
		t += ns;
		lode_vec_append(&making.threads[0].events,
				((struct lode_call_event){t, 0, LODE_CALL_EXIT}));
		t += 10;
	}
	trace = random_trace_intake(&making, 1, 3);
	random_trace_release(&making);
	return trace;
}

/* The share of cases in which calls count as different, p up to 5 %. */
static double share_of_changes(double factor, size_t n_cases)
{
	size_t n_changes = 0;

	for (size_t seed = 1; seed <= n_cases; seed++) {
		const struct lode_profile_span whole = {0};
		struct test_random random = {seed};
		struct lode_profile_side side[2];
		struct lode_profile profile[2];
		struct lode_profile_diff diff;

		for (size_t i = 0; i < 2; i++) {
			side[i].trace =
				trace_of_lengths(&random, 8 + test_random_below(&random, 60),
						 i ? 1 : factor);
			side[i].profile = &profile[i];
			assert_int_equal(
				lode_profile_make(&profile[i], side[i].trace, &whole, NULL), 0);
		}
		assert_int_equal(lode_profile_diff_make(&diff, &side[0], &side[1], NULL), 0);
		assert_int_equal(diff.rows.n, 1);
		n_changes += diff.rows.at[0].log_p <= log(0.05);
		lode_profile_diff_release(&diff);
		for (size_t i = 0; i < 2; i++) {
			lode_profile_release(&profile[i]);
			lode_call_trace_free(side[i].trace);
		}
	}
	return (double)n_changes / (double)n_cases;
}

static void equal_calls_seldom_differ_and_longer_ones_do(void **state)
{
	size_t n = TEST_CASES(2000);
	/* Three standard deviations of such a count above the level. */
	double most = 0.05 + 3 * sqrt(0.05 * 0.95 / (double)n);

	(void)state;
	assert_true(share_of_changes(1, n) <= most);
	assert_true(share_of_changes(2, n) >= 0.8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_what_pairs_of_calls_say),
		cmocka_unit_test(equal_calls_seldom_differ_and_longer_ones_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
