/* Rows of the lists of lode suspects. */
#include "answers/suspects/rows.h"

#include <math.h>

#include "base/sorted.h"

/* The level at which something is called significant. */
static const double significant = 0.05;

/* ---- Values ---- */

static int64_t clamped(lode_u128 sum)
{
	return sum < INT64_MAX ? (int64_t)sum : INT64_MAX;
}

static struct lode_suspects_values values_of(const struct lode_moments *m)
{
	return (struct lode_suspects_values){
		.n = m->n,
		.mean = lode_moments_mean(m),
		.std = lode_moments_std(m),
		.least = (int64_t)m->least,
		.largest = (int64_t)m->largest,
		.total = clamped(m->sum),
	};
}

static struct lode_suspects_values values_with(const struct lode_moments *m,
					       const struct lode_latency_histogram *histogram,
					       struct lode_arena *arena)
{
	struct lode_suspects_values values = values_of(m);
	size_t n = 0;

	values.histogram = histogram;
	for (unsigned b = 0; histogram && b < LODE_LATENCY_BUCKETS; b++)
		n += histogram->n[b] > 0;
	values.buckets = lode_arena_array(arena, struct lode_suspects_bucket, n + 1);
	for (unsigned b = 0; values.n_buckets < n; b++)
		if (histogram->n[b])
			values.buckets[values.n_buckets++] = (struct lode_suspects_bucket){
				.from = clamped(lode_latency_bucket_start(b)),
				.to = clamped(lode_latency_bucket_start(b + 1)),
				.n = histogram->n[b],
			};
	return values;
}

static struct lode_suspects_pace pace_of(const struct lode_suspects *s, const uint64_t *n,
					 const struct lode_moments *moments)
{
	struct lode_suspects_pace pace;

	for (unsigned side = 0; side < LODE_N_SIDES; side++) {
		pace.calls[side] = (double)n[side] / (double)s->n_streams[side];
		pace.sum[side] = (double)moments[side].sum / (double)s->n_streams[side];
	}
	return pace;
}

/* P-values differ far below the least double, so they are compared as logarithms. */
static double log10_of(double log_p)
{
	return log_p < 0 ? log_p / log(10) : 0;
}

static struct lode_suspects_chance chance_of(double log_p, double log_q)
{
	return (struct lode_suspects_chance){exp(log_p), log10_of(log_p), exp(log_q),
					     log10_of(log_q)};
}

/* ---- Metrics ---- */

static struct lode_suspects_metric metric_of(const struct lode_suspects_answer *answer,
					     const struct lode_tally_metric *m,
					     struct lode_arena *arena)
{
	const uint64_t *n = m->n[LODE_SIDE_SUBJECT];
	const uint64_t calls[LODE_N_SIDES] = {m->moments[LODE_SIDE_SUBJECT].n,
					      m->moments[LODE_SIDE_OTHER].n};
	struct lode_suspects_metric metric = {
		.of = *m,
		.values = values_with(&m->moments[LODE_SIDE_SUBJECT],
				      m->histogram[LODE_SIDE_SUBJECT], arena),
		.n_ignored =
			calls[LODE_SIDE_SUBJECT] - n[LODE_LABEL_SUCCEEDED] - n[LODE_LABEL_FAILED],
		.failed_total = clamped(m->failed_sum),
	};

	if (answer->is_versus)
		metric.pace = pace_of(answer->suspects, calls, m->moments);
	if (answer->other) {
		struct lode_suspects_values *other =
			lode_arena_array(arena, struct lode_suspects_values, 1);

		*other = values_with(&m->moments[LODE_SIDE_OTHER], m->histogram[LODE_SIDE_OTHER],
				     arena);
		metric.other = other;
	}
	return metric;
}

static int slowest_first(const void *a, const void *b)
{
	const struct lode_tally_metric *x = &((const struct lode_suspects_metric *)a)->of;
	const struct lode_tally_metric *y = &((const struct lode_suspects_metric *)b)->of;
	lode_u128 sum_x = x->moments[LODE_SIDE_SUBJECT].sum;
	lode_u128 sum_y = y->moments[LODE_SIDE_SUBJECT].sum;
	int order = LODE_ORDER(y->failed_sum, x->failed_sum) ?: LODE_ORDER(sum_y, sum_x);

	return order ?: strcmp(x->name, y->name);
}

