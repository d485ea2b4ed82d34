/*
 * Diff against its definition written plainly: every split of a few streams, T by its formula, p
 * and adjusted p by counting. Then what it is for: how often chance is called a change.
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

#include "engine/diff/diff.h"
#include "engine/diff/splits.h"
#include "random.h"
#include "cases.h"

enum { MAX_STREAMS = 64, MAX_ITEMS = 12, MAX_SPLITS = 2048 };

/* ---- The definition ---- */

struct plain {
	size_t n_streams, n_items, n_splits;
	unsigned side[MAX_STREAMS];
	unsigned stratum[MAX_STREAMS];
	unsigned n_symptoms[MAX_STREAMS];
	int64_t cost[MAX_ITEMS][MAX_STREAMS];
	unsigned char split[MAX_SPLITS][MAX_STREAMS]; /* 0: observed */
	long double value[MAX_STREAMS];
	long double t[MAX_SPLITS];
	float far[MAX_ITEMS][MAX_SPLITS]; /* how far out; less is further */
	double p[MAX_ITEMS], adjusted[MAX_ITEMS];
	bool is_close; /* some T are so close that rounding decides which is larger */
};

static bool has_strata(const struct plain *x)
{
	for (size_t i = 1; i < x->n_streams; i++)
		if (x->stratum[i] != x->stratum[0])
			return true;
	return false;
}

/* Costs, less what their stratum's symptoms cost on average. */
static void plain_values(struct plain *x, size_t item)
{
	for (size_t i = 0; i < x->n_streams; i++) {
		long double sum = 0, n = 0;

		for (size_t j = 0; j < x->n_streams; j++)
			if (x->stratum[j] == x->stratum[i]) {
				sum += (long double)x->cost[item][j];
				n += x->n_symptoms[j];
			}
		x->value[i] = (long double)x->cost[item][i];
		if (has_strata(x))
			x->value[i] -= sum / n * x->n_symptoms[i];
	}
}

/* Cost per symptom of one set and its variance; `side` > 1: of both sets together. */
static long double plain_rate(const struct plain *x, size_t b, unsigned side, long double *residual,
			      long double *n, size_t *k)
{
	long double sum = 0;

	*residual = *n = 0;
	*k = 0;
	for (size_t i = 0; i < x->n_streams; i++)
		if (side > 1 || x->split[b][i] == side) {
			sum += x->value[i];
			*n += x->n_symptoms[i];
			++*k;
		}
	for (size_t i = 0; i < x->n_streams; i++)
		if (side > 1 || x->split[b][i] == side) {
			long double rest = x->value[i] - sum / *n * x->n_symptoms[i];

			*residual += rest * rest;
		}
	return sum / *n;
}

static long double plain_statistic(const struct plain *x, size_t b)
{
	long double rate[2], residual, n, prior, v = 0;
	size_t k;

	plain_rate(x, b, 2, &prior, &n, &k);
	prior = k > 1 ? prior / (k - 1) : 0;
	if (prior < 1e-12L)
		return 0;
	for (unsigned side = 0; side < 2; side++) {
		rate[side] = plain_rate(x, b, side, &residual, &n, &k);
		v += k * (prior + residual) / k / (n * n);
	}
	return (rate[1] - rate[0]) / sqrtl(v);
}

static const long double grid = 1.0L / (1 << 20);

static bool reaches(long double t, long double bound)
{
	return t >= bound - 1e-8L;
}

/* Does rounding decide whether these two are the same? */
static bool is_close(long double t, long double other)
{
	long double gap = fabsl(t - other), place = t / grid - floorl(t / grid);

	if (gap > 1e-8L)
		return gap < 2 * grid;
	return gap > 0 && fabsl(place - 0.5L) < 0.05L;
}

/* Splits that are as far out on their own side as split b. */
static size_t plain_tail(struct plain *x, size_t b)
{
	size_t up = 0, down = 0;

	for (size_t other = 0; other < x->n_splits; other++) {
		x->is_close |= is_close(x->t[other], x->t[b]);
		up += reaches(x->t[other], x->t[b]);
		down += reaches(-x->t[other], -x->t[b]);
	}
	return up < down ? up : down;
}

