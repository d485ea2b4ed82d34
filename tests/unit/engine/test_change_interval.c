/* engine/diff/change_interval.h: Student's table, and how often intervals hold what is true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "engine/diff/change_interval.h"
#include "random.h"

static void test_bounds_are_those_of_the_table(void **state)
{
	static const double table[][2] = {{1, 12.7062}, {2, 4.3027},   {3, 3.1824},
					  {4, 2.7764},	{5, 2.5706},   {10, 2.2281},
					  {30, 2.0423}, {120, 1.9799}, {1e6, 1.95997}};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_true(fabs(lode_student_bound(table[i][0]) - table[i][1]) < 6e-5);
	/* In between it falls. */
	assert_true(lode_student_bound(2.5) < lode_student_bound(2) &&
		    lode_student_bound(2.5) > lode_student_bound(3));
}

/* Costs of a stream with 1 to 3 symptoms, each `mean` and the stream's own part of `spread`. */
static void add_streams(struct test_random *random, struct lode_interval_side *side, size_t k,
			double mean, double spread)
{
	for (size_t i = 0; i < k; i++) {
		uint32_t n = 1 + test_random_below(random, 3);
		double noise = 0;

		for (int j = 0; j < 4; j++)
			noise += test_random_below(random, 2001) / 1000.0 - 1;
		lode_interval_add(side, llround(n * (mean + spread * noise / 2)), n);
	}
}

static double share_that_holds(size_t ka, size_t kb, double spread_a, double spread_b)
{
	const int n = 4000;
	int n_held = 0;

	for (int seed = 1; seed <= n; seed++) {
		struct test_random random = {(uint64_t)seed};
		struct lode_interval_side a = {0}, b = {0};
		double low, high;

		add_streams(&random, &a, ka, 5e6, spread_a);
		add_streams(&random, &b, kb, 6e6, spread_b);
		assert_true(lode_change_interval(&low, &high, &a, &b));
		assert_true(low <= high);
		n_held += low <= 1e6 && high >= 1e6;
	}
	return (double)n_held / n;
}

static void test_intervals_hold_what_is_true(void **state)
{
	static const struct {
		size_t ka, kb;
		double spread_a, spread_b;
	} cases[] = {{18, 18, 1e6, 1e6}, {8, 5, 1e6, 1e6}, {40, 10, 5e5, 2e6}, {10, 40, 5e5, 2e6}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double share = share_that_holds(cases[i].ka, cases[i].kb, cases[i].spread_a,
						cases[i].spread_b);

		if (share < 0.925 || share > 0.975)
			fail_msg("case %zu: %g of the intervals hold the truth", i, share);
	}
}

static void test_what_has_no_spread(void **state)
{
	struct lode_interval_side a = {0}, b = {0};
	double low, high;

	(void)state;
	lode_interval_add(&a, 10, 1);
	lode_interval_add(&b, 40, 2);
	assert_false(lode_change_interval(&low, &high, &a, &b));
	lode_interval_add(&a, 20, 2);
	lode_interval_add(&b, 20, 1);
	assert_true(lode_change_interval(&low, &high, &a, &b));
	assert_true(low == 10 && high == 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds_are_those_of_the_table),
		cmocka_unit_test(test_intervals_hold_what_is_true),
		cmocka_unit_test(test_what_has_no_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
