/* engine/pio/slo.h: slow intervals by bounds of counters, against loops over random grids. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pio/slo.h"
#include "random.h"

#define STEP 2000000000LL
enum { ROWS = 60, COUNTERS = 8 };

/* Two plain counters, and a histogram of three buckets and two codes. */
static void make_grid(struct lode_counters *out, struct test_random *random)
{
	static const char *const names[COUNTERS] = {
		"errors{job=\"x\"}",
		"rate",
		"took_bucket{code=\"2\",le=\"+Inf\"}",
		"took_bucket{code=\"2\",le=\"0.1\"}",
		"took_bucket{code=\"2\",le=\"0.5\"}",
		"took_bucket{code=\"4\",le=\"+Inf\"}",
		"took_bucket{code=\"4\",le=\"0.1\"}",
		"took_bucket{code=\"4\",le=\"0.5\"}",
	};

	*out = (struct lode_counters){.start_ns = 1700000000 * STEP, .step_ns = STEP};
	out->n_intervals = ROWS;
	out->n_counters = COUNTERS;
	out->counters = lode_alloc0(COUNTERS, sizeof(*out->counters));
	for (int c = 0; c < COUNTERS; c++) {
		out->counters[c].server = lode_strdup("api");
		out->counters[c].name = lode_strdup(names[c]);
		out->counters[c].at = lode_alloc0(ROWS, sizeof(double));
	}
	for (int i = 0; i < ROWS; i++) {
		for (int c = 0; c < 2; c++)
			out->counters[c].at[i] = test_random_below(random, 10)
							 ? test_random_below(random, 100)
							 : NAN;
		for (int c = 2; c < COUNTERS; c += 3) {
			out->counters[c].at[i] = test_random_below(random, 50);
			out->counters[c + 2].at[i] =
				test_random_below(random, (uint32_t)out->counters[c].at[i] + 1);
			out->counters[c + 1].at[i] =
				test_random_below(random, (uint32_t)out->counters[c + 2].at[i] + 1);
		}
	}
}

static void count(struct lode_request_log *log, const struct lode_pio_model *model,
		  const struct lode_counters *grid)
{
	struct lode_request_log_options options = {.step_ns = STEP};

	lode_request_log_init(log, &options, NULL, true);
	lode_pio_slos_count(model, grid, log);
}

static void bounds_are_judged_as_by_a_loop(void **state)
{
	struct test_random random = {5};

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct lode_pio_model model = {0};
		struct lode_counters grid, *grids[] = {&grid};
		struct lode_request_log log;
		double above = test_random_below(&random, 100),
		       below = test_random_below(&random, 100);
		char text[60];

		make_grid(&grid, &random);
		snprintf(text, sizeof(text), "api:errors > %g", above);
		assert_int_equal(lode_pio_slo_add(&model, text, grids, 1), 1);
		snprintf(text, sizeof(text), "rate<%g", below);
		assert_int_equal(lode_pio_slo_add(&model, text, grids, 1), 1);
		count(&log, &model, &grid);
		for (int i = 0; i < ROWS; i++) {
			double errors = grid.counters[0].at[i], rate = grid.counters[1].at[i];
			const struct lode_interval_counts *t =
				lode_interval_tally_find(&log.tally, grid.start_ns / STEP + i);

			assert_int_equal(t ? t->n : 0, !isnan(errors) || !isnan(rate));
			assert_int_equal(t ? t->n_slow : 0, errors > above || rate < below);
		}
		lode_request_log_release(&log);
		lode_pio_model_release(&model);
		lode_counters_release(&grid);
	}
}

static void histograms_count_requests(void **state)
{
	struct test_random random = {6};

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct lode_pio_model model = {0};
		struct lode_counters grid, *grids[] = {&grid};
		struct lode_request_log log;

		make_grid(&grid, &random);
		assert_int_equal(lode_pio_slo_add(&model, "api:took > 0.6", grids, 1), 0);
		assert_int_equal(lode_pio_slo_add(&model, "api:took > 0.05", grids, 1), 1);
		assert_true(model.slos.at[0].bound == 0.1);
		count(&log, &model, &grid);
		for (int i = 0; i < ROWS; i++) {
			double all = grid.counters[2].at[i] + grid.counters[5].at[i];
			double fast = grid.counters[3].at[i] + grid.counters[6].at[i];
			const struct lode_interval_counts *t =
				lode_interval_tally_find(&log.tally, grid.start_ns / STEP + i);

			assert_true(t ? t->n == 2 * all && t->n_slow == 2 * (all - fast) : !all);
		}
		lode_request_log_release(&log);
		lode_pio_model_release(&model);
		lode_counters_release(&grid);
	}
}

/* Nothing of training is beyond a bound that was learnt; a histogram's leaves 5 % at most. */
static void learnt_bounds_hold_in_training(void **state)
{
	struct test_random random = {7};

	(void)state;
	for (int round = 0; round < 50; round++) {
		static const char *const texts[] = {"errors", "api:rate <", "took"};
		struct lode_pio_model model = {0};
		struct lode_counters grid, *grids[] = {&grid};
		struct lode_request_log log;

		make_grid(&grid, &random);
		for (int i = 0; i < ROWS; i++)
			for (int c = 2; c < COUNTERS; c += 3)
				grid.counters[c + 2].at[i] = grid.counters[c].at[i];
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			assert_int_equal(lode_pio_slo_add(&model, texts[i], grids, 1), 1);
		assert_true(model.slos.at[2].bound == 0.5);
		count(&log, &model, &grid);
		for (int i = 0; i < ROWS; i++) {
			const struct lode_interval_counts *t =
				lode_interval_tally_find(&log.tally, grid.start_ns / STEP + i);

			assert_true(!t || t->n_slow == 0);
		}
		lode_request_log_release(&log);
		lode_pio_model_release(&model);
		lode_counters_release(&grid);
	}
}

static void texts_are_checked(void **state)
{
	static const char *const sound[] = {"a",	   "a:b",	   "a:b>1",
					    "a:b > 1e-3 ", "a{x=\"<\"} <", "job:x:y < -2"};
	static const char *const bad[] = {"", "> 1", "a > b", "a > 1 2", "a > nan", "a > inf"};

	(void)state;
	for (size_t i = 0; i < sizeof(sound) / sizeof(sound[0]); i++)
		assert_null(lode_pio_slo_misuse(sound[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_non_null(lode_pio_slo_misuse(bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_judged_as_by_a_loop),
		cmocka_unit_test(histograms_count_requests),
		cmocka_unit_test(learnt_bounds_hold_in_training),
		cmocka_unit_test(texts_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
