/*
 * engine/pio/shifts.h: a planted change is found; healthy time against healthy time says nothing;
 * order, scale and constant counters change nothing, and swapping the times turns directions round.
 * engine/pio/service_names.h: services in columns' names.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pio/service_names.h"
#include "engine/pio/shifts.h"
#include "random.h"

enum { N_SERVICES = 8, N_COUNTERS = 5, N = N_SERVICES * N_COUNTERS, LENGTH = 240, SEEDS = 100 };

struct world {
	char services[N_SERVICES][16], names[N_COUNTERS][16];
	double before[N][LENGTH], after[N][LENGTH];
	struct lode_shift_series series[N];
};

static double uniform(struct test_random *r)
{
	return test_random_below(r, 1 << 20) / (double)(1 << 20);
}

/* Kinds of counters: noise, heavy tails, a smooth wave, a trend, steps of one. */
static double value_of(int kind, double t, double phase, struct test_random *r)
{
	switch (kind) {
	case 0:
		return 100 + 10 * uniform(r);
	case 1:
		return 5 + 1 / (0.02 + uniform(r));
	case 2:
		return 50 + 20 * sin(t / 25 + phase) + uniform(r);
	case 3:
		return 1000 + 2 * t + 5 * uniform(r);
	default:
		return (double)test_random_below(r, 4);
	}
}

static void make_world(struct world *w, uint64_t seed)
{
	struct test_random r = {seed};

	for (int s = 0; s < N_SERVICES; s++)
		snprintf(w->services[s], sizeof(w->services[s]), "service%d", s);
	for (int c = 0; c < N_COUNTERS; c++)
		snprintf(w->names[c], sizeof(w->names[c]), "counter%d", c);
	for (int i = 0; i < N; i++) {
		double phase = 6 * uniform(&r);

		for (int t = 0; t < LENGTH; t++)
			w->before[i][t] = value_of(i % N_COUNTERS, t, phase, &r);
		for (int t = 0; t < LENGTH; t++)
			w->after[i][t] = value_of(i % N_COUNTERS, t + LENGTH, phase, &r);
		w->series[i] = (struct lode_shift_series){w->services[i / N_COUNTERS],
							  w->names[i % N_COUNTERS],
							  w->before[i],
							  w->after[i],
							  LENGTH,
							  LENGTH};
	}
}

/* One to three counters of a service move by a multiple of what they do, from `at` on. */
static size_t plant(struct world *w, uint64_t seed, int *at)
{
	struct test_random r = {seed + 1000};
	size_t service = test_random_below(&r, N_SERVICES);
	int n = 1 + (int)test_random_below(&r, 3);

	*at = (int)test_random_below(&r, LENGTH / 3);
	for (int k = 0; k < n; k++) {
		size_t i = service * N_COUNTERS + (size_t)(k == 0 ? 0 : k == 1 ? 2 : 4);

		for (int t = *at; t < LENGTH; t++)
			w->after[i][t] += k == 0 ? 300 : k == 1 ? 300 : 40;
	}
	return service;
}

static void test_planted_change_is_first(void **state)
{
	struct world *w = malloc(sizeof(*w));
	int n_right = 0, n_dated = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct lode_shifts shifts;
		size_t service;
		int at;

		make_world(w, seed);
		service = plant(w, seed, &at);
		lode_shifts_build(&shifts, w->series, N, 1);
		if (shifts.stands_out &&
		    strcmp(shifts.services.at[0].name, w->services[service]) == 0) {
			n_right++;
			n_dated += abs((int)shifts.services.at[0].since - at) <= 2;
			assert_true(shifts.services.at[0].counters.at[0].deviation > 0);
		}
		lode_shifts_release(&shifts);
	}
	free(w);
	assert_in_range(n_right, 98, SEEDS);
	assert_in_range(n_dated, 95, SEEDS);
}

static void test_healthy_time_says_nothing(void **state)
{
	struct world *w = malloc(sizeof(*w));
	int n_false = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct lode_shifts shifts;

		make_world(w, seed);
		lode_shifts_build(&shifts, w->series, N, 1);
		n_false += shifts.stands_out;
		lode_shifts_release(&shifts);
	}
	free(w);
	assert_in_range(n_false, 0, 2);
}

