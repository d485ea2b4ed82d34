/* Permutation tests of many changes at once, with adjusted p-values. */
#include "engine/diff/permutation_test.h"

#include <math.h>

#include "base/number_sort.h"
#include "base/pool.h"
#include "base/sorted.h"

/* ---- How far apart two sets are ---- */

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

/*
 * T of each split into `t` (room for splits->n). `values` are those that are not 0, by stream.
 * O(splits * blocks of streams that have any).
 */
static void change_statistics(double *t, const struct lode_change_sizes *sizes,
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

/* ---- The tests ---- */

struct scratch {
	double *t;
	uint32_t *order, *tail, *n_with;
};

struct job {
	struct lode_permutation_item *items;
	const struct lode_change_sizes *sizes;
	size_t n_splits;
	float *far; /* per item and split: how far out; less is further */
	struct scratch *scratch;
};

/* Per split: how many have a T as low, or as high; the rarer of the two. */
static int find_tails(uint32_t *tail, const double *t, const uint32_t *order, size_t n)
{
	int direction = 0;

	for (size_t from = 0, to; from < n; from = to) {
		size_t low, high;

		for (to = from; to < n && t[order[to]] == t[order[from]]; to++)
			;
		low = to;
		high = n - from;
		for (size_t i = from; i < to; i++) {
			tail[order[i]] = (uint32_t)(low < high ? low : high);
			if (order[i] == 0)
				direction = (high < low) - (low < high);
		}
	}
	return direction;
}

static void test_item(void *context, size_t index, unsigned worker)
{
	const struct job *job = context;
	struct scratch *s = &job->scratch[worker];
	struct lode_permutation_item *item = &job->items[index];
	float *far = &job->far[index * job->n_splits];
	size_t n = job->n_splits, n_as_far = 0;

	change_statistics(s->t, job->sizes, item->values, item->n_values);
	for (size_t b = 0; b < n; b++)
		s->order[b] = (uint32_t)b;
	lode_sort_rows(s->order, n, s->t);
	item->direction = find_tails(s->tail, s->t, s->order, n);
	memset(s->n_with, 0, (n + 1) * sizeof(*s->n_with));
	for (size_t b = 0; b < n; b++)
		s->n_with[s->tail[b]]++;
	for (size_t i = 1; i <= n; i++)
		s->n_with[i] += s->n_with[i - 1];
	for (size_t b = 0; b < n; b++) {
		double size = fabs(s->t[b]);

		/* From rank - 1 to rank; where a float has no room for the rest, ranks are large.
		 */
		far[b] = (float)((double)s->n_with[s->tail[b]] - size / (1 + size));
	}
	for (size_t b = 0; b < n; b++)
		n_as_far += far[b] <= far[0];
	item->p = (double)n_as_far / (double)n;
}

/* The clearest first; ties by number. */
LODE_COMPARE_WITH(by_clarity, size_t, const struct job *job,
		  LODE_ORDER(job->far[*a * job->n_splits], job->far[*b * job->n_splits])
			  ?: LODE_ORDER(*a, *b))

static void step_down(const struct job *job, size_t n_items)
{
	size_t n = job->n_splits, *order = lode_alloc(n_items * sizeof(*order));
	float *furthest = lode_alloc(n * sizeof(*furthest));
	double largest = 0;

	for (size_t i = 0; i < n_items; i++)
		order[i] = i;
	lode_sort_r(order, n_items, by_clarity, (void *)job);
	for (size_t b = 0; b < n; b++)
		furthest[b] = INFINITY;
	for (size_t i = n_items; i > 0; i--) {
		const float *far = &job->far[order[i - 1] * n];
		size_t n_as_far = 0;

		for (size_t b = 0; b < n; b++) {
			if (far[b] < furthest[b])
				furthest[b] = far[b];
			n_as_far += furthest[b] <= far[0];
		}
		job->items[order[i - 1]].p_adjusted = (double)n_as_far / (double)n;
	}
	/* What is less clear is no more significant. */
	for (size_t i = 0; i < n_items; i++) {
		struct lode_permutation_item *item = &job->items[order[i]];

		if (item->p_adjusted < largest)
			item->p_adjusted = largest;
		largest = item->p_adjusted;
	}
	free(order);
	free(furthest);
}

void lode_permutation_test(struct lode_permutation_item *items, size_t n_items,
			   const struct lode_change_sizes *sizes, unsigned n_threads)
{
	size_t n = sizes->splits->n;
	struct lode_arena arena = {0};
	struct job job = {.items = items, .sizes = sizes, .n_splits = n};

	if (n_items == 0)
		return;
	if (n_threads > n_items)
		n_threads = (unsigned)n_items;
	if (n_threads == 0)
		n_threads = 1;
	job.far = lode_realloc_n(NULL, n_items, n * sizeof(*job.far));
	job.scratch = lode_arena_array0(&arena, struct scratch, n_threads);
	for (unsigned w = 0; w < n_threads; w++) {
		job.scratch[w].t = lode_arena_array(&arena, double, n);
		job.scratch[w].order = lode_arena_array(&arena, uint32_t, n);
		job.scratch[w].tail = lode_arena_array(&arena, uint32_t, n);
		job.scratch[w].n_with = lode_arena_array(&arena, uint32_t, n + 1);
	}
	lode_pool_run(n_threads, n_items, test_item, &job);
	step_down(&job, n_items);
	lode_arena_release(&arena);
	free(job.far);
}