/* By rank, and among equal ranks by the size of T. */
static void plain_p_values(struct plain *x)
{
	static size_t tail[MAX_SPLITS];

	for (size_t item = 0; item < x->n_items; item++) {
		float *far = x->far[item];

		plain_values(x, item);
		for (size_t b = 0; b < x->n_splits; b++)
			x->t[b] = plain_statistic(x, b);
		for (size_t b = 0; b < x->n_splits; b++)
			tail[b] = plain_tail(x, b);
		x->p[item] = 0;
		for (size_t b = 0; b < x->n_splits; b++) {
			double size = fabs((double)(nearbyintl(x->t[b] / grid) * grid));
			size_t rank = 0;

			for (size_t other = 0; other < x->n_splits; other++)
				rank += tail[other] <= tail[b];
			far[b] = (float)((double)rank - size / (1 + size));
			x->p[item] += far[b] <= far[0];
		}
		x->p[item] /= (double)x->n_splits;
	}
}

/* Westfall and Young: against the furthest of the items that are no clearer. */
static void plain_adjust(struct plain *x)
{
	for (size_t item = 0; item < x->n_items; item++) {
		double worst = 0;

		/* Of this item, and of the clearer ones: what is less clear is no more significant.
		 */
		for (size_t first = 0; first < x->n_items; first++) {
			size_t n = 0;

			if (x->far[first][0] > x->far[item][0])
				continue;
			for (size_t b = 0; b < x->n_splits; b++) {
				float furthest = INFINITY;

				for (size_t i = 0; i < x->n_items; i++)
					if (x->far[i][0] >= x->far[first][0])
						furthest = fminf(furthest, x->far[i][b]);
				n += furthest <= x->far[first][0];
			}
			worst = fmax(worst, (double)n / (double)x->n_splits);
		}
		x->adjusted[item] = worst;
	}
}

/* Every split with as many streams in the second set, stratum by stratum. */
static void plain_enumerate(struct plain *x)
{
	x->n_splits = 1;
	for (size_t i = 0; i < x->n_streams; i++)
		x->split[0][i] = (unsigned char)x->side[i];
	for (unsigned mask = 0; mask < 1u << x->n_streams; mask++) {
		bool is_same = true, fits = true;

		for (size_t i = 0; i < x->n_streams; i++) {
			int more = 0;

			is_same &= (mask >> i & 1) == x->side[i];
			for (size_t j = 0; j < x->n_streams; j++)
				if (x->stratum[j] == x->stratum[i])
					more += (int)(mask >> j & 1) - (int)x->side[j];
			fits &= more == 0;
		}
		if (is_same || !fits)
			continue;
		assert_true(x->n_splits < MAX_SPLITS);
		for (size_t i = 0; i < x->n_streams; i++)
			x->split[x->n_splits][i] = mask >> i & 1;
		x->n_splits++;
	}
}

/* ---- Inputs ---- */

static void random_plain(struct plain *x, struct test_random *rng, size_t most_streams)
{
	unsigned n_strata = test_random_below(rng, 3) ? 1 : 2, largest;

	memset(x, 0, sizeof(*x));
	x->n_streams = 2 + test_random_below(rng, (uint32_t)most_streams - 1);
	x->n_items = 1 + test_random_below(rng, 4);
	largest = test_random_below(rng, 2) ? 1 : 3;
	for (size_t i = 0; i < x->n_streams; i++) {
		x->side[i] = i < 2 ? (unsigned)i : test_random_below(rng, 2);
		x->stratum[i] = test_random_below(rng, n_strata);
		x->n_symptoms[i] = 1 + test_random_below(rng, largest);
	}
	for (size_t item = 0; item < x->n_items; item++) {
		/* Few values give many ties, large ones lose digits where sums are not exact. */
		uint32_t below = test_random_below(rng, 2) ? 4 : 400000000;
		bool is_shifted = test_random_below(rng, 3) == 0;

		for (size_t i = 0; i < x->n_streams; i++) {
			x->cost[item][i] = test_random_below(rng, 3)
						   ? (int64_t)test_random_below(rng, below)
						   : 0;
			if (is_shifted && x->side[i])
				x->cost[item][i] += below;
		}
	}
}

