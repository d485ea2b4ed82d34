/* Counters whose times jump: wrong ones are dropped and named, real gaps stay, and the grid is as
   long as what was sampled. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/counters.h"

#define S 1000000000LL

static unsigned seed;

static void broken(const char *condition, int line)
{
	fail_msg("seed %u: line %d: %s", seed, line, condition);
}

#define CHECK(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

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

/* Two samples 146 years apart: the grid is as long as they reach, not as the time between them. */
static void the_grid_follows_samples_not_the_time_between_them(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t g = group1(log, "cpu", LODE_COUNTER_RATE);
	struct lode_counters c;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_counters_align(&c, log, S, NULL, &err), LODE_ERR_ARG);
	lode_counter_log_row(log, g, 1, &(double){1});
	lode_counter_log_row(log, g, INT64_MAX / 2, &(double){1});
	assert_int_equal(lode_counters_align(&c, log, S, NULL, &err), 0);
	assert_int_equal(c.n_intervals, 2 * LODE_SAMPLE_REACH + LODE_PAUSE_KEPT);
	assert_int_equal(lode_counters_time(&c, c.n_intervals), INT64_MAX / 2 / S * S);
	lode_counters_release(&c);
	/* What does not fit is refused, and says what would. */
	assert_int_equal(lode_counters_align(&c, log, S, &(struct lode_counter_bound){1 << 16, 0},
					     &err),
			 LODE_ERR_LIMIT);
	assert_non_null(strstr(err.message, "--interval"));
	lode_counter_log_free(log);
}

/* Rows of a second each in stretches with long pauses between them: each stretch is what it is
   alone, and of a pause some intervals are there, all empty. */
static void pauses_are_left_out_and_the_rest_is_what_it_is_alone(void **state)
{
	enum { STRETCHES = 4, MOST = 50 };

	(void)state;
	for (seed = 0; seed < 300; seed++) {
		struct lode_random rng = {seed};
		struct lode_counter_log *whole = lode_counter_log_new();
		uint32_t g = group1(whole, "cpu", LODE_COUNTER_RATE);
		struct lode_counters grid, alone[STRETCHES];
		int64_t t = 1000000 + (int64_t)lode_random_below(&rng, 1000);
		size_t n_values = 0, n_found = 0, n_most = 0;

		for (int s = 0; s < STRETCHES; s++) {
			struct lode_counter_log *part = lode_counter_log_new();
			uint32_t h = group1(part, "cpu", LODE_COUNTER_RATE);
			unsigned n = 3 + (unsigned)lode_random_below(&rng, MOST);

			for (unsigned i = 0; i < n; i++, t++) {
				double value = (double)lode_random_below(&rng, 1000);

				lode_counter_log_row(whole, g, t * S, &value);
				lode_counter_log_row(part, h, t * S, &value);
			}
			align(&alone[s], part, S);
			n_values += n;
			lode_counter_log_free(part);
			t += lode_random_below(&rng, 2) ? (int64_t)lode_random_below(&rng, 7200)
							: 100 * 86400;
		}
		align(&grid, whole, S);
		for (size_t i = 0; i < grid.n_intervals; i++) {
			int64_t interval = lode_interval_at(&grid.pauses, grid.start_ns / S, i);

			CHECK(lode_interval_place(&grid.pauses, grid.start_ns / S, grid.n_intervals,
						  interval) == i);
			CHECK(lode_counters_time(&grid, i) == interval * S);
			n_found += !isnan(grid.counters[0].at[i]);
		}
		CHECK(n_found == n_values);
		for (int s = 0; s < STRETCHES; s++) {
			for (size_t i = 0; i < alone[s].n_intervals; i++) {
				size_t at = lode_interval_place(&grid.pauses, grid.start_ns / S,
								grid.n_intervals,
								alone[s].start_ns / S + (int64_t)i);

				CHECK(at != SIZE_MAX);
				CHECK(memcmp(&grid.counters[0].at[at], &alone[s].counters[0].at[i],
					     sizeof(double)) == 0);
			}
			lode_counters_release(&alone[s]);
		}
		n_most = n_values + (STRETCHES - 1) * (size_t)LODE_PAUSE_INTERVALS;
		CHECK(grid.n_intervals <= n_most);
		CHECK(lode_interval_place(&grid.pauses, grid.start_ns / S, grid.n_intervals,
					  grid.start_ns / S - 1) == SIZE_MAX);
		lode_counters_release(&grid);
		lode_counter_log_free(whole);
	}
}