/* The same services in the same order, with the same evidence and counters. */
static void assert_same(const struct lode_shifts *a, const struct lode_shift_series *a_series,
			const struct lode_shifts *b, const struct lode_shift_series *b_series)
{
	assert_int_equal(a->services.n, b->services.n);
	assert_true(fabs(a->bound - b->bound) < 1e-6);
	for (size_t s = 0; s < a->services.n; s++) {
		const struct lode_shift_service *x = &a->services.at[s], *y = &b->services.at[s];

		assert_string_equal(x->name, y->name);
		assert_true(fabs(x->evidence - y->evidence) < 1e-6);
		assert_int_equal(x->counters.n, y->counters.n);
		for (size_t c = 0; c < x->counters.n; c++) {
			assert_string_equal(a_series[x->counters.at[c].at].counter,
					    b_series[y->counters.at[c].at].counter);
			assert_int_equal(x->counters.at[c].since, y->counters.at[c].since);
		}
	}
}

static void test_order_scale_and_constants_change_nothing(void **state)
{
	static const double constant[LENGTH] = {0};
	struct world *w = malloc(sizeof(*w)), *scaled = malloc(sizeof(*scaled));
	struct lode_shift_series other[N + 1];
	int at;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct test_random r = {seed};
		struct lode_shifts plain, changed;

		make_world(w, seed);
		plant(w, seed, &at);
		lode_shifts_build(&plain, w->series, N, 1);

		/* Services from the last, their counters turned by some places. */
		for (size_t i = 0; i < N; i++) {
			size_t s = N_SERVICES - 1 - i / N_COUNTERS;

			other[i] = w->series[s * N_COUNTERS + (i + seed) % N_COUNTERS];
		}
		lode_shifts_build(&changed, other, N, 2);
		assert_same(&plain, w->series, &changed, other);
		lode_shifts_release(&changed);

		/* A counter that never moves. */
		memcpy(other, w->series, sizeof(w->series));
		other[N] = (struct lode_shift_series){w->services[N_SERVICES - 1],
						      "constant",
						      constant,
						      constant,
						      LENGTH,
						      LENGTH};
		lode_shifts_build(&changed, other, N + 1, 1);
		assert_same(&plain, w->series, &changed, other);
		lode_shifts_release(&changed);

		/* Other units. */
		*scaled = *w;
		for (size_t i = 0; i < N; i++) {
			double scale = ldexp(1, (int)test_random_below(&r, 40) - 20);

			for (int t = 0; t < LENGTH; t++) {
				scaled->before[i][t] *= scale;
				scaled->after[i][t] *= scale;
			}
			other[i] = w->series[i];
			other[i].before = scaled->before[i];
			other[i].after = scaled->after[i];
		}
		lode_shifts_build(&changed, other, N, 1);
		assert_same(&plain, w->series, &changed, other);
		lode_shifts_release(&changed);
		lode_shifts_release(&plain);
	}
	free(w);
	free(scaled);
}

/* What rose by more than both times' ranges falls by it when they are swapped. */
static void test_swapped_times_turn_directions(void **state)
{
	struct world *w = malloc(sizeof(*w));
	struct lode_shift_series other[N];
	int n_both = 0, at;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct lode_shifts plain, swapped;
		double deviations[2][N] = {{0}};

		make_world(w, seed);
		plant(w, seed, &at);
		for (size_t i = 0; i < N; i++) {
			other[i] = w->series[i];
			other[i].before = w->after[i] + at;
			other[i].n_before = (size_t)(LENGTH - at);
			other[i].after = w->before[i];
			w->series[i].after = w->after[i] + at;
			w->series[i].n_after = (size_t)(LENGTH - at);
		}
		lode_shifts_build(&plain, w->series, N, 1);
		lode_shifts_build(&swapped, other, N, 1);
		for (int k = 0; k < 2; k++) {
			const struct lode_shifts *shifts = k ? &swapped : &plain;

			for (size_t s = 0; s < shifts->services.n; s++)
				for (size_t c = 0; c < shifts->services.at[s].counters.n; c++)
					deviations[k][shifts->services.at[s].counters.at[c].at] =
						shifts->services.at[s].counters.at[c].deviation;
		}
		for (size_t i = 0; i < N; i++) {
			assert_true(deviations[0][i] * deviations[1][i] <= 0);
			n_both += deviations[0][i] * deviations[1][i] < 0;
		}
		assert_string_equal(plain.services.at[0].name, swapped.services.at[0].name);
		lode_shifts_release(&plain);
		lode_shifts_release(&swapped);
	}
	free(w);
	assert_true(n_both >= SEEDS);
}