struct input {
	struct lode_diff_stream streams[MAX_STREAMS];
	struct lode_diff_cost costs[MAX_ITEMS * MAX_STREAMS];
	size_t start[MAX_ITEMS + 1];
	struct lode_diff_input input;
};

static void make_input(struct input *in, const struct plain *x)
{
	size_t n = 0;

	memset(in, 0, sizeof(*in));
	for (size_t i = 0; i < x->n_streams; i++)
		in->streams[i] = (struct lode_diff_stream){
			.side = (uint8_t)x->side[i],
			.n_symptoms = x->n_symptoms[i],
			.symptom_ns = 10 * (int64_t)x->n_symptoms[i],
			.stratum = x->stratum[i],
		};
	for (size_t item = 0; item < x->n_items; item++) {
		in->start[item] = n;
		for (size_t i = 0; i < x->n_streams; i++)
			if (x->cost[item][i])
				in->costs[n++] =
					(struct lode_diff_cost){(uint32_t)i, x->cost[item][i]};
	}
	in->start[x->n_items] = n;
	in->input = (struct lode_diff_input){in->streams, x->n_streams, in->costs, in->start,
					     x->n_items};
}

static void check_same(const struct plain *x, const struct lode_diff *diff, uint64_t seed)
{
	if (x->is_close)
		return;
	assert_int_equal(diff->n_changes, x->n_items);
	assert_true(diff->total.p >= diff->least_p);
	for (size_t c = 0; c < diff->n_changes; c++) {
		const struct lode_diff_change *change = &diff->changes[c];
		double p = x->p[change->item], adjusted = x->adjusted[change->item];

		assert_true(change->p >= diff->least_p);
		if (change->p != p || change->p_adjusted != adjusted)
			fail_msg("seed %llu, item %u: p %.17g and %.17g, by definition %.17g and "
				 "%.17g",
				 (unsigned long long)seed, change->item, change->p,
				 change->p_adjusted, p, adjusted);
	}
}

static void p_values_are_those_of_all_splits(void **state)
{
	static struct plain x;
	static struct input in;
	unsigned n_close = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1500); seed++) {
		struct test_random rng = {seed};
		struct lode_diff_options options = {.n_threads = 1 + seed % 2};
		struct lode_diff *diff;

		random_plain(&x, &rng, 7);
		plain_enumerate(&x);
		plain_p_values(&x);
		plain_adjust(&x);
		make_input(&in, &x);
		diff = lode_diff_build(&in.input, &options);
		assert_non_null(diff);
		assert_true(diff->is_exact);
		assert_int_equal(diff->n_splits, x.n_splits);
		check_same(&x, diff, seed);
		n_close += x.is_close;
		lode_diff_free(diff);
	}
	assert_in_range(n_close, 0, 74);
}

/* Drawn splits: the same count over those that were drawn, the observed one among them. */
static void p_values_are_those_of_the_drawn_splits(void **state)
{
	static struct plain x;
	static struct input in;
	unsigned n_close = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random rng = {seed};
		struct lode_diff_options options = {.n_threads = 1, .max_splits = 40, .seed = seed};
		struct lode_splits splits;
		uint32_t stratum[MAX_STREAMS];
		uint8_t side[MAX_STREAMS];
		struct lode_diff *diff;

		random_plain(&x, &rng, 20);
		for (size_t i = 0; i < x.n_streams; i++) {
			side[i] = (uint8_t)x.side[i];
			stratum[i] = x.stratum[i];
		}
		lode_splits_build(&splits, side, has_strata(&x) ? stratum : NULL, x.n_streams,
				  options.max_splits, seed);
		x.n_splits = splits.n;
		for (size_t b = 0; b < splits.n; b++)
			for (size_t i = 0; i < x.n_streams; i++)
				x.split[b][i] = lode_split_has(&splits, b, i);
		plain_p_values(&x);
		plain_adjust(&x);
		make_input(&in, &x);
		diff = lode_diff_build(&in.input, &options);
		assert_non_null(diff);
		check_same(&x, diff, seed);
		n_close += x.is_close;
		lode_diff_free(diff);
		lode_splits_release(&splits);
	}
	assert_in_range(n_close, 0, 29);
}

