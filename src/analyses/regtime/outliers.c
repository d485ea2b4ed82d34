#include "analyses/regtime/outliers.h"

#include <stdlib.h>

static int compare_outliers(const void *a, const void *b)
{
	const struct lode_outlier *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->duration_ns != y->duration_ns)
		return x->duration_ns > y->duration_ns ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

struct order {
	const struct lode_outliers *outliers;
	const struct lode_calltree *functions;
};

static int compare_groups(const void *a, const void *b, void *context)
{
	const struct order *order = context;
	const struct lode_outlier_group *x = a, *y = b;
	const struct lode_outlier *p = &order->outliers->at.at[x->first];
	const struct lode_outlier *q = &order->outliers->at.at[y->first];
	int by_name;

	if (p->times_median > q->times_median || p->times_median < q->times_median)
		return p->times_median > q->times_median ? -1 : 1;
	if (p->duration_ns != q->duration_ns)
		return p->duration_ns > q->duration_ns ? -1 : 1;
	by_name = strcmp(lode_frame_function(order->functions, x->function),
			 lode_frame_function(order->functions, y->function));
	return by_name ? by_name : (x->function > y->function) - (x->function < y->function);
}

static void add_thread_outliers(struct lode_outliers *out, const struct lode_regtime *regtime,
				size_t index)
{
	const struct lode_regtime_thread *thread = &regtime->threads[index];

	for (size_t i = 0; i < thread->items.n; i++) {
		const struct lode_regtime_item *item = &thread->items.at[i];
		uint32_t function;
		int64_t median;

		if (item->kind != LODE_REGTIME_CALL)
			continue;
		function = lode_call_function(thread->thread, item->stack);
		median = regtime->trace->spreads.at[function].median_ns;
		lode_vec_append(&out->at,
				((struct lode_outlier){
					.thread = index,
					.stack = item->stack,
					.function = function,
					.depth = item->depth,
					.start_ns = item->start_ns,
					.duration_ns = item->end_ns - item->start_ns,
					.times_median = (double)(item->end_ns - item->start_ns) /
							(double)(median > 0 ? median : 1)}));
	}
}

static void make_groups(struct lode_outliers *out, size_t n_threads)
{
	uint8_t *seen = lode_alloc0(n_threads, 1);

	for (size_t i = 0; i < out->at.n; i++) {
		const struct lode_outlier *outlier = &out->at.at[i];
		struct lode_outlier_group *group =
			out->groups.n ? &out->groups.at[out->groups.n - 1] : NULL;

		if (!group || group->function != outlier->function) {
			group = lode_vec_append_zero(&out->groups);
			group->function = outlier->function;
			group->first = i;
			memset(seen, 0, n_threads);
		}
		group->n++;
		group->total_ns += (uint64_t)outlier->duration_ns;
		group->n_threads += !seen[outlier->thread];
		seen[outlier->thread] = 1;
	}
	free(seen);
}

void lode_outliers_find(struct lode_outliers *out, const struct lode_regtime *regtime)
{
	struct order order = {out, &regtime->trace->functions};
	struct lode_outliers sorted = {0};

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < regtime->n_threads; i++)
		add_thread_outliers(out, regtime, i);
	if (!out->at.n)
		return;
	qsort(out->at.at, out->at.n, sizeof(*out->at.at), compare_outliers);
	make_groups(out, regtime->n_threads);
	qsort_r(out->groups.at, out->groups.n, sizeof(*out->groups.at), compare_groups, &order);
	/* The outliers in the order of their groups. */
	lode_vec_reserve(&sorted.at, out->at.n);
	for (size_t g = 0; g < out->groups.n; g++) {
		struct lode_outlier_group *group = &out->groups.at[g];
		size_t first = sorted.at.n;

		memcpy(sorted.at.at + first, out->at.at + group->first,
		       group->n * sizeof(*out->at.at));
		sorted.at.n += group->n;
		group->first = first;
	}
	lode_vec_release(&out->at);
	out->at.at = sorted.at.at;
	out->at.n = sorted.at.n;
	out->at.capacity = sorted.at.capacity;
}

void lode_outliers_release(struct lode_outliers *outliers)
{
	lode_vec_release(&outliers->at);
	lode_vec_release(&outliers->groups);
}
