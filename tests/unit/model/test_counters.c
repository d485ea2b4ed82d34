/* Samples of counters get onto the grid by the rules that the header states. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "find_counter.h"
#include "model/counters.h"

#define S  1000000000LL
#define MS 1000000LL

static uint32_t group1(struct lode_counter_log *log, const char *name, enum lode_counter_kind kind)
{
	struct lode_counter_column column = {"web", name, kind};

	return lode_counter_log_group(log, &column, 1);
}

static void align(struct lode_counters *out, struct lode_counter_log *log, int64_t step)
{
	struct lode_error err;

	assert_int_equal(lode_counters_align(out, log, step, NULL, &err), 0);
}

static void a_late_sample_speaks_of_the_second_before_its_own(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t g = group1(log, "cpu", LODE_COUNTER_RATE);
	const int64_t times[] = {100 * S + 2 * MS, 101 * S + 990 * MS, 102 * S, 103 * S - 5 * MS};
	struct lode_counters c;

	(void)state;
	for (int i = 0; i < 4; i++)
		lode_counter_log_row(log, g, times[i], &(double){i});
	assert_int_equal(lode_counter_log_period(log), S);
	align(&c, log, S);
	assert_int_equal(c.start_ns, 99 * S);
	assert_int_equal(c.n_intervals, 4);
	for (int i = 0; i < 4; i++)
		assert_true(c.counters[0].at[i] == i);
	lode_counters_release(&c);
	lode_counter_log_free(log);
}

static void gaps_stay_empty_and_slow_counters_fill_their_period(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t fast = group1(log, "fast", LODE_COUNTER_STATE);
	uint32_t slow = group1(log, "slow", LODE_COUNTER_RATE);
	struct lode_counters c;
	const struct lode_counter *f, *s;

	(void)state;
	for (int i = 1; i <= 9; i++) {
		if (i != 4)
			lode_counter_log_row(log, fast, i * S, &(double){i});
	}
	for (int i = 1; i <= 3; i++)
		lode_counter_log_row(log, slow, 3 * i * S, &(double){10 * i});
	align(&c, log, S);
	f = find_counter(&c, "web", "fast");
	s = find_counter(&c, "web", "slow");
	assert_int_equal(c.n_intervals, 9);
	for (int i = 0; i < 9; i++) {
		assert_true(i == 3 ? isnan(f->at[i]) : f->at[i] == i + 1);
		assert_true(s->at[i] == 10 * (i / 3 + 1));
	}
	assert_int_equal(s->period_ns, 3 * S);
	lode_counters_release(&c);
	lode_counter_log_free(log);
}

static void fine_rates_are_averaged_and_fine_states_keep_the_last(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t rate = group1(log, "rate", LODE_COUNTER_RATE);
	uint32_t is = group1(log, "state", LODE_COUNTER_STATE);
	struct lode_counters c;

	(void)state;
	for (int i = 1; i <= 10; i++) {
		lode_counter_log_row(log, rate, i * S, &(double){i});
		lode_counter_log_row(log, is, i * S, &(double){i});
	}
	align(&c, log, 5 * S);
	assert_int_equal(c.n_intervals, 2);
	assert_true(fabs(find_counter(&c, "web", "rate")->at[0] - 3) < 1e-9);
	assert_true(fabs(find_counter(&c, "web", "rate")->at[1] - 8) < 1e-9);
	assert_true(find_counter(&c, "web", "state")->at[1] == 10);
	lode_counters_release(&c);
	lode_counter_log_free(log);
}

static void totals_become_rates_over_gaps_too_and_resets_are_counted(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t g = group1(log, "bytes", LODE_COUNTER_TOTAL);
	const int64_t times[] = {1, 2, 3, 6, 7, 8};
	const double totals[] = {0, 10, 30, 90, 5, 6};
	const double rates[] = {NAN, 10, 20, 20, 20, 20, NAN, 1};
	struct lode_counters c;

	(void)state;
	for (int i = 0; i < 6; i++)
		lode_counter_log_row(log, g, times[i] * S, &totals[i]);
	align(&c, log, S);
	assert_int_equal(c.n_intervals, 8);
	assert_int_equal(c.n_resets, 1);
	for (int i = 0; i < 8; i++)
		assert_true(isnan(rates[i]) ? isnan(c.counters[0].at[i])
					    : fabs(c.counters[0].at[i] - rates[i]) < 1e-9);
	lode_counters_release(&c);
	lode_counter_log_free(log);
}

/* Rows of a shuffled delivery give the same grid; the counters are ordered by name. */
static void order_of_delivery_does_not_matter(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 200; seed++) {
		struct lode_counter_log *a = lode_counter_log_new(), *b = lode_counter_log_new();
		struct lode_counter_column columns[] = {{"b", "y", LODE_COUNTER_RATE},
							{"a", "z", LODE_COUNTER_STATE},
							{"b", "x", LODE_COUNTER_TOTAL}};
		struct lode_counters x, y;
		int order[40];

		lode_counter_log_group(a, columns, 3);
		lode_counter_log_group(b, columns, 3);
		srand(seed);
		for (int i = 0; i < 40; i++)
			order[i] = i;
		for (int i = 39; i > 0; i--) {
			int j = rand() % (i + 1), k = order[i];

			order[i] = order[j];
			order[j] = k;
		}
		for (int i = 0; i < 40; i++) {
			double row[2][3];

			for (int c = 0; c < 3; c++) {
				row[0][c] = (i * 7 + c) % 11;
				row[1][c] = (order[i] * 7 + c) % 11;
			}
			lode_counter_log_row(a, 0, (1000 + i) * S + i % 3, row[0]);
			lode_counter_log_row(b, 0, (1000 + order[i]) * S + order[i] % 3, row[1]);
		}
		align(&x, a, S);
		align(&y, b, S);
		assert_string_equal(x.counters[0].server, "a");
		assert_string_equal(x.counters[1].name, "x");
		assert_int_equal(x.n_intervals, y.n_intervals);
		for (int c = 0; c < 3; c++) {
			for (size_t t = 0; t < x.n_intervals; t++) {
				double p = x.counters[c].at[t], q = y.counters[c].at[t];

				if (!(p == q || (isnan(p) && isnan(q))))
					fail_msg("seed %u: counter %d, interval %zu", seed, c, t);
			}
		}
		lode_counters_release(&x);
		lode_counters_release(&y);
		lode_counter_log_free(a);
		lode_counter_log_free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_late_sample_speaks_of_the_second_before_its_own),
		cmocka_unit_test(gaps_stay_empty_and_slow_counters_fill_their_period),
		cmocka_unit_test(fine_rates_are_averaged_and_fine_states_keep_the_last),
		cmocka_unit_test(totals_become_rates_over_gaps_too_and_resets_are_counted),
		cmocka_unit_test(order_of_delivery_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