/* ---- Splits ---- */

static bool same_row(const struct lode_splits *splits, size_t a, size_t b)
{
	for (size_t i = 0; i < splits->n_streams; i++)
		if (lode_split_has(splits, a, i) != lode_split_has(splits, b, i))
			return false;
	return true;
}

static void splits_keep_the_sizes_and_start_with_the_observed_one(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random rng = {seed};
		uint8_t side[80];
		uint32_t stratum[80];
		size_t n = 1 + test_random_below(&rng, seed % 3 ? 9 : 80), wanted[3] = {0};
		struct lode_splits splits, again;

		for (size_t i = 0; i < n; i++) {
			side[i] = (uint8_t)test_random_below(&rng, 2);
			stratum[i] = test_random_below(&rng, 3);
			wanted[stratum[i]] += side[i];
		}
		lode_splits_build(&splits, side, stratum, n, 300, seed);
		lode_splits_build(&again, side, stratum, n, 300, seed);
		assert_int_equal(splits.n, again.n);
		assert_true(splits.n <= 300 && splits.n >= 1);
		assert_int_equal(splits.is_exact, splits.n_possible <= 300);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(lode_split_has(&splits, 0, i), side[i]);
		for (size_t b = 0; b < splits.n; b++) {
			size_t got[3] = {0};

			for (size_t i = 0; i < n; i++) {
				got[stratum[i]] += lode_split_has(&splits, b, i);
				assert_int_equal(lode_split_has(&splits, b, i),
						 lode_split_has(&again, b, i));
			}
			assert_memory_equal(got, wanted, sizeof(got));
			for (size_t other = 0; splits.is_exact && other < b; other++)
				assert_false(same_row(&splits, b, other));
		}
		lode_splits_release(&splits);
		lode_splits_release(&again);
	}
	assert_true(lode_binomial(36, 18) == 9075135300.0);
	assert_true(lode_binomial(5, 6) == 0);
}

static void drawn_splits_are_uniform(void **state)
{
	enum { N = 12, K = 3, DRAWN = 100000 };
	uint8_t side[N] = {[N - 3] = 1, 1, 1};
	struct lode_splits splits;
	unsigned with[N] = {0}, pairs = 0;

	(void)state;
	lode_splits_build(&splits, side, NULL, N, 100, 7);
	assert_false(splits.is_exact);
	assert_true(splits.n_possible == 220);
	lode_splits_release(&splits);
	/* More are asked for than there are: bound the choice by hand, one draw a seed. */
	for (uint64_t seed = 1; seed <= DRAWN / 100; seed++) {
		lode_splits_build(&splits, side, NULL, N, 101, seed);
		for (size_t b = 1; b < splits.n; b++) {
			for (size_t i = 0; i < N; i++)
				with[i] += lode_split_has(&splits, b, i);
			pairs += lode_split_has(&splits, b, 0) && lode_split_has(&splits, b, 5);
		}
		lode_splits_release(&splits);
	}
	/* Five standard deviations around the expectation. */
	for (size_t i = 0; i < N; i++)
		assert_true(fabs(with[i] - DRAWN * 0.25) < 5 * sqrt(DRAWN * 0.25 * 0.75));
	assert_true(fabs(pairs - DRAWN * 6 / 132.0) < 5 * sqrt(DRAWN * 6 / 132.0));
}

/* ---- What it is for ---- */

static double uniform(struct test_random *rng)
{
	return ((double)(test_random_next(rng) >> 11) + 0.5) / 9007199254740992.0;
}

