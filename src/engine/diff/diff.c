/* Differences between two sets of recordings (docs/diff.md). */
#include "engine/diff/diff.h"

#include <math.h>

#include "engine/diff/change_interval.h"
#include "engine/diff/permutation_test.h"
#include "base/sorted.h"

/* Below this share of what it costs in the other set, it counts as absent. */
static const double trace_share = 0.02;

/* Random splits: enough for a p well below any level in use, fewer where they would take long. */
enum { USUAL_SPLITS = 10000, FEWEST_SPLITS = 2000 };
static const size_t most_work = (size_t)1 << 32; /* splits x values: a few seconds */

/* Streams with symptoms, renumbered, and what comes of them. */
struct work {
	struct lode_arena arena; /* of the arrays */
	const struct lode_diff_input *input;
	uint32_t *number; /* per stream of the input: its number here, or LODE_NONE */
	size_t n;
	uint8_t *side;
	uint32_t *n_symptoms, *stratum;
	int64_t *symptom_ns;
	bool has_strata;
	uint32_t *group; /* per stream: its stratum as an index */
	size_t n_groups;
	int64_t *group_n; /* symptoms of each stratum */
	struct lode_splits splits;
	struct lode_change_sizes sizes;
	LODE_VEC(struct lode_change_value) values;
	LODE_VEC(size_t) start;
};

static const uint32_t none = UINT32_MAX;

const char *const lode_diff_class_names[] = {"new", "gone", "worse", "better", "same", NULL};
const char *const lode_diff_changed_names[] = {"new", "gone", "worse", "better", NULL};

size_t lode_diff_enough_streams(double level)
{
	size_t k = 1;

	while (k < 64 && 2 / lode_binomial(2 * k, k) > level)
		k++;
	return k;
}

/* ---- Streams ---- */

static void take_streams(struct work *w, struct lode_diff *diff)
{
	const struct lode_diff_input *input = w->input;

	for (size_t i = 0; i < input->n_streams; i++) {
		const struct lode_diff_stream *s = &input->streams[i];
		struct lode_diff_side *side;

		w->number[i] = none;
		if (s->side >= LODE_DIFF_NEITHER)
			continue;
		side = &diff->sides[s->side];
		if (s->n_symptoms == 0) {
			side->n_without++;
			continue;
		}
		side->n_streams++;
		side->n_symptoms += s->n_symptoms;
		side->symptom_ns += s->symptom_ns;
		w->side[w->n] = s->side;
		w->n_symptoms[w->n] = s->n_symptoms;
		w->symptom_ns[w->n] = s->symptom_ns;
		w->stratum[w->n] = s->stratum;
		w->has_strata |= s->stratum != w->stratum[0];
		w->number[i] = (uint32_t)w->n++;
	}
}

/* Numbers the strata, and counts their symptoms. */
static void group_streams(struct work *w)
{
	uint32_t *sorted = lode_alloc(w->n * sizeof(*sorted));
	size_t n = 0;

	memcpy(sorted, w->stratum, w->n * sizeof(*sorted));
	lode_sort(sorted, w->n, lode_compare_u32);
	for (size_t i = 0; i < w->n; i++)
		if (i == 0 || sorted[i] != sorted[n - 1])
			sorted[n++] = sorted[i];
	w->n_groups = n;
	for (size_t i = 0; i < w->n; i++) {
		const uint32_t *at =
			bsearch(&w->stratum[i], sorted, n, sizeof(*sorted), lode_compare_u32);

		w->group[i] = at ? (uint32_t)(at - sorted) : 0;
		w->group_n[w->group[i]] += w->n_symptoms[i];
	}
	free(sorted);
}

static void work_init(struct work *w, const struct lode_diff_input *input)
{
	size_t n = input->n_streams;

	memset(w, 0, sizeof(*w));
	w->input = input;
	w->number = lode_arena_array0(&w->arena, uint32_t, n);
	w->side = lode_arena_array0(&w->arena, uint8_t, n);
	w->n_symptoms = lode_arena_array0(&w->arena, uint32_t, n);
	w->stratum = lode_arena_array0(&w->arena, uint32_t, n + 1);
	w->symptom_ns = lode_arena_array0(&w->arena, int64_t, n);
	w->group = lode_arena_array0(&w->arena, uint32_t, n);
	w->group_n = lode_arena_array0(&w->arena, int64_t, n);
}

static void work_release(struct work *w)
{
	lode_arena_release(&w->arena);
	lode_change_sizes_release(&w->sizes);
	lode_splits_release(&w->splits);
	lode_vec_release(&w->values);
	lode_vec_release(&w->start);
}

/* ---- Costs ---- */

/*
 * With strata, what is left of a stream's cost less its stratum's mean: the mean is
 * that of both sets, so splits within strata do not touch it (aligned observations, Hodges and
 * Lehmann 1962), and strata that differ do not drown what differs between the sets.
 */