/* ---- Times that stand alone ---- */

enum { SIFT_GROUPS = 3, SIFT_ROWS = 12 };

struct sifting {
	int64_t t[SIFT_GROUPS][SIFT_ROWS];
	unsigned n[SIFT_GROUPS];
};

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The lower median of the distances of a group's different times; 0: fewer than two. */
static int64_t usual_distance(const struct sifting *all, unsigned group)
{
	int64_t t[SIFT_ROWS], gaps[SIFT_ROWS];
	unsigned n = 0, n_gaps = 0;

	memcpy(t, all->t[group], sizeof(t));
	qsort(t, all->n[group], sizeof(*t), compare_times);
	for (unsigned i = 0; i < all->n[group]; i++)
		if (!i || t[i] != t[n - 1])
			t[n++] = t[i];
	for (unsigned i = 1; i < n; i++)
		gaps[n_gaps++] = t[i] - t[i - 1];
	qsort(gaps, n_gaps, sizeof(*gaps), compare_times);
	return n_gaps ? gaps[(n_gaps - 1) / 2] : 0;
}

/* By the words of the header. */
static bool is_wrong(const struct sifting *all, unsigned group, int64_t t_ns)
{
	static const int64_t day = 43200 * S;
	int64_t far = 10 * usual_distance(all, group) > day ? 10 * usual_distance(all, group) : day;

	for (unsigned g = 0; g < SIFT_GROUPS; g++)
		for (unsigned i = 0; i < all->n[g]; i++) {
			int64_t distance = llabs(all->t[g][i] - t_ns);

			if (distance && (distance <= day || (g == group && distance <= far)))
				return false;
		}
	return true;
}

static unsigned count_times(const struct sifting *all)
{
	int64_t t[SIFT_GROUPS * SIFT_ROWS];
	unsigned n = 0, n_different = 0;

	for (unsigned g = 0; g < SIFT_GROUPS; g++)
		for (unsigned i = 0; i < all->n[g]; i++)
			t[n++] = all->t[g][i];
	qsort(t, n, sizeof(*t), compare_times);
	for (unsigned i = 0; i < n; i++)
		n_different += !i || t[i] != t[i - 1];
	return n_different;
}

struct left {
	unsigned n[SIFT_GROUPS], n_wrong;
	const struct sifting *all;
	bool is_sifted;
};

static void left_group(void *context, const struct lode_counter_column *columns, size_t n)
{
	(void)context;
	(void)columns;
	(void)n;
}

static void left_row(void *context, uint32_t group, int64_t t_ns, const double *values, size_t n)
{
	struct left *left = context;

	(void)n;
	CHECK(values[0] == (double)t_ns);
	left->n[group]++;
	left->n_wrong += left->is_sifted && is_wrong(left->all, group, t_ns);
}

