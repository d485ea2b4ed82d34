/* Test statistic of two sets of recordings: a difference of ratios, studentised. */
#include "engine/diff/change_statistic.h"

#include <math.h>

#include "base/mem.h"

typedef __int128 wide;

/*
 * Costs are rounded to whole units, 2^30 of which are more than all of them together: then every
 * sum of squares fits into 64 bits, and all products below into 128.
 */
enum { UNIT_BITS = 30 };

/* Binary places of T: differences below are no evidence of anything. */
enum { STATISTIC_BITS = 20 };

/* Streams' worth of spread that is known beforehand: 0 would be Welch's statistic, which knows too
   little of the spread of two or three streams; 4 would let a larger spread pass for a change. */
static const double prior_streams = 1;

/* Sums over the streams of a set. */
struct sums {
	int64_t x, xx, xn, n, nn;
	size_t k;
};

void lode_change_sizes_init(struct lode_change_sizes *out, const uint32_t *n_symptoms,
			    const struct lode_splits *splits)
{
	memset(out, 0, sizeof(*out));
	out->n_symptoms = n_symptoms;
	out->splits = splits;
	out->n = lode_alloc0(splits->n, sizeof(*out->n));
	out->nn = lode_alloc0(splits->n, sizeof(*out->nn));
	for (size_t i = 0; i < splits->n_streams; i++) {
		out->n_second += lode_split_has(splits, 0, i);
		out->n_all += n_symptoms[i];
		out->nn_all += (int64_t)n_symptoms[i] * n_symptoms[i];
	}
	for (size_t i = 0; i < splits->n_streams; i++) {
		const uint8_t *block = &splits->blocks[i / LODE_SPLIT_BLOCK * splits->n];
		int64_t n = n_symptoms[i];

		for (size_t b = 0; b < splits->n; b++) {
			int64_t mask = -(int64_t)(block[b] >> i % LODE_SPLIT_BLOCK & 1);

			out->n[b] += n & mask;
			out->nn[b] += n * n & mask;
		}
	}
}

void lode_change_sizes_release(struct lode_change_sizes *sizes)
{
	free(sizes->n);
	free(sizes->nn);
	memset(sizes, 0, sizeof(*sizes));
}

/* Sum of (x - r n)^2 with r = sum x / sum n: exact up to one division. */
static double residual(const struct sums *s)
{
	wide n = s->n, x = s->x;
	wide sum = (wide)s->xx * n * n - 2 * x * n * s->xn + x * x * s->nn;

	return (double)sum / ((double)s->n * (double)s->n);
}

/* Variance of a set's cost per symptom. `prior` is the variance of a stream, beforehand. */
static double variance(const struct sums *s, double prior)
{
	double spread = (prior_streams * prior + residual(s)) / (prior_streams + (double)s->k - 1);

	return (double)s->k * spread / ((double)s->n * (double)s->n);
}

static double statistic(const struct sums *all, const struct sums *second, double prior)
{
	struct sums first = {
		all->x - second->x, all->xx - second->xx, all->xn - second->xn,
		all->n - second->n, all->nn - second->nn, all->k - second->k,
	};
	/* The difference over the common denominator is a whole number: equal costs give 0. */
	wide difference = (wide)second->x * first.n - (wide)first.x * second->n;
	double change = (double)difference / ((double)first.n * (double)second->n);

	change /= sqrt(variance(&first, prior) + variance(second, prior));
	/* Two ways to the same T may differ in their last digits. */
	return nearbyint(change * (1 << STATISTIC_BITS)) / (1 << STATISTIC_BITS);
}

/* What a stream, or several, add to the sums of a set, in whole units. */
struct part {
	int64_t x, xx, xn;
};

/* One that is not 0. */
struct stream_part {
	uint32_t stream;
	struct part part;
};

/* Costs in units that keep sums of squares within 64 bits. */
static size_t make_parts(struct stream_part *parts, const struct lode_change_sizes *sizes,
			 const struct lode_change_value *values, size_t n_values)
{
	double sum = 0;
	size_t n = 0;
	int bits;

	for (size_t i = 0; i < n_values; i++)
		sum += fabs(values[i].cost);
	frexp(sum, &bits); /* sum < 2^bits */
	for (size_t i = 0; i < n_values; i++) {
		int64_t x = llround(ldexp(values[i].cost, UNIT_BITS - bits));

		if (x)
			parts[n++] = (struct stream_part){
				values[i].stream,
				{x, x * x, x * sizes->n_symptoms[values[i].stream]}};
	}
	return n;
}

static void add_change_statistic(struct part *to, const struct part *part)
{
	to->x += part->x;
	to->xx += part->xx;
	to->xn += part->xn;
}

/*
 * Adds the parts of one block of streams to the sums of every split. A block has 2^8 subsets: with
 * many splits, what each of them adds is worked out once ("four Russians").
 */
static void add_block(struct part *sums, const struct lode_splits *splits,
		      const struct stream_part *parts, size_t n)
{
	enum { SUBSETS = 1 << LODE_SPLIT_BLOCK };
	const uint8_t *block = &splits->blocks[parts[0].stream / LODE_SPLIT_BLOCK * splits->n];
	struct part of[SUBSETS] = {{0}};

	for (size_t i = 0; i < n; i++)
		of[1u << parts[i].stream % LODE_SPLIT_BLOCK] = parts[i].part;
	for (unsigned subset = 1; subset < SUBSETS; subset++) {
		unsigned rest = subset & (subset - 1);

		if (!rest)
			continue;
		of[subset] = of[rest];
		add_change_statistic(&of[subset], &of[subset ^ rest]);
	}
	for (size_t b = 0; b < splits->n; b++)
		add_change_statistic(&sums[b], &of[block[b]]);
}

void lode_change_statistics(double *t, const struct lode_change_sizes *sizes,
			    const struct lode_change_value *values, size_t n_values)
{
	const struct lode_splits *splits = sizes->splits;
	struct stream_part *parts = lode_alloc(n_values * sizeof(*parts));
	struct part *sums = lode_alloc0(splits->n, sizeof(*sums));
	size_t n = make_parts(parts, sizes, values, n_values);
	struct sums all = {.n = sizes->n_all, .nn = sizes->nn_all, .k = splits->n_streams};
	double prior;

	for (size_t i = 0; i < n; i++) {
		all.x += parts[i].part.x;
		all.xx += parts[i].part.xx;
		all.xn += parts[i].part.xn;
	}
	prior = all.k > 1 ? residual(&all) / (double)(all.k - 1) : 0;
	for (size_t from = 0, to; prior > 0 && from < n; from = to) {
		uint32_t block = parts[from].stream / LODE_SPLIT_BLOCK;

		for (to = from; to < n && parts[to].stream / LODE_SPLIT_BLOCK == block; to++)
			;
		add_block(sums, splits, &parts[from], to - from);
	}
	for (size_t b = 0; b < splits->n; b++) {
		struct sums s = {sums[b].x,   sums[b].xx,   sums[b].xn,
				 sizes->n[b], sizes->nn[b], sizes->n_second};

		/* Without any spread every symptom costs the same. */
		t[b] = prior > 0 ? statistic(&all, &s, prior) : 0;
	}
	free(parts);
	free(sums);
}
