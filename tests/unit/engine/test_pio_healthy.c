/* Models of healthy time alone, without a log: few values, and which counter is first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pio/analyse.h"
#include "engine/pio/train.h"
#include "base/random.h"

#define STEP 1000000000LL
enum { N_SERVERS = 5, N_COLUMNS = 4 * N_SERVERS, SCRAPE = 15, WINDOW = 3 };

static double uniform(struct lode_random *r)
{
	return (double)(lode_random_next(r) >> 11) / 9007199254740992.0;
}

/* Fills a row at time t; `context` is the test's. */
typedef void fill_row(void *context, double *row, int t);

static void make_counters(struct lode_counters *out, int first, int end, fill_row *fill,
			  void *context)
{
	struct lode_counter_log *log = lode_counter_log_new();
	static const char *const names[] = {"cpu", "mem", "latency", "load"};
	static const char *const servers[N_SERVERS] = {"a", "b", "c", "d", "e"};
	struct lode_counter_column columns[N_COLUMNS];
	struct lode_error err;

	for (int c = 0; c < N_COLUMNS; c++)
		columns[c] = (struct lode_counter_column){servers[c / 4], names[c % 4],
							  LODE_COUNTER_STATE};
	lode_counter_log_group(log, columns, N_COLUMNS);
	for (int t = first; t < end; t++) {
		double row[N_COLUMNS];

		fill(context, row, t);
		lode_counter_log_row(log, 0, (t + 1700000001) * STEP, row);
	}
	assert_int_equal(lode_counters_align(out, log, STEP, NULL, &err), 0);
	lode_counter_log_free(log);
}

static void train(struct lode_pio_model *model, int end, fill_row *fill, void *context)
{
	struct lode_pio_train_options how = {.n_threads = 1};
	struct lode_counters counters;
	struct lode_pio_training training = {NULL, &counters};
	struct lode_error err;

	*model = (struct lode_pio_model){.settings = lode_pio_settings_default(false)};
	model->settings.step_ns = STEP;
	make_counters(&counters, 0, end, fill, context);
	assert_int_equal(lode_pio_train(model, &training, 1, &how, &err), 0);
	lode_counters_release(&counters);
}

/* ---- Few values ---- */

/* Sums over WINDOW scrapes, of skewed values: every second, the last scrape's. */
static void scraped_row(void *context, double *row, int t)
{
	double(*scrapes)[N_COLUMNS] = context;

	for (int c = 0; c < N_COLUMNS; c++) {
		row[c] = 0;
		for (int k = 0; k < WINDOW; k++)
			row[c] += scrapes[t / SCRAPE + k][c];
	}
}

/*
 * Ten values show little of what a counter does. In nine of ten healthy times the second half stays
 * in the ranges of the first.
 */
static void few_values_have_wide_ranges(void **state)
{
	enum { N_TIMES = 60, LENGTH = 280 };
	int n_quiet = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= N_TIMES; seed++) {
		struct lode_random r = {seed};
		static double scrapes[LENGTH / SCRAPE + WINDOW + 1][N_COLUMNS];
		struct lode_pio_model model;
		struct lode_pio_analysis a;
		struct lode_counters counters;

		for (size_t i = 0; i < sizeof(scrapes) / sizeof(scrapes[0]); i++)
			for (int c = 0; c < N_COLUMNS; c++)
				scrapes[i][c] = 2 - log(1 - uniform(&r)) - log(1 - uniform(&r));
		train(&model, LENGTH / 2, scraped_row, scrapes);
		make_counters(&counters, LENGTH / 2, LENGTH, scraped_row, scrapes);
		lode_pio_analyse(&a, &model, &counters, NULL);
		n_quiet += !a.periods.n;
		lode_pio_analysis_release(&a);
		lode_counters_release(&counters);
		lode_pio_model_release(&model);
	}
	print_message("%d of %d\n", n_quiet, N_TIMES);
	assert_true(n_quiet * 10 >= N_TIMES * 9);
}

/* ---- Which counter is first ---- */

/* Memory that never moved rises by a third; a noisy CPU twenty times as far as its border. */
static void leaking_row(void *context, double *row, int t)
{
	struct lode_random *r = context;
	bool is_fault = t >= 400;

	for (int c = 0; c < N_COLUMNS; c += 4) {
		bool is_it = is_fault && c == 4;

		row[c] = 2 + uniform(r) + (is_it ? 12 : 0);
		row[c + 1] = 3e8 + floor(4 * uniform(r)) * 4096 + (is_it ? 1e8 : 0);
		row[c + 2] = 10 + uniform(r);
		row[c + 3] = 100 + 20 * uniform(r);
	}
}

static void what_never_moved_is_before_what_is_noisy(void **state)
{
	struct lode_random r = {7};
	struct lode_pio_model model;
	struct lode_pio_analysis a;
	struct lode_counters counters;

	(void)state;
	train(&model, 300, leaking_row, &r);
	make_counters(&counters, 300, 500, leaking_row, &r);
	lode_pio_analyse(&a, &model, &counters, NULL);
	assert_int_equal(a.periods.n, 1);
	assert_string_equal(model.counters.at[a.periods.at[0].counters.at[0].at].server, "b");
	assert_string_equal(model.counters.at[a.periods.at[0].counters.at[0].at].name, "mem");
	assert_string_equal(model.counters.at[a.periods.at[0].counters.at[1].at].name, "cpu");
	lode_pio_analysis_release(&a);
	lode_counters_release(&counters);
	lode_pio_model_release(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_values_have_wide_ranges),
		cmocka_unit_test(what_never_moved_is_before_what_is_noisy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