static void a_time_that_stands_alone_is_dropped(void **state)
{
	unsigned n_dropped = 0, n_clean = 0;

	(void)state;
	for (seed = 0; seed < 20000; seed++) {
		static const int64_t scales[] = {1, 3600, 86400, 40 * 86400};
		struct lode_random rng = {seed};
		struct lode_counter_log *log = lode_counter_log_new();
		struct sifting all = {0};
		struct left left = {.all = &all};
		struct lode_counter_taker taker = {&left, left_group, left_row};
		unsigned n_wrong[SIFT_GROUPS] = {0}, n_all = 0;

		for (unsigned g = 0; g < SIFT_GROUPS; g++) {
			int64_t t = (int64_t)(2000 + lode_random_below(&rng, 3)) * 86400 * S;
			int64_t scale = scales[lode_random_below(&rng, 4)] * S;

			group1(log, (const char *[]){"a", "b", "c"}[g], LODE_COUNTER_RATE);
			all.n[g] = (unsigned)lode_random_below(&rng, SIFT_ROWS + 1);
			for (unsigned i = 0; i < all.n[g]; i++) {
				t += scale * (int64_t)lode_random_below(&rng, 3);
				all.t[g][i] = t;
				if (lode_random_below(&rng, 6) == 0)
					all.t[g][i] +=
						(int64_t)lode_random_below(&rng, 400) * 86400 * S;
			}
			for (unsigned i = all.n[g]; i > 1 && lode_random_below(&rng, 2); i--) {
				unsigned k = (unsigned)lode_random_below(&rng, i);
				int64_t swap = all.t[g][i - 1];

				all.t[g][i - 1] = all.t[g][k];
				all.t[g][k] = swap;
			}
			for (unsigned i = 0; i < all.n[g]; i++)
				lode_counter_log_row(log, g, all.t[g][i],
						     &(double){(double)all.t[g][i]});
		}
		/* What is given is sorted, and each time is once; with two times nothing is wrong.
		 */
		lode_counter_log_give(log, &taker);
		for (unsigned g = 0; g < SIFT_GROUPS; g++) {
			int64_t t[SIFT_ROWS];

			memcpy(t, all.t[g], sizeof(t));
			qsort(t, all.n[g], sizeof(*t), compare_times);
			for (unsigned i = 0; i < all.n[g]; i++)
				n_wrong[g] += (!i || t[i] != t[i - 1]) && is_wrong(&all, g, t[i]);
			n_all += n_wrong[g];
		}
		lode_counter_log_sift(log, 0);
		if (count_times(&all) > 3) { /* near that, how many there are is a lower bound */
			struct left after = {.all = &all, .is_sifted = true};

			taker.context = &after;
			lode_counter_log_give(log, &taker);
			CHECK(after.n_wrong == 0);
			for (unsigned g = 0; g < SIFT_GROUPS; g++)
				CHECK(after.n[g] + n_wrong[g] == left.n[g]);
			CHECK(lode_counter_log_losses(log)->by_kind[LODE_LOSS_CLOCK_JUMP].count ==
			      n_all);
			n_dropped += n_all;
			n_clean += n_all == 0;
		}
		lode_counter_log_free(log);
	}
	assert_true(n_dropped > 1000);
	assert_true(n_clean > 1000);
}

static void a_row_of_a_wrong_time_is_named_with_its_line(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t g = group1(log, "cpu", LODE_COUNTER_RATE);
	const struct lode_loss *loss = &lode_counter_log_losses(log)->by_kind[LODE_LOSS_CLOCK_JUMP];
	struct lode_counters c;

	(void)state;
	for (int i = 0; i < 100; i++) {
		lode_counter_log_place(log, "web.csv", 2 + i);
		lode_counter_log_row(log, g, (1795233865LL + i + (i == 57 ? 365 * 86400 : 0)) * S,
				     &(double){i});
	}
	lode_counter_log_sift(log, 0);
	assert_int_equal(loss->count, 1);
	assert_string_equal(loss->detail, "web.csv: line 59: a sample of 2027-11-21 04:05:22 UTC, "
					  "more than half a day from all others: dropped");
	align(&c, log, S);
	assert_int_equal(c.n_intervals, 100);
	assert_true(isnan(c.counters[0].at[57]));
	lode_counters_release(&c);
	lode_counter_log_free(log);
}

