/* Calls that RegTime keeps as outliers of their functions (task T2 of the thesis). */
#include "engine/regtime/outliers.h"

#include "base/sorted.h"

/* Of one function: the longest first. */
static int compare_lengths(const struct lode_outlier *x, const struct lode_outlier *y)
{
	return LODE_ORDER(y->duration_ns, x->duration_ns)
		       ?: LODE_ORDER(x->start_ns, y->start_ns)
		       ?: LODE_ORDER(x->thread, y->thread)
		       ?: LODE_ORDER(x->depth, y->depth);
}

/* By group, whose rank is given by function. */
LODE_COMPARE_WITH(compare_outliers, struct lode_outlier, const uint32_t *rank_of,
		  LODE_ORDER(rank_of[a->function], rank_of[b->function]) ?: compare_lengths(a, b))

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
	const char *p_name = lode_frame_function(order->functions, x->function);
	const char *q_name = lode_frame_function(order->functions, y->function);
	int lengths = LODE_ORDER(y->weight, x->weight)
			      ?: LODE_ORDER(q->times_median, p->times_median)
			      ?: LODE_ORDER(q->duration_ns, p->duration_ns);

	return lengths ?: strcmp(p_name, q_name) ?: LODE_ORDER(x->function, y->function);
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
		lode_vec_append(&out->at, ((struct lode_outlier){
						  .thread = index,
						  .stack = item->stack,
						  .function = function,
						  .depth = item->depth,
						  .start_ns = item->start_ns,
						  .duration_ns = item->end_ns - item->start_ns,
						  .times_median = lode_times_median(
							  item->end_ns - item->start_ns, median)}));
	}
}

/* Outliers come thread by thread; a group's first is the longest so far. */
static void make_groups(struct lode_outliers *out, uint32_t *group_of, size_t n_functions)
{
	for (size_t f = 0; f < n_functions; f++)
		group_of[f] = LODE_NONE;
	for (size_t i = 0; i < out->at.n; i++) {
		const struct lode_outlier *outlier = &out->at.at[i];
		struct lode_outlier_group *group;

		if (group_of[outlier->function] == LODE_NONE) {
			group_of[outlier->function] = (uint32_t)out->groups.n;
			lode_vec_append(&out->groups,
					((struct lode_outlier_group){.function = outlier->function,
								     .first = i,
								     .last_thread = SIZE_MAX}));
		}
		group = &out->groups.at[group_of[outlier->function]];
		group->n++;
		group->total_ns += (uint64_t)outlier->duration_ns;
		group->n_threads += group->last_thread != outlier->thread;
		group->last_thread = outlier->thread;
		if (compare_lengths(outlier, &out->at.at[group->first]) < 0)
			group->first = i;
	}
}

static void weigh_group(struct lode_outlier_group *group, const struct lode_outliers *outliers,
			const struct lode_call_spread *spread)
{
	double usual_ns = (double)group->n * (double)spread->median_ns;
	double calls_each = (double)spread->n / (double)group->n;
	double times = outliers->at.at[group->first].times_median;

	group->weight =
		((double)group->total_ns - usual_ns) * (times < calls_each ? times : calls_each);
}

void lode_outliers_find(struct lode_outliers *out, const struct lode_regtime *regtime)
{
	size_t n_functions = regtime->trace->functions.frames.n, first = 0;
	struct order order = {out, &regtime->trace->functions};
	uint32_t *rank_of;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < regtime->n_threads; i++)
		add_thread_outliers(out, regtime, i);
	if (!out->at.n)
		return;
	lode_vec_fit(&out->at, out->at.n);
	rank_of = lode_alloc(n_functions * sizeof(*rank_of));
	make_groups(out, rank_of, n_functions);
	for (size_t g = 0; g < out->groups.n; g++)
		weigh_group(&out->groups.at[g], out,
			    &regtime->trace->spreads.at[out->groups.at[g].function]);
	lode_sort_r(out->groups.at, out->groups.n, compare_groups, &order);
	for (size_t g = 0; g < out->groups.n; first += out->groups.at[g++].n) {
		rank_of[out->groups.at[g].function] = (uint32_t)g;
		out->groups.at[g].first = first;
	}
	lode_sort_r(out->at.at, out->at.n, compare_outliers, rank_of);
	free(rank_of);
}

void lode_outliers_release(struct lode_outliers *outliers)
{
	lode_vec_release(&outliers->at);
	lode_vec_release(&outliers->groups);
}
