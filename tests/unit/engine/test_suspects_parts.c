/*
 * The parts under the statistics of `lode suspects`: exact moments, order statistics, Fisher's
 * test.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/suspects/fisher.h"
#include "engine/suspects/tally.h"
#include "engine/suspects/thresholds.h"
#include "random.h"
#include "cases.h"

/* Sums of up to 20 values below 2^40 and of their squares times 20 fit into 128 bits. */
static void bounds_are_exact(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(20000); seed++) {
		struct test_random r = {seed};
		struct lode_moments m = {0}, parts[2] = {{0}};
		uint32_t n = 1 + test_random_below(&r, 20), bits = 1 + test_random_below(&r, 40);
		__int128 sum = 0, squares = 0, spread;

		for (uint32_t i = 0; i < n; i++) {
			int64_t v = (int64_t)(test_random_next(&r) >> (64 - bits));

			lode_moments_add(&m, v);
			lode_moments_add(&parts[test_random_below(&r, 2)], v);
			sum += v;
			squares += (__int128)v * v;
		}
		spread = n * squares - sum * sum;
		for (int k = -3; k <= 3; k++) {
			__int128 bound = lode_moments_bound(&m, k);
			__int128 d = n * bound - sum, above = d + n;

			/* bound <= mean + kσ < bound + 1 */
			if (k >= 0) {
				assert_true(d <= 0 || d * d <= k * k * spread);
				assert_true(above > 0 && above * above > k * k * spread);
			} else {
				assert_true(d <= 0 && d * d >= k * k * spread);
				assert_true(above > 0 || above * above < k * k * spread);
			}
		}
		assert_true(4 * spread >= ((__int128)2 * lode_moments_std(&m) - 1) * n *
						  ((__int128)2 * lode_moments_std(&m) - 1) * n ||
			    lode_moments_std(&m) == 0);
		assert_true(4 * spread < ((__int128)2 * lode_moments_std(&m) + 1) * n *
						 ((__int128)2 * lode_moments_std(&m) + 1) * n);
		assert_int_equal(lode_moments_mean(&m), (int64_t)((sum + n / 2) / n));
		lode_moments_merge(&parts[0], &parts[1]);
		assert_memory_equal(&parts[0], &m, sizeof(m));
	}
}

static void the_largest_values_do_not_overflow(void **state)
{
	struct lode_moments m = {0};

	(void)state;
	for (int i = 0; i < 1000000; i++)
		lode_moments_add(&m, i % 2 ? INT64_MAX : INT64_MAX - 2);
	assert_int_equal(lode_moments_mean(&m), INT64_MAX - 1);
	assert_int_equal(lode_moments_std(&m), 1);
	assert_int_equal(lode_moments_bound(&m, 0), INT64_MAX - 1);
	assert_int_equal(lode_moments_bound(&m, -2), INT64_MAX - 3);
	assert_int_equal(lode_moments_bound(&m, 2), INT64_MAX);
	memset(&m, 0, sizeof(m));
	for (int i = 0; i < 1000; i++)
		lode_moments_add(&m, i % 2 ? INT64_MAX : 0);
	assert_int_equal(lode_moments_bound(&m, 0), INT64_MAX / 2);
	assert_int_equal(lode_moments_bound(&m, 1), INT64_MAX);
	assert_int_equal(lode_moments_bound(&m, 2), INT64_MAX);
	assert_int_equal(lode_moments_bound(&m, -1), 0);
	assert_int_equal(lode_moments_bound(&m, -2), -((INT64_MAX - 1) / 2) - 1);
}

static void a_value_on_a_bound_is_in_the_lower_class(void **state)
{
	static const struct lode_thresholds t = {10, 20, 30};

	(void)state;
	assert_int_equal(lode_label_of(10, &t), LODE_LABEL_PRUNED);
	assert_int_equal(lode_label_of(11, &t), LODE_LABEL_SUCCEEDED);
	assert_int_equal(lode_label_of(20, &t), LODE_LABEL_SUCCEEDED);
	assert_int_equal(lode_label_of(21, &t), LODE_LABEL_AMBIGUOUS);
	assert_int_equal(lode_label_of(30, &t), LODE_LABEL_AMBIGUOUS);
	assert_int_equal(lode_label_of(31, &t), LODE_LABEL_FAILED);
}

static void thresholds_are_read_as_written(void **state)
{
	static const struct {
		const char *text, *glob;
		int64_t prune, success, failed;
	} good[] = {
		{"1us,20ms,50ms", NULL, 1000, 20000000, 50000000},
		{"20,50", NULL, INT64_MIN, 20000000000, 50000000000},
		{"syscall:*=0,0,0", "syscall:*", 0, 0, 0},
		{"a=b=1us,2ms", "a=b", INT64_MIN, 1000, 2000000},
	};
	static const char *const bad[] = {"",	"1",	"1,2,3,4", "2,1",  "1,x", "=1,2",
					  "a=", "1,,2", ",1,2",	   "1,2,", "-1,2"};
	struct lode_threshold_rule rule;
	struct lode_arena arena = {0};
	struct lode_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(lode_threshold_rule_parse(&rule, good[i].text, &arena, &err), 0);
		if (good[i].glob)
			assert_string_equal(rule.glob, good[i].glob);
		else
			assert_null(rule.glob);
		assert_int_equal(rule.thresholds.prune, good[i].prune);
		assert_int_equal(rule.thresholds.success, good[i].success);
		assert_int_equal(rule.thresholds.failed, good[i].failed);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(lode_threshold_rule_parse(&rule, bad[i], &arena, &err),
				 LODE_ERR_ARG);
	lode_arena_release(&arena);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void the_kth_smallest_is_found(void **state)
{
	uint64_t v[300];

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct test_random r = {seed};
		uint32_t n = 1 + test_random_below(&r, 300), passes = 1;
		uint32_t bits = 1 + test_random_below(&r, 64), rank = test_random_below(&r, n);
		struct lode_order_statistic order;

		for (uint32_t i = 0; i < n; i++)
			v[i] = test_random_next(&r) >> (64 - bits);
		qsort(v, n, sizeof(*v), by_value);
		for (lode_order_init(&order, v[0], v[n - 1], rank);; passes++) {
			for (uint32_t i = 0; i < n; i++)
				lode_order_add(&order, v[i]);
			if (lode_order_end_pass(&order))
				break;
		}
		assert_true(order.low == v[rank]);
		assert_true(passes <= 6);
	}
}