/* A total with resets is compared by its growth; gaps, few values and none are no evidence. */
static void test_totals_gaps_and_few_values(void **state)
{
	double before[3][100], after[3][100];
	struct lode_shift_series series[3];
	struct lode_shifts shifts;
	struct test_random r = {1};

	(void)state;
	for (int t = 0; t < 100; t++) {
		before[0][t] = 1e6 + 10.0 * t + uniform(&r);
		after[0][t] = (t < 50 ? 5e6 : 0) + 90.0 * t + uniform(&r);
		before[1][t] = t % 3 ? NAN : 7 + uniform(&r);
		after[1][t] = t % 3 ? NAN : 7 + uniform(&r);
		before[2][t] = t < 3 ? 1 : NAN;
		after[2][t] = 1000;
	}
	for (int i = 0; i < 3; i++)
		series[i] = (struct lode_shift_series){
			"a", i == 0 ? "total" : i == 1 ? "gaps" : "few", before[i], after[i], 100,
			100};
	lode_shifts_build(&shifts, series, 3, 1);
	assert_int_equal(shifts.n_compared, 2);
	assert_int_equal(shifts.services.at[0].counters.n, 1);
	assert_true(shifts.services.at[0].counters.at[0].is_total);
	assert_true(fabs(shifts.services.at[0].counters.at[0].before - 10) < 1);
	assert_true(fabs(shifts.services.at[0].counters.at[0].after - 90) < 1);
	lode_shifts_release(&shifts);
	lode_shifts_build(&shifts, series, 0, 1);
	assert_false(shifts.stands_out);
	lode_shifts_release(&shifts);
}

static void expect_rule(const char *const *names, const double *levels, size_t n, char separator,
			const char *service, const char *metric)
{
	struct lode_service_names rule;
	char *of, *counter;

	lode_service_names_find(&rule, names, levels, n);
	assert_int_equal(rule.separator, separator);
	lode_service_names_cut(&rule, names[0], &of, &counter);
	assert_string_equal(of, service);
	assert_string_equal(counter, metric);
	free(of);
	free(counter);
}

/* On random calls without cycles: who comes first is called, step by step, with half the evidence
   at least, and calls none with as much; the others stay in order. */
static void test_callers_give_way(void **state)
{
	enum { SERVICES = 8 };
	static const char *const names[SERVICES] = {"a", "b", "c", "d", "e", "f", "g", "h"};

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random random = {seed};
		struct lode_shifts shifts = {.bound = 4, .stands_out = true};
		double evidence[SERVICES];
		bool calls[SERVICES][SERVICES] = {0}, is_reached[SERVICES] = {true};
		lode_shift_edges edges = {0};
		size_t first, last = 0;

		for (size_t i = 0; i < SERVICES; i++) {
			struct lode_shift_service *service = lode_vec_append_zero(&shifts.services);

			service->name = names[i];
			service->evidence = evidence[i] = 20.0 / (double)(i + 1);
		}
		/* Calls go from one to the next of a random order. */
		for (size_t i = 0; i < 12; i++) {
			size_t a = test_random_below(&random, SERVICES);
			size_t b = test_random_below(&random, SERVICES);
			bool is_forth = (a * 5 + seed) % SERVICES < (b * 5 + seed) % SERVICES;

			if (a == b)
				continue;
			calls[is_forth ? a : b][is_forth ? b : a] = true;
			lode_vec_append(&edges,
					((struct lode_shift_edge){names[is_forth ? a : b],
								  names[is_forth ? b : a]}));
		}
		for (int round = 0; round < SERVICES; round++)
			for (size_t a = 0; a < SERVICES; a++)
				for (size_t b = 0; b < SERVICES; b++)
					is_reached[b] |= is_reached[a] && calls[a][b] &&
							 evidence[b] > 4 &&
							 evidence[b] > evidence[a] / 2;
		lode_shifts_give_way(&shifts, &edges);
		first = (size_t)(shifts.services.at[0].name[0] - 'a');
		assert_true(is_reached[first]);
		for (size_t b = 0; b < SERVICES; b++)
			assert_false(calls[first][b] && evidence[b] > 4 &&
				     evidence[b] > evidence[first] / 2);
		for (size_t i = 1; i < SERVICES; i++) {
			size_t at = (size_t)(shifts.services.at[i].name[0] - 'a');

			assert_true(at != first && (i == 1 || at > last));
			last = at;
		}
		lode_vec_release(&edges);
		lode_vec_release(&shifts.services);
	}
}