static double extra_of(const struct lode_tally_metric *m)
{
	return (double)m->moments[LODE_SIDE_SUBJECT].sum - (double)m->moments[LODE_SIDE_OTHER].sum;
}

LODE_COMPARE_AT(most_extra_first, struct lode_suspects_metric,
		LODE_ORDER(extra_of(&b->of), extra_of(&a->of)) ?: strcmp(a->of.name, b->of.name))

static void sum_metric(struct lode_suspects_answer *answer, lode_u128 *times,
		       const struct lode_tally_metric *m)
{
	uint64_t n = m->moments[LODE_SIDE_SUBJECT].n;

	answer->n_metrics_asked += n > 0;
	answer->n_metrics_used += n + m->moments[LODE_SIDE_OTHER].n > 0;
	answer->n_unlabelled += m->is_labelled ? 0 : n;
	for (unsigned k = 0; k < LODE_N_EXECUTION_LOSSES; k++)
		answer->losses[k] += m->losses[k];
	for (unsigned side = 0; strcmp(m->unit, "ns") == 0 && side < LODE_N_SIDES; side++)
		times[side] += m->moments[side].sum;
}

const struct lode_tally_metric *lode_suspects_long_tail(const struct lode_suspects *s)
{
	const struct lode_tally_options *options = &s->options.tally;
	const struct lode_tally_metric *worst = NULL;
	enum { least_n = 30, tail = 5 };

	if (s->options.kind != LODE_EVIDENCE_LABELS || options->robust || options->by_hand ||
	    options->source != LODE_THRESHOLDS_SUBJECT)
		return NULL;
	for (size_t i = 0; i < s->tally.metrics.n; i++) {
		const struct lode_tally_metric *m = &s->tally.metrics.at[i];
		const struct lode_moments *moments = &m->moments[LODE_SIDE_SUBJECT];

		if (moments->n >= least_n &&
		    lode_moments_std(moments) / tail >= lode_moments_mean(moments) &&
		    (!worst || m->failed_sum > worst->failed_sum))
			worst = m;
	}
	return worst;
}

void lode_suspects_metrics_fill(struct lode_suspects_answer *answer, size_t most,
				struct lode_arena *arena)
{
	const struct lode_tally *tally = &answer->suspects->tally;
	size_t n = tally->metrics.n;
	lode_u128 times[LODE_N_SIDES] = {0};
	const struct lode_tally_metric *long_tail = lode_suspects_long_tail(answer->suspects);

	answer->n_metrics = n;
	answer->n_metrics_listed = lode_listed(most, n);
	answer->n_metrics_more = n - answer->n_metrics_listed;
	answer->metrics = lode_arena_array(arena, struct lode_suspects_metric, n + 1);
	answer->by_extra = lode_arena_array(arena, const struct lode_suspects_metric *, n + 1);
	for (size_t i = 0; i < n; i++) {
		answer->metrics[i] = metric_of(answer, &tally->metrics.at[i], arena);
		sum_metric(answer, times, &tally->metrics.at[i]);
	}
	for (unsigned side = 0; side < LODE_N_SIDES; side++)
		answer->sides[side].time_ns = clamped(times[side]);
	if (!n)
		return;
	lode_sort(answer->metrics, n, slowest_first);
	for (size_t i = 0; i < n; i++) {
		answer->by_extra[i] = &answer->metrics[i];
		if (long_tail && answer->metrics[i].of.name == long_tail->name)
			answer->long_tail = &answer->metrics[i];
	}
	lode_sort(answer->by_extra, n, most_extra_first);
}

bool lode_suspects_is_significant(const struct lode_suspects_answer *answer,
				  const struct lode_suspect *function)
{
	return lode_suspect_is_significant(answer->suspects, function);
}

/* ---- Functions and contrasts: made one by one, there may be very many ---- */