/* Skewed, as waiting times are. */
static int64_t long_tailed(struct test_random *rng, double mean)
{
	return (int64_t)(mean * -log(uniform(rng)) * -log(uniform(rng)));
}

/* Streams of one condition: clusters that all have, that some have, that go with each other. */
static void random_runs(struct plain *x, struct test_random *rng, size_t n_a, size_t n_b)
{
	memset(x, 0, sizeof(*x));
	x->n_streams = n_a + n_b;
	x->n_items = MAX_ITEMS;
	for (size_t i = 0; i < x->n_streams; i++) {
		int64_t shared = long_tailed(rng, 1e6);

		x->side[i] = i >= n_a;
		x->n_symptoms[i] = 1 + test_random_below(rng, 3);
		for (size_t item = 0; item < MAX_ITEMS; item++) {
			bool has_it = item % 3 || test_random_below(rng, 4) == 0;

			for (unsigned n = 0; has_it && n < x->n_symptoms[i]; n++)
				x->cost[item][i] += item % 2 ? shared : long_tailed(rng, 1e6);
		}
	}
}

static const struct lode_diff_options simulated = {
	.min_change = 1, .min_relative = 1e-9, .max_splits = 400, .n_threads = 1};

static bool calls_any(const struct plain *x, uint64_t seed)
{
	static struct input in;
	struct lode_diff_options options = simulated;
	struct lode_diff *diff;
	bool is_any;

	options.seed = seed;
	make_input(&in, x);
	diff = lode_diff_build(&in.input, &options);
	is_any = diff->n_of[LODE_DIFF_SAME] < diff->n_changes;
	lode_diff_free(diff);
	return is_any;
}

/* Twelve clusters are looked at, and still only one comparison in twenty is wrong. */
static void chance_is_called_a_change_no_more_often_than_the_level_says(void **state)
{
	enum { RUNS = 400 };
	static const size_t sizes[][2] = {{12, 12}, {30, 6}, {4, 5}};
	static struct plain x;

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct test_random rng = {1000 + s};
		unsigned wrong = 0;

		for (uint64_t run = 0; run < RUNS; run++) {
			random_runs(&x, &rng, sizes[s][0], sizes[s][1]);
			wrong += calls_any(&x, run);
		}
		/* 5 % and three standard deviations */
		if (wrong > RUNS * 0.05 + 3 * sqrt(RUNS * 0.05 * 0.95))
			fail_msg("%zu and %zu streams: %u of %d comparisons are wrong", sizes[s][0],
				 sizes[s][1], wrong, RUNS);
	}
}

static void what_has_changed_is_found_and_nothing_else(void **state)
{
	enum { RUNS = 100 };
	static struct plain x;
	static struct input in;
	struct test_random rng = {5};
	unsigned n_found = 0, n_first = 0, n_others = 0;

	(void)state;
	for (uint64_t run = 0; run < RUNS; run++) {
		struct lode_diff *diff;

		random_runs(&x, &rng, 24, 8);
		for (size_t i = 0; i < x.n_streams; i++)
			x.cost[2][i] = x.side[i] ? 3 * (int64_t)x.n_symptoms[i] * 1000000 +
							   long_tailed(&rng, 1e6)
						 : 0;
		make_input(&in, &x);
		diff = lode_diff_build(&in.input, &simulated);
		n_first += diff->changes[0].item == 2 && diff->changes[0].class == LODE_DIFF_NEW;
		for (size_t c = 0; c < diff->n_changes; c++) {
			n_found += diff->changes[c].item == 2 &&
				   diff->changes[c].class != LODE_DIFF_SAME;
			n_others += diff->changes[c].item != 2 &&
				    diff->changes[c].class != LODE_DIFF_SAME;
		}
		lode_diff_free(diff);
	}
	assert_true(n_found >= 98 && n_first >= 98);
	assert_true(n_others <= 15);
}

