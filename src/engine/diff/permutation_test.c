/* Permutation tests of many changes at once, with adjusted p-values. */
#include "engine/diff/permutation_test.h"

#include <math.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/sorted.h"

/* A split's T as a number that is ordered like it. */
struct key {
	uint64_t order;
	uint32_t split;
};

struct scratch {
	double *t;
	struct key *keys, *other;
	uint32_t *tail, *n_with;
};

struct job {
	struct lode_permutation_item *items;
	const struct lode_change_sizes *sizes;
	size_t n_splits;
	float *far; /* per item and split: how far out; less is further */
	struct scratch *scratch;
};

static uint64_t order_of(double t)
{
	uint64_t bits;

	t += 0.0; /* -0 and 0 are the same */
	memcpy(&bits, &t, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* By order, in place; equal ones keep theirs. Digits of 11 bits, least significant first. */
static void sort_keys(struct key *keys, struct key *other, size_t n)
{
	enum { DIGIT = 11, DIGITS = 6, VALUES = 1 << DIGIT };
	struct key *swapped;

	for (unsigned d = 0; d < DIGITS; d++) {
		size_t start[VALUES] = {0}, at = 0;

		for (size_t i = 0; i < n; i++)
			start[keys[i].order >> DIGIT * d & (VALUES - 1)]++;
		for (size_t v = 0; v < VALUES; v++) {
			size_t n_v = start[v];

			start[v] = at;
			at += n_v;
		}
		for (size_t i = 0; i < n; i++)
			other[start[keys[i].order >> DIGIT * d & (VALUES - 1)]++] = keys[i];
		swapped = keys;
		keys = other;
		other = swapped;
	}
}

/* Per split: how many have a T as low, or as high; the rarer of the two. */
static int find_tails(uint32_t *tail, const struct key *keys, size_t n)
{
	int direction = 0;

	for (size_t from = 0, to; from < n; from = to) {
		size_t low, high;

		for (to = from; to < n && keys[to].order == keys[from].order; to++)
			;
		low = to;
		high = n - from;
		for (size_t i = from; i < to; i++) {
			tail[keys[i].split] = (uint32_t)(low < high ? low : high);
			if (keys[i].split == 0)
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

	lode_change_statistics(s->t, job->sizes, item->values, item->n_values);
	for (size_t b = 0; b < n; b++)
		s->keys[b] = (struct key){order_of(s->t[b]), (uint32_t)b};
	sort_keys(s->keys, s->other, n);
	item->direction = find_tails(s->tail, s->keys, n);
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
static int by_clarity(const void *a, const void *b, void *context)
{
	const struct job *job = context;
	size_t p = *(const size_t *)a, q = *(const size_t *)b;
	float x = job->far[p * job->n_splits], y = job->far[q * job->n_splits];

	return LODE_ORDER(x, y) ?: LODE_ORDER(p, q);
}

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
	struct job job = {.items = items, .sizes = sizes, .n_splits = n};

	if (n_items == 0)
		return;
	if (n_threads > n_items)
		n_threads = (unsigned)n_items;
	if (n_threads == 0)
		n_threads = 1;
	job.far = lode_realloc_n(NULL, n_items, n * sizeof(*job.far));
	job.scratch = lode_alloc0(n_threads, sizeof(*job.scratch));
	for (unsigned w = 0; w < n_threads; w++) {
		job.scratch[w].t = lode_alloc(n * sizeof(*job.scratch[w].t));
		job.scratch[w].keys = lode_alloc(n * sizeof(*job.scratch[w].keys));
		job.scratch[w].other = lode_alloc(n * sizeof(*job.scratch[w].other));
		job.scratch[w].tail = lode_alloc(n * sizeof(*job.scratch[w].tail));
		job.scratch[w].n_with = lode_alloc((n + 1) * sizeof(*job.scratch[w].n_with));
	}
	lode_pool_run(n_threads, n_items, test_item, &job);
	step_down(&job, n_items);
	for (unsigned w = 0; w < n_threads; w++) {
		free(job.scratch[w].t);
		free(job.scratch[w].keys);
		free(job.scratch[w].other);
		free(job.scratch[w].tail);
		free(job.scratch[w].n_with);
	}
	free(job.scratch);
	free(job.far);
}