void lode_suspects_function_at(void *row, const void *owner, size_t i)
{
	const struct lode_suspects_answer *answer = owner;
	const struct lode_suspect *suspect = answer->listed[i];
	const struct lode_function *f = suspect->function;
	struct lode_suspects_function *out = row;

	*out = (struct lode_suspects_function){
		.of = *suspect,
		.evidence = f->evidence,
		.frame = f->frame,
		.extra_ns = llround(suspect->extra_ns),
		.extra_share = answer->suspects->extra_ns > 0
				       ? suspect->extra_ns / answer->suspects->extra_ns
				       : 0,
		.is_suspect = suspect->rank <= answer->cut &&
			      lode_suspects_is_significant(answer, suspect),
		.chance = chance_of(suspect->log_p, suspect->log_q),
		.values = values_of(&f->moments[LODE_SIDE_SUBJECT]),
	};
	if (!answer->is_versus)
		return;
	out->pace = pace_of(answer->suspects, f->n, f->moments);
	out->excess_here = (struct lode_suspects_excess){
		.of = suspect->excess,
		.slow_calls = f->n[LODE_SIDE_SUBJECT],
		.fast_calls = f->n[LODE_SIDE_OTHER],
		.slow_total = clamped(f->moments[LODE_SIDE_SUBJECT].sum),
		.fast_total = clamped(f->moments[LODE_SIDE_OTHER].sum),
	};
	out->excess = &out->excess_here;
}

static struct lode_suspects_part part_of(uint32_t frame, const struct lode_outcome *outcome,
					 uint64_t n, lode_u128 sum)
{
	return (struct lode_suspects_part){frame, outcome->failed,	    outcome->succeeded,
					   n,	  n ? clamped(sum / n) : 0, clamped(sum)};
}

/* What the executions of a contrast's caller took longer than others would have. */
static double lost_with(const struct lode_contrast_half *with,
			const struct lode_contrast_half *without)
{
	if (!with->n || !without->n)
		return 0;
	return (double)with->sum - (double)with->n * ((double)without->sum / (double)without->n);
}

void lode_suspects_contrast_at(void *row, const void *owner, size_t i)
{
	const struct lode_suspects *s = ((const struct lode_suspects_answer *)owner)->suspects;
	const struct lode_contrast *c = &s->contrasts.at[i];
	struct lode_suspects_contrast *out = row;

	*out = (struct lode_suspects_contrast){
		.leaf = c->leaf,
		.metric = c->metric == LODE_NONE ? NULL : s->tally.metrics.at[c->metric].name,
		.unit = c->metric == LODE_NONE ? "ns" : s->tally.metrics.at[c->metric].unit,
		.callers = c->callers,
		.n_callers = c->n_callers,
		.with = part_of(c->leaf, &c->with.outcome, c->with.n, c->with.sum),
		.without = part_of(c->leaf, &c->without.outcome, c->without.n, c->without.sum),
		.chance = chance_of(c->log_p, c->log_q),
		.lost = lost_with(&c->with, &c->without),
	};
}

/* Stands at either end of it. */
static bool concerns(const struct lode_contrast *c, uint32_t frame)
{
	for (size_t i = 0; i < c->n_callers; i++) {
		if (c->callers[i] == frame)
			return true;
	}
	return c->leaf == frame;
}

struct sorted_contrast {
	double lost; /* 0: by significance */
	size_t at;
};

LODE_COMPARE(most_lost_first, struct sorted_contrast,
	     LODE_ORDER(b->lost, a->lost) ?: LODE_ORDER(a->at, b->at))

void lode_suspects_choose(struct lode_suspects_choice *choice, const struct lode_suspects *s,
			  const struct lode_suspect *only)
{
	struct sorted_contrast *sorted = lode_alloc(s->contrasts.n * sizeof(*sorted));
	enum { most_of_leaf = 3 };

	*choice = (struct lode_suspects_choice){0};
	for (size_t i = 0; i < s->contrasts.n; i++) {
		const struct lode_contrast *c = &s->contrasts.at[i];
		bool is_time = c->metric != LODE_NONE &&
			       strcmp(s->tally.metrics.at[c->metric].unit, "ns") == 0;

		/* One execution is an anecdote, however unlikely. */
		if (c->log_q > log(significant) || c->with.outcome.failed < 2 ||
		    (only && !concerns(c, only->function->frame)))
			continue;
		sorted[choice->n_significant++] =
			(struct sorted_contrast){is_time ? lost_with(&c->with, &c->without) : 0, i};
	}
	lode_sort(sorted, choice->n_significant, most_lost_first);
	for (size_t i = 0; i < choice->n_significant; i++) {
		const struct lode_contrast *c = &s->contrasts.at[sorted[i].at];
		size_t same = 0;

		for (size_t k = 0; k < choice->n; k++)
			same += s->contrasts.at[choice->at[k]].leaf == c->leaf &&
				s->contrasts.at[choice->at[k]].metric == c->metric;
		if ((only || same < most_of_leaf) && choice->n < LODE_SUSPECTS_CHOSEN)
			choice->at[choice->n++] = sorted[i].at;
	}
	free(sorted);
}