static void expect_cut(const char *label, const char *name, const char *service, const char *metric)
{
	struct lode_service_names rule = {0};
	char *of, *counter;

	snprintf(rule.label, sizeof(rule.label), "%s", label);
	assert_int_equal(lode_service_names_cut(&rule, name, &of, &counter), *service != 0);
	assert_string_equal(of, service);
	assert_string_equal(counter, metric);
	free(of);
	free(counter);
}

/* The label whose values and rests are fewest; pods of a service are one. */
static void test_services_in_labels(void **state)
{
	char texts[48][96];
	const char *names[48];
	double levels[48] = {0};
	struct lode_service_names rule;

	(void)state;
	for (int i = 0; i < 48; i++) {
		snprintf(texts[i], sizeof(texts[i]),
			 "m%d{code=\"%d\",namespace=\"n\",pod=\"s%d-%d\",service=\"s%d\"}", i % 3,
			 i / 3 % 2, i / 6, i, i / 6);
		names[i] = texts[i];
	}
	lode_service_names_find(&rule, names, levels, 48);
	assert_string_equal(rule.label, "service");
	assert_int_equal(rule.n_services, 8);
	expect_cut("service", "up{a=\"1\",pod=\"p\",service=\"x\"}", "x", "up{a=\"1\"}");
	expect_cut("service", "up{service=\"x\"}", "x", "up");
	expect_cut("a", "up{a=\"q\\\",\",service=\"x\"}", "q\\\",", "up{service=\"x\"}");
	expect_cut("a", "up{service=\"x\"}", "", "up{service=\"x\"}");
	expect_cut("a", "up", "", "up");
	expect_cut("a", "up{a", "", "up{a");
}

static void test_services_in_names(void **state)
{
	static const char *const first[] = {"a-db_cpu",	   "a-db_mem", "b_cpu",
					    "b_mem",	   "c_cpu",    "c_mem",
					    "a-db_lat_50", "b_lat_50", "c_lat_50"};
	static const char *const behind[] = {"cpu.a", "cpu.b", "cpu.c", "cpu.d",
					     "mem.a", "mem.b", "mem.c", "mem.d"};
	static const char *const plain[] = {"cpu_user_ms",   "cpu_sys_ms", "disk_read_kb",
					    "disk_write_kb", "net_rx_kb",  "tcp_opens",
					    "procs"};
	static const double levels[] = {1, 1e8, 2, 3e8, 1.5, 2e8, 0.01, 0.02, 0.01};
	static const double by_metric[] = {1, 2, 1, 3, 1e8, 3e8, 2e8, 1e8};

	(void)state;
	expect_rule(first, levels, 9, '_', "a-db", "cpu");
	expect_rule(behind, by_metric, 8, '.', "a", "cpu");
	expect_rule(plain, levels, 7, 0, "", "cpu_user_ms");
	expect_rule(plain, levels, 2, 0, "", "cpu_user_ms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted_change_is_first),
		cmocka_unit_test(test_healthy_time_says_nothing),
		cmocka_unit_test(test_order_scale_and_constants_change_nothing),
		cmocka_unit_test(test_swapped_times_turn_directions),
		cmocka_unit_test(test_totals_gaps_and_few_values),
		cmocka_unit_test(test_callers_give_way),
		cmocka_unit_test(test_services_in_labels),
		cmocka_unit_test(test_services_in_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
