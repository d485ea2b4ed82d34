/*
 * Stack dumps that wait to be written, against the largest excess of any stretch of time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "random.h"
#include "record/dump_recorder.h"

enum { TICKS = 60, MS_NS = 1000000 };

static void test_a_cpu_is_beyond_its_budget_when_some_stretch_of_time_is(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 2000; seed++) {
		struct test_random random = {seed};
		struct lode_dump_budget budget = {
			.most_bytes = 1 + test_random_below(&random, 1 << 20),
			.emptied_per_s = 1000 * (int64_t)test_random_below(&random, 1000),
			.samples_per_s = test_random_below(&random, 50),
			.dump_bytes = 1000,
		};
		int64_t more[TICKS], waiting = 0;
		struct lode_dump_cpu cpu = {0};

		for (int i = 0; i < TICKS; i++) {
			uint32_t n = test_random_below(&random, 30);
			int64_t ms = 1 + test_random_below(&random, 40), sum = 0, most = 0;
			bool is_beyond;

			/* Whole bytes in each tick, so that nothing is rounded. */
			more[i] = 1000 * (int64_t)n +
				  ms * (budget.samples_per_s - budget.emptied_per_s / 1000);
			is_beyond = lode_dump_budget_take(&budget, &cpu, n, ms * MS_NS);
			for (int k = i; k >= 0; k--) {
				sum += more[k];
				most = sum > most ? sum : most;
			}
			waiting = most;
			assert_int_equal(cpu.waiting_bytes, waiting);
			assert_int_equal(is_beyond, waiting > budget.most_bytes);
		}
	}
}

/* Counted in nanoseconds, a long stretch would not fit into 64 bits. */
static void test_a_month_without_a_look_is_no_excess(void **state)
{
	struct lode_dump_budget budget = {.most_bytes = 1 << 20,
					  .emptied_per_s = LODE_MOST_DUMP_BYTES,
					  .samples_per_s = 999,
					  .dump_bytes = LODE_LATER_DUMP_BYTES};
	struct lode_dump_cpu cpu = {.waiting_bytes = 1 << 19};

	(void)state;
	assert_false(lode_dump_budget_take(&budget, &cpu, 1, INT64_C(30) * 86400 * 1000 * MS_NS));
	assert_int_equal(cpu.waiting_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cpu_is_beyond_its_budget_when_some_stretch_of_time_is),
		cmocka_unit_test(test_a_month_without_a_look_is_no_excess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