/* ---- One function in full ---- */

static struct lode_suspects_part *neighbours_of(const struct lode_explained_neighbour *at, size_t n,
						struct lode_arena *arena)
{
	struct lode_suspects_part *out = lode_arena_array(arena, struct lode_suspects_part, n + 1);

	for (size_t i = 0; i < n; i++)
		out[i] = part_of(at[i].frame, &at[i].outcome, at[i].n, at[i].sum);
	return out;
}

static void fill_metrics(struct lode_suspects_explained *out, const struct lode_suspects *s,
			 const struct lode_explanation *x, bool keeps_histograms,
			 struct lode_arena *arena)
{
	out->metrics =
		lode_arena_array(arena, struct lode_suspects_explained_metric, x->metrics.n + 1);
	for (size_t i = 0; i < x->metrics.n; i++) {
		const struct lode_explained_metric *m = &x->metrics.at[i];
		const struct lode_tally_metric *t = &s->tally.metrics.at[m->metric];
		struct lode_suspects_explained_metric *row = &out->metrics[i];

		*row = (struct lode_suspects_explained_metric){
			.metric = t->name,
			.unit = t->unit,
			.thresholds = t->is_labelled && s->options.kind == LODE_EVIDENCE_LABELS
					      ? &t->thresholds
					      : NULL,
			.with = {m->with, values_with(&m->moments_with, &m->histogram_with, arena)},
			.without = {m->without,
				    values_with(&m->moments_without, &m->histogram_without, arena)},
		};
		if (!keeps_histograms)
			row->with.values.histogram = row->without.values.histogram = NULL;
	}
}

static void fill_worst(struct lode_suspects_explained *out, const struct lode_suspects *s,
		       const struct lode_explanation *x, struct lode_arena *arena)
{
	const struct lode_calltree *tree = &s->tally.set->tree;

	out->n_worst = x->n_worst;
	out->worst = lode_arena_array(arena, struct lode_suspects_worst, x->n_worst + 1);
	for (size_t i = 0; i < x->n_worst; i++) {
		const struct lode_execution *e = &x->worst[i];
		uint32_t *frames =
			lode_arena_array(arena, uint32_t, tree->nodes.at[e->stack].depth + 1);

		out->worst[i] = (struct lode_suspects_worst){
			.metric = s->tally.metrics.at[e->metric].name,
			.stream = s->tally.set->streams.at[e->stream],
			.tid = e->tid,
			.start_ns = e->start_ns,
			.value = e->value,
			.frames = frames,
			.n_frames = lode_calltree_path(tree, e->stack, frames),
		};
	}
}

void lode_suspects_explained_fill(struct lode_suspects_explained *out,
				  const struct lode_suspects *s, const struct lode_explanation *x,
				  bool keeps_histograms, size_t most, struct lode_arena *arena)
{
	*out = (struct lode_suspects_explained){
		.of = *x->suspect,
		.frame = x->suspect->function->frame,
		.chance = chance_of(x->suspect->log_p, x->suspect->log_q),
		.callers = neighbours_of(x->callers.at, x->callers.n, arena),
		.callees = neighbours_of(x->callees.at, x->callees.n, arena),
		.n_metrics = x->metrics.n,
		.n_callers = x->callers.n,
		.n_callees = x->callees.n,
		.n_metrics_listed = lode_listed(most, x->metrics.n),
		.n_callers_listed = lode_listed(most, x->callers.n),
		.n_callees_listed = lode_listed(most, x->callees.n),
	};
	fill_metrics(out, s, x, keeps_histograms, arena);
	fill_worst(out, s, x, arena);
	lode_suspects_choose(&out->contrasts, s, x->suspect);
}