static void buckets_lie_side_by_side(void **state)
{
	(void)state;
	for (unsigned b = 0; b < LODE_LATENCY_BUCKETS; b++) {
		uint64_t start = lode_latency_bucket_start(b);

		assert_int_equal(lode_latency_bucket(start), b);
		if (b > 0)
			assert_int_equal(lode_latency_bucket(start - 1), b - 1);
	}
	assert_int_equal(lode_latency_bucket(UINT64_MAX), LODE_LATENCY_BUCKETS - 1);
}

/* Sums of exact binomial coefficients (integers of up to 2.6 million bits), to 45 digits. */
static void fisher_is_exact_for_large_counts(void **state)
{
	static const struct {
		uint64_t a, b, c, d;
		double log_p;
	} want[] = {
		{8, 2, 1, 5, -3.7100816617645394},
		{0, 10, 5, 10, 0},
		{3, 0, 0, 3, -2.9957322735539909},
		{12, 1000, 3, 100000, -49.212142522936595},
		{202, 44549, 79, 6657, -7.017828507880215e-12},
		{190, 210, 10, 9590, -626.70772653390736},
		{500, 49500, 400, 49600, -7.6988180298525091},
		{1000, 99000, 1100, 98900, -0.013435592321713475},
		{40000, 960000, 38000, 962000, -29.582685517420867},
		{2, 1000000, 0, 2000000, -2.1972225773384415},
		{999, 1, 1, 999999, -7883.1594468048643},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		double p = lode_fisher_log_p(want[i].a, want[i].b, want[i].c, want[i].d);

		if (fabs(p - want[i].log_p) > 1e-9)
			fail_msg("case %zu: %.17g, not %.17g", i, p, want[i].log_p);
	}
}

/* The parts of one whole: P(X >= a) - P(X >= a + 1) = P(X = a), and it falls with a. */
static void fisher_adds_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random r = {seed};
		uint64_t failed = 1 + test_random_below(&r, 400);
		uint64_t with = 1 + test_random_below(&r, 400);
		uint64_t all = failed + with + test_random_below(&r, 4000);
		double before = 0, sum = 0;

		for (uint64_t a = 0; a <= failed && a <= with; a++) {
			double p =
				lode_fisher_log_p(a, with - a, failed - a, all + a - with - failed);
			double next =
				a == failed || a == with
					? 0
					: exp(lode_fisher_log_p(a + 1, with - a - 1, failed - a - 1,
								all + a + 1 - with - failed));

			assert_true(p <= before + 1e-12);
			before = p;
			sum += (exp(p) - next) * (double)a;
		}
		/* The mean of the distribution. */
		assert_true(fabs(sum - (double)failed * (double)with / (double)all) <
			    1e-8 * (1 + sum));
	}
}

static void corrections_are_the_textbooks(void **state)
{
	/* Worked by hand: p of 0.01, 0.04, 0.03, 0.005. */
	static const double p[] = {0.01, 0.04, 0.03, 0.005};
	static const double holm[] = {0.03, 0.06, 0.06, 0.02}, bh[] = {0.02, 0.04, 0.04, 0.02};
	double q[4];

	(void)state;
	for (int how = 0; how < 3; how++) {
		for (int i = 0; i < 4; i++)
			q[i] = log(p[i]);
		lode_correct_log_p(q, 4, (enum lode_correction)how);
		for (int i = 0; i < 4; i++)
			assert_true(fabs(exp(q[i]) - (how == LODE_CORRECTION_HOLM ? holm[i]
						      : how == LODE_CORRECTION_BH ? bh[i]
										  : p[i])) < 1e-12);
	}
	lode_correct_log_p(NULL, 0, LODE_CORRECTION_HOLM);
}

static void intervals_are_wilsons(void **state)
{
	struct lode_interval i = lode_wilson(15, 50);

	(void)state;
	/* (p + z²/2n ± z√(p(1-p)/n + z²/4n²)) / (1 + z²/n), worked out apart from this */
	assert_true(fabs(i.low - 0.1910355) < 1e-6 && fabs(i.high - 0.4375035) < 1e-6);
	i = lode_wilson(0, 0);
	assert_true(i.low == 0 && i.high == 1);
	i = lode_wilson(26, 26);
	assert_true(fabs(i.low - 0.8712711) < 1e-6 && i.high == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_exact),
		cmocka_unit_test(the_largest_values_do_not_overflow),
		cmocka_unit_test(a_value_on_a_bound_is_in_the_lower_class),
		cmocka_unit_test(thresholds_are_read_as_written),
		cmocka_unit_test(the_kth_smallest_is_found),
		cmocka_unit_test(buckets_lie_side_by_side),
		cmocka_unit_test(fisher_is_exact_for_large_counts),
		cmocka_unit_test(fisher_adds_up),
		cmocka_unit_test(corrections_are_the_textbooks),
		cmocka_unit_test(intervals_are_wilsons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