static void append_aligned(struct work *w, const int64_t *cost)
{
	double *sum = lode_alloc0(w->n_groups, sizeof(*sum));

	for (size_t i = 0; i < w->n; i++)
		sum[w->group[i]] += (double)cost[i];
	for (size_t i = 0; i < w->n; i++) {
		double mean = sum[w->group[i]] / (double)w->group_n[w->group[i]];
		double rest = (double)cost[i] - mean * (double)w->n_symptoms[i];

		if (rest != 0)
			lode_vec_append(&w->values,
					((struct lode_change_value){(uint32_t)i, rest}));
	}
	free(sum);
}

static void append_values(struct work *w, const int64_t *cost)
{
	lode_vec_append(&w->start, w->values.n);
	if (w->has_strata) {
		append_aligned(w, cost);
		return;
	}
	for (size_t i = 0; i < w->n; i++)
		if (cost[i])
			lode_vec_append(&w->values,
					((struct lode_change_value){(uint32_t)i, (double)cost[i]}));
}

/*
 * The change within strata: differences weighted by how much each stratum can tell, n_A n_B / n
 * (Mantel and Haenszel); of one stratum, the plain difference. One that has only A or only B tells
 * nothing.
 */
static double change_within(const struct work *w, const int64_t *cost)
{
	double *sum = lode_alloc0(w->n_groups * 4, sizeof(*sum)), top = 0, bottom = 0;

	for (size_t i = 0; i < w->n; i++) {
		double *s = &sum[4 * (size_t)w->group[i] + 2 * (size_t)w->side[i]];

		s[0] += (double)cost[i];
		s[1] += w->n_symptoms[i];
	}
	for (size_t g = 0; g < w->n_groups; g++) {
		const double *a = &sum[4 * g], *b = &sum[4 * g + 2];
		double weight = a[1] * b[1] / (a[1] + b[1]);

		if (weight > 0) {
			top += weight * (b[0] / b[1] - a[0] / a[1]);
			bottom += weight;
		}
	}
	free(sum);
	return bottom > 0 ? top / bottom : 0;
}

static void bound_change(const struct work *w, struct lode_diff_change *change, const int64_t *cost)
{
	struct lode_interval_side sides[LODE_N_DIFF_SIDES] = {{0}};

	for (size_t i = 0; i < w->n; i++)
		lode_interval_add(&sides[w->side[i]], cost[i], w->n_symptoms[i]);
	change->has_interval = lode_change_interval(&change->low, &change->high,
						    &sides[LODE_DIFF_A], &sides[LODE_DIFF_B]);
}

/* Costs by set, and the values to be tested; `cost` has one number per stream. */
static void measure_diff(struct work *w, const struct lode_diff *diff,
			 struct lode_diff_change *change, const int64_t *cost)
{
	for (size_t i = 0; i < w->n; i++) {
		change->cost_ns[w->side[i]] += cost[i];
		change->n_streams[w->side[i]] += cost[i] > 0;
	}
	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++)
		change->per_symptom[s] =
			(double)change->cost_ns[s] / (double)diff->sides[s].n_symptoms;
	change->ratio =
		change->per_symptom[LODE_DIFF_A] > 0
			? change->per_symptom[LODE_DIFF_B] / change->per_symptom[LODE_DIFF_A]
			: (double)NAN;
	change->change =
		w->has_strata ? change_within(w, cost)
			      : change->per_symptom[LODE_DIFF_B] - change->per_symptom[LODE_DIFF_A];
	if (!w->has_strata)
		bound_change(w, change, cost);
	append_values(w, cost);
}

static void measure_all(struct work *w, struct lode_diff *diff)
{
	const struct lode_diff_input *input = w->input;
	int64_t *cost = lode_alloc0(w->n, sizeof(*cost));

	for (size_t i = 0; i < input->n_items; i++) {
		memset(cost, 0, w->n * sizeof(*cost));
		for (size_t k = input->start[i]; k < input->start[i + 1]; k++)
			if (w->number[input->costs[k].stream] != none)
				cost[w->number[input->costs[k].stream]] += input->costs[k].cost_ns;
		diff->changes[i].item = (uint32_t)i;
		measure_diff(w, diff, &diff->changes[i], cost);
	}
	diff->total.item = none;
	measure_diff(w, diff, &diff->total, w->symptom_ns);
	lode_vec_append(&w->start, w->values.n);
	free(cost);
}

/* ---- Tests ---- */

static size_t choose_splits(const struct lode_diff_options *options, size_t n_values)
{
	size_t n = USUAL_SPLITS;

	if (options->max_splits)
		return options->max_splits;
	if (n_values && n > most_work / n_values)
		n = most_work / n_values;
	return n < FEWEST_SPLITS ? FEWEST_SPLITS : n;
}

static void take_result(struct lode_diff_change *change, const struct lode_permutation_item *item)
{
	change->p = item->p;
	change->p_adjusted = item->p_adjusted;
	change->direction = item->direction;
}