/* The same mean cost, but the smaller set scatters more: that is no change of the cost. */
static void a_larger_spread_is_no_change(void **state)
{
	enum { RUNS = 400 };
	static struct plain x;
	struct test_random rng = {11};
	unsigned wrong = 0;

	(void)state;
	for (uint64_t run = 0; run < RUNS; run++) {
		memset(&x, 0, sizeof(x));
		x.n_items = 1;
		x.n_streams = 50;
		for (size_t i = 0; i < x.n_streams; i++) {
			double spread = i >= 40 ? 400 : 100;

			x.side[i] = i >= 40;
			x.n_symptoms[i] = 1;
			x.cost[0][i] =
				(int64_t)(1000 + spread * (uniform(&rng) + uniform(&rng) - 1));
		}
		wrong += calls_any(&x, run);
	}
	/* A test of the plain difference is wrong in a quarter of them. */
	if (wrong > RUNS * 0.13)
		fail_msg("%u of %d comparisons are wrong", wrong, RUNS);
}

/* ---- Classes and figures ---- */

static void classes_are_in_order_and_small_changes_stay_out(void **state)
{
	/* Per item: cost in each of six streams of A, and of B. */
	static const int64_t cost[][2] = {
		{1000, 1000},	{500, 900}, {0, 300}, {700, 10}, {900, 500},
		{10000, 10050}, {0, 2},	    {1, 400}, {0, 700},
	};
	static const enum lode_diff_class class[] = {
		LODE_DIFF_SAME, LODE_DIFF_WORSE, LODE_DIFF_NEW, LODE_DIFF_GONE, LODE_DIFF_BETTER,
		LODE_DIFF_SAME, LODE_DIFF_SAME,	 LODE_DIFF_NEW, LODE_DIFF_NEW,
	};
	static const uint32_t order[] = {8, 7, 2, 3, 1, 4, 5, 6, 0};
	static struct plain x;
	static struct input in;
	struct lode_diff_options options = {.min_change = 10, .n_threads = 1};
	struct lode_diff *diff;

	(void)state;
	memset(&x, 0, sizeof(x));
	x.n_items = sizeof(cost) / sizeof(cost[0]);
	x.n_streams = 12;
	for (size_t i = 0; i < x.n_streams; i++) {
		x.side[i] = i % 2;
		x.n_symptoms[i] = 2;
		for (size_t item = 0; item < x.n_items; item++)
			x.cost[item][i] = 2 * cost[item][i % 2];
	}
	make_input(&in, &x);
	diff = lode_diff_build(&in.input, &options);
	for (size_t c = 0; c < diff->n_changes; c++) {
		const struct lode_diff_change *change = &diff->changes[c];

		assert_int_equal(change->item, order[c]);
		assert_int_equal(change->class, class[change->item]);
		assert_true(change->per_symptom[0] == (double)cost[change->item][0]);
		assert_true(change->per_symptom[1] == (double)cost[change->item][1]);
		if (cost[change->item][0])
			assert_true(change->ratio ==
				    (double)cost[change->item][1] / (double)cost[change->item][0]);
		else
			assert_true(isnan(change->ratio));
		assert_int_equal(change->n_streams[0], cost[change->item][0] ? 6 : 0);
	}
	assert_int_equal(diff->n_of[LODE_DIFF_NEW], 3);
	assert_int_equal(diff->n_of[LODE_DIFF_SAME], 3);
	assert_int_equal(diff->sides[1].n_symptoms, 12);
	assert_true(diff->least_p == 2.0 / 924);
	lode_diff_free(diff);
}