/* Monday's row after a weekend, daily rows, and a log in two parts are no wrong times. */
static void legitimate_gaps_stay(void **state)
{
	static const struct {
		int64_t at[6];
	} cases[] = {
		{{0, 1, 2, 3 * 86400, 3 * 86400 + 1, 3 * 86400 + 2}},
		{{0, 86400, 2 * 86400 + 3600, 3 * 86400, 4 * 86400, 5 * 86400}},
		{{0, 7 * 86400, 14 * 86400, 21 * 86400, 35 * 86400, 42 * 86400}},
		{{9 * 86400, 9 * 86400 + 1, 9 * 86400 + 2, 0, 1, 2}},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct lode_counter_log *log = lode_counter_log_new();
		uint32_t g = group1(log, "cpu", LODE_COUNTER_RATE);

		for (int i = 0; i < 6; i++)
			lode_counter_log_row(log, g, (1000000 + cases[k].at[i]) * S, &(double){1});
		lode_counter_log_sift(log, 0);
		assert_int_equal(lode_counter_log_losses(log)->by_kind[LODE_LOSS_CLOCK_JUMP].count,
				 0);
		lode_counter_log_free(log);
	}
}

/* A time that comes back is dropped at once; one that stays is a gap. */
static void followed_rows_wait_for_the_next_when_the_clock_leaps(void **state)
{
	static const int64_t year = 365 * 86400;
	static const struct {
		int64_t at[6];
		unsigned n_dropped, n_left;
	} cases[] = {
		{{0, 1, year, 2, 3, 4}, 1, 5},
		{{0, 1, -year, 2, 3, 4}, 1, 5},
		{{0, 1, year, year + 1, year + 2, year + 3}, 0, 6},
		{{0, 1, year, 2, -year, 3}, 2, 4},
		{{0, 1, 2, 3, 4, year}, 0, 5}, /* the last one waits */
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct lode_counter_log *log = lode_counter_log_new();
		const struct lode_losses *losses = lode_counter_log_losses(log);
		uint32_t g;

		lode_counter_log_follow(log);
		g = group1(log, "cpu", LODE_COUNTER_RATE);
		for (int i = 0; i < 6; i++) {
			lode_counter_log_place(log, "web.csv", i + 1);
			lode_counter_log_row(log, g, (1795233865LL + cases[k].at[i]) * S,
					     &(double){1});
		}
		assert_int_equal(losses->by_kind[LODE_LOSS_CLOCK_JUMP].count, cases[k].n_dropped);
		assert_int_equal(lode_counter_log_values(log), cases[k].n_left);
		if (cases[k].n_dropped)
			assert_non_null(strstr(losses->by_kind[LODE_LOSS_CLOCK_JUMP].detail,
					       "web.csv: line 3: "));
		lode_counter_log_free(log);
	}
}

/* Rows out of order, two of them of one time: sorting leaves fewer than there were. Once, what lay
   behind them was taken for a row, and the pause before it for no pause. */
static void rows_of_the_same_time_do_not_fill_a_pause(void **state)
{
	struct lode_counter_log *log = lode_counter_log_new();
	uint32_t g = group1(log, "cpu", LODE_COUNTER_VALUE);
	static const int64_t times[] = {179523385, 1795233865, 179523385};
	struct lode_counters c;

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		lode_counter_log_row(log, g, times[i] * S, &(double){1});
	align(&c, log, S);
	assert_int_equal(c.n_intervals, 2 * LODE_SAMPLE_REACH + LODE_PAUSE_KEPT);
	lode_counters_release(&c);
	lode_counter_log_free(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_grid_follows_samples_not_the_time_between_them),
		cmocka_unit_test(pauses_are_left_out_and_the_rest_is_what_it_is_alone),
		cmocka_unit_test(a_time_that_stands_alone_is_dropped),
		cmocka_unit_test(a_row_of_a_wrong_time_is_named_with_its_line),
		cmocka_unit_test(legitimate_gaps_stay),
		cmocka_unit_test(rows_of_the_same_time_do_not_fill_a_pause),
		cmocka_unit_test(followed_rows_wait_for_the_next_when_the_clock_leaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