static void test_all(struct work *w, struct lode_diff *diff,
		     const struct lode_diff_options *options)
{
	size_t n = diff->n_changes;
	struct lode_permutation_item *items = lode_alloc0(n + 1, sizeof(*items));

	lode_splits_build(&w->splits, w->side, w->has_strata ? w->stratum : NULL, w->n,
			  choose_splits(options, w->values.n), options->seed);
	lode_change_sizes_init(&w->sizes, w->n_symptoms, &w->splits);
	for (size_t i = 0; i <= n; i++) {
		items[i].n_values = w->start.at[i + 1] - w->start.at[i];
		if (items[i].n_values)
			items[i].values = &w->values.at[w->start.at[i]];
	}
	lode_permutation_test(items, n, &w->sizes, options->n_threads);
	lode_permutation_test(&items[n], 1, &w->sizes, 1);
	for (size_t i = 0; i < n; i++)
		take_result(&diff->changes[i], &items[i]);
	take_result(&diff->total, &items[n]);
	diff->total.p_adjusted = diff->total.p;
	diff->n_splits = w->splits.n;
	diff->n_possible = w->splits.n_possible;
	diff->is_exact = w->splits.is_exact;
	/* The mirror image of a split is as far out on the other side. */
	diff->least_p = 1 / (double)w->splits.n;
	if (w->splits.is_exact && w->splits.is_mirrored && w->splits.n > 1)
		diff->least_p *= 2;
	free(items);
}

/* ---- Classes ---- */

static bool does_matter(const struct lode_diff *diff, const struct lode_diff_change *change)
{
	double a = change->per_symptom[LODE_DIFF_A], b = change->per_symptom[LODE_DIFF_B];
	double size = fabs(change->change);

	return size > 0 && size >= diff->min_change && size >= diff->min_relative * fmin(a, b);
}

static enum lode_diff_class class_of(const struct lode_diff *diff,
				     const struct lode_diff_change *change)
{
	double a = change->per_symptom[LODE_DIFF_A], b = change->per_symptom[LODE_DIFF_B];

	if (!change->matters || change->p_adjusted > diff->level)
		return LODE_DIFF_SAME;
	/* Evidence and size must point the same way: with odd weights of streams they may not. */
	if (change->direction > 0 && change->change > 0)
		return a < trace_share * b ? LODE_DIFF_NEW : LODE_DIFF_WORSE;
	if (change->direction < 0 && change->change < 0)
		return b < trace_share * a ? LODE_DIFF_GONE : LODE_DIFF_BETTER;
	return LODE_DIFF_SAME;
}

LODE_COMPARE(by_class, struct lode_diff_change,
	     LODE_ORDER(a->class, b->class)
		     ?: LODE_ORDER(b->matters, a->matters)
		     ?: LODE_ORDER(fabs(b->change), fabs(a->change))
		     ?: LODE_ORDER(a->item, b->item))

static void classify(struct lode_diff *diff)
{
	for (size_t i = 0; i < diff->n_changes; i++) {
		struct lode_diff_change *change = &diff->changes[i];

		change->matters = does_matter(diff, change);
		change->class = class_of(diff, change);
		diff->n_of[change->class]++;
	}
	diff->total.matters = does_matter(diff, &diff->total);
	diff->total.class = class_of(diff, &diff->total);
	lode_sort(diff->changes, diff->n_changes, by_class);
}

static void settle(struct lode_diff *diff, const struct lode_diff_options *options)
{
	const struct lode_diff_side *a = &diff->sides[LODE_DIFF_A], *b = &diff->sides[LODE_DIFF_B];
	double share = options->min_change_share > 0 ? options->min_change_share : 0.01;

	diff->level = options->level > 0 ? options->level : 0.05;
	diff->min_relative = options->min_relative > 0 ? options->min_relative : 0.1;
	if (options->min_change > 0)
		diff->min_change = (double)options->min_change;
	else
		diff->min_change = share * ((double)a->symptom_ns + (double)b->symptom_ns) /
				   ((double)a->n_symptoms + (double)b->n_symptoms);
}

struct lode_diff *lode_diff_build(const struct lode_diff_input *input,
				  const struct lode_diff_options *options)
{
	struct lode_diff *diff = lode_alloc0(1, sizeof(*diff));
	struct work w;

	work_init(&w, input);
	take_streams(&w, diff);
	if (diff->sides[LODE_DIFF_A].n_streams && diff->sides[LODE_DIFF_B].n_streams) {
		group_streams(&w);
		settle(diff, options);
		diff->has_strata = w.has_strata;
		diff->n_changes = input->n_items;
		diff->changes = lode_alloc0(input->n_items, sizeof(*diff->changes));
		measure_all(&w, diff);
		test_all(&w, diff, options);
		classify(diff);
	} else {
		lode_diff_free(diff);
		diff = NULL;
	}
	work_release(&w);
	return diff;
}

void lode_diff_free(struct lode_diff *diff)
{
	if (!diff)
		return;
	free(diff->changes);
	free(diff);
}