/* Hosts that differ are no change, and do not hide one. */
static void strata_are_compared_with_themselves(void **state)
{
	static struct plain x;
	static struct input in;
	struct lode_diff_options options = {.min_change = 1, .n_threads = 1};
	struct lode_diff *diff;

	(void)state;
	memset(&x, 0, sizeof(x));
	x.n_items = 2;
	x.n_streams = 24;
	for (size_t i = 0; i < x.n_streams; i++) {
		bool is_slow = i % 4 != 0; /* the slow host is mostly in B */

		x.side[i] = i >= 12 ? i % 4 != 1 : i % 4 == 2;
		x.stratum[i] = is_slow;
		x.n_symptoms[i] = 1;
		x.cost[0][i] = (is_slow ? 100000 : 1000) + (int64_t)(i * 7 % 5);
		x.cost[1][i] = x.cost[0][i] + (x.side[i] ? 200 : 0);
	}
	make_input(&in, &x);
	options.min_relative = 1e-6;
	diff = lode_diff_build(&in.input, &options);
	assert_true(diff->has_strata);
	assert_int_equal(diff->changes[0].item, 1);
	assert_int_equal(diff->changes[0].class, LODE_DIFF_WORSE);
	assert_true(fabs(diff->changes[0].change - 200) < 3);
	assert_int_equal(diff->changes[1].class, LODE_DIFF_SAME);
	lode_diff_free(diff);
}

static void small_sets_are_told(void **state)
{
	static struct plain x;
	static struct input in;
	struct lode_diff_options options = {.n_threads = 1};
	struct lode_diff *diff;

	(void)state;
	memset(&x, 0, sizeof(x));
	x.n_items = 1;
	x.n_streams = 7;
	for (size_t i = 0; i < 6; i++) {
		x.side[i] = i >= 3;
		x.n_symptoms[i] = 1;
		x.cost[0][i] = x.side[i] ? 1000000 + (int64_t)i : 0;
	}
	x.side[6] = 1; /* without symptoms: says nothing */
	make_input(&in, &x);
	diff = lode_diff_build(&in.input, &options);
	assert_true(diff->least_p == 0.1);
	assert_true(diff->changes[0].p == 0.1);
	assert_true(diff->changes[0].matters);
	assert_int_equal(diff->changes[0].class, LODE_DIFF_SAME);
	assert_int_equal(diff->sides[1].n_without, 1);
	assert_int_equal(diff->sides[1].n_streams, 3);
	lode_diff_free(diff);
	assert_int_equal(lode_diff_enough_streams(0.05), 4);
	assert_int_equal(lode_diff_enough_streams(0.01), 5);
	for (size_t i = 0; i < 7; i++)
		in.streams[i].side = 1;
	assert_null(lode_diff_build(&in.input, &options));
	lode_diff_free(NULL);
}

/* Costs near the end of what 64 bits hold are rounded, not wrapped. */
static void large_costs_do_not_overflow(void **state)
{
	static struct plain x;
	static struct input in;
	struct lode_diff_options options = {.n_threads = 2};
	struct lode_diff *diff;

	(void)state;
	memset(&x, 0, sizeof(x));
	x.n_items = 2;
	x.n_streams = 10;
	for (size_t i = 0; i < 10; i++) {
		x.side[i] = i >= 5;
		x.n_symptoms[i] = 400000000;
		x.cost[0][i] = INT64_MAX / 10 - (int64_t)i * (INT64_MAX / 400);
		x.cost[1][i] = i >= 5 ? INT64_MAX / 5 : 0;
	}
	make_input(&in, &x);
	diff = lode_diff_build(&in.input, &options);
	assert_int_equal(diff->changes[0].item, 1);
	assert_int_equal(diff->changes[0].class, LODE_DIFF_NEW);
	assert_true(diff->changes[0].p == 2.0 / 252 && diff->changes[1].p == 2.0 / 252);
	lode_diff_free(diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_values_are_those_of_all_splits),
		cmocka_unit_test(p_values_are_those_of_the_drawn_splits),
		cmocka_unit_test(splits_keep_the_sizes_and_start_with_the_observed_one),
		cmocka_unit_test(drawn_splits_are_uniform),
		cmocka_unit_test(chance_is_called_a_change_no_more_often_than_the_level_says),
		cmocka_unit_test(what_has_changed_is_found_and_nothing_else),
		cmocka_unit_test(a_larger_spread_is_no_change),
		cmocka_unit_test(classes_are_in_order_and_small_changes_stay_out),
		cmocka_unit_test(strata_are_compared_with_themselves),
		cmocka_unit_test(small_sets_are_told),
		cmocka_unit_test(large_costs_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
