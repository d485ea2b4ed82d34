/* Ranks functions by how strongly they go with slow executions (PASD; docs/suspects.md). */
#include "engine/suspects/suspects.h"

#include "base/normal.h"
#include "base/sorted.h"

/* The level at which something is called significant. */
static const double significant = 0.05;

static const char *const order_names[LODE_N_ORDERS] = {
	"increase",   "excess", "failure", "context", "ochiai", "tarantula", "dstar",
	"importance", "p",	"mean",	   "std",     "time",	"extra",
};

const char *lode_suspect_order_name(enum lode_suspect_order order)
{
	return order_names[order];
}

/* ---- Groups, and one test for each ---- */

LODE_COMPARE_AT(by_mark, struct lode_suspect,
		memcmp(a->function->mark, b->function->mark, sizeof(a->function->mark)))

/* Calls `each` with the suspects of one group, one group after the other. */
static void for_groups(struct lode_suspects *s,
		       void (*each)(struct lode_suspects *s, struct lode_suspect **group, size_t n,
				    void *context),
		       void *context)
{
	size_t n = s->functions.n, end;
	struct lode_suspect **order = lode_alloc(n * sizeof(struct lode_suspect *));

	for (size_t i = 0; i < n; i++)
		order[i] = &s->ranked[i];
	lode_sort(order, n, by_mark);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && by_mark(&order[i], &order[end]) == 0;)
			end++;
		each(s, &order[i], end - i, context);
	}
	free(order);
}

typedef LODE_VEC(double) double_vec;

static double squares_of(const struct lode_moments *m)
{
	return (double)m->squares + ldexp((double)m->squares_high, 128);
}

/* Kish's effective size: few long executions weigh as few. */
static double n_times_of(const struct lode_function *f)
{
	const struct lode_moments *slow = &f->moments[LODE_SIDE_SUBJECT];
	const struct lode_moments *fast = &f->moments[LODE_SIDE_OTHER];
	double sum = (double)slow->sum + (double)fast->sum;
	double squares = squares_of(slow) + squares_of(fast);

	return squares > 0 ? sum * sum / squares : 0;
}

/* One-sided: slow recordings have a larger part of the function's time than of all recordings. */
static double log_p_of_time(const struct lode_suspects *s, const struct lode_function *f)
{
	double slow = (double)f->moments[LODE_SIDE_SUBJECT].sum;
	double sum = slow + (double)f->moments[LODE_SIDE_OTHER].sum, n = n_times_of(f);
	double runs = (double)s->n_streams[LODE_SIDE_SUBJECT];
	double usual = runs / (runs + (double)s->n_streams[LODE_SIDE_OTHER]);

	if (!(sum > 0) || !(usual < 1))
		return 0;
	return lode_log_normal_above((slow / sum - usual) / sqrt(usual * (1 - usual) / n));
}

static void test_group(struct lode_suspects *s, struct lode_suspect **group, size_t n,
		       void *context)
{
	const struct lode_evidence *e = &group[0]->function->evidence;
	double_vec *log_p = context;
	double p = lode_fisher_log_p(e->o_failed, e->o_success, s->all.failed - e->o_failed,
				     s->all.succeeded - e->o_success);

	/* Of two sets a function may be called as often as before, but take longer: two tests. */
	if (s->options.kind == LODE_EVIDENCE_SIDES)
		p = fmin(0, log(2) + fmin(p, log_p_of_time(s, group[0]->function)));
	lode_vec_append(log_p, p);
	for (size_t i = 0; i < n; i++) {
		group[i]->log_p = p;
		group[i]->n_group = (uint32_t)n;
		/* Until ranks are known, the number of the test. */
		group[i]->group = (uint32_t)(log_p->n - 1);
	}
}

static void test_groups(struct lode_suspects *s)
{
	double_vec log_p = {0};

	for_groups(s, test_group, &log_p);
	lode_correct_log_p(log_p.at, log_p.n, s->options.correction);
	for (size_t i = 0; i < s->functions.n; i++)
		s->ranked[i].log_q = log_p.at[s->ranked[i].group];
	s->n_groups = log_p.n;
	lode_vec_release(&log_p);
}

static void set_group(struct lode_suspects *s, struct lode_suspect **group, size_t n, void *context)
{
	uint32_t first = UINT32_MAX;

	(void)s;
	(void)context;
	for (size_t i = 0; i < n; i++)
		first = group[i]->rank < first ? group[i]->rank : first;
	for (size_t i = 0; i < n; i++)
		group[i]->group = first;
}

/* ---- Two sets ---- */

/* 1 - fast / slow, of amounts per recording; -1: the fast ones have at least twice as much. */
static double excess_of(double slow, double fast)
{
	if (slow <= 0)
		return fast > 0 ? -1 : 0;
	return fast < 2 * slow ? 1 - fast / slow : -1;
}

/*
 * The lower end of that, from the interval of slow's share in the sum of both. `n` is how many
 * independent amounts stand behind them.
 */
static double excess_low(double slow, double fast, double n, double runs_ratio)
{
	double sum = slow + fast, low = sum > 0 ? lode_wilson(slow / sum * n, n).low : 0;

	return excess_of(low, runs_ratio * (1 - low));
}

static struct lode_excess excess_for(const struct lode_suspects *s, const struct lode_function *f)
{
	double slow_runs = (double)s->n_streams[LODE_SIDE_SUBJECT];
	double fast_runs = (double)s->n_streams[LODE_SIDE_OTHER];
	const struct lode_moments *slow = &f->moments[LODE_SIDE_SUBJECT];
	const struct lode_moments *fast = &f->moments[LODE_SIDE_OTHER];
	double n_slow = (double)f->n[LODE_SIDE_SUBJECT], n_fast = (double)f->n[LODE_SIDE_OTHER];
	double t_slow = (double)slow->sum, t_fast = (double)fast->sum;
	double n_time = n_times_of(f);
	double runs_ratio = slow_runs / fast_runs;
	struct lode_excess e = {
		.calls = excess_of(n_slow / slow_runs, n_fast / fast_runs),
		.time = excess_of(t_slow / slow_runs, t_fast / fast_runs),
		.calls_low = excess_low(n_slow, n_fast, n_slow + n_fast, runs_ratio),
		.time_low = excess_low(t_slow, t_fast, n_time, runs_ratio),
	};

	e.low = e.calls_low > e.time_low ? e.calls_low : e.time_low;
	return e;
}

/* ---- Ranks ---- */

static double extra_time(const struct lode_suspects *s, const struct lode_suspect *suspect)
{
	const struct lode_moments *m = suspect->function->moments;
	double slow = (double)m[LODE_SIDE_SUBJECT].sum;

	if (s->options.kind == LODE_EVIDENCE_LABELS)
		return slow;
	return slow / (double)s->n_streams[LODE_SIDE_SUBJECT] -
	       (double)m[LODE_SIDE_OTHER].sum / (double)s->n_streams[LODE_SIDE_OTHER];
}

bool lode_suspect_is_significant(const struct lode_suspects *s, const struct lode_suspect *suspect)
{
	const struct lode_evidence *e = &suspect->function->evidence;

	if (suspect->log_q >= log(significant))
		return false;
	if (s->options.kind == LODE_EVIDENCE_SIDES)
		return suspect->excess.low > 0;
	/* A larger share of what failed than of what succeeded. */
	return (double)e->o_failed * (double)s->all.succeeded >
	       (double)e->o_success * (double)s->all.failed;
}

/* 0 with more than half of the extra time, -1 with more than a quarter, ... */
static double halves_of(const struct lode_suspects *s, const struct lode_suspect *suspect)
{
	enum { none = -100, sure = 1000 };
	double halves = suspect->extra_ns > 0 && s->extra_ns > 0
				? floor(log2(suspect->extra_ns / s->extra_ns * (1 - 1e-9))) + 1
				: none;

	return (halves < none ? none
		: halves > 0  ? 0
			      : halves) +
	       (lode_suspect_is_significant(s, suspect) ? sure : 0);
}

static double key_of_suspects(const struct lode_suspects *s, const struct lode_suspect *suspect)
{
	const struct lode_scores *scores = &suspect->scores;
	const struct lode_moments *moments = &suspect->function->moments[LODE_SIDE_SUBJECT];

	switch (s->options.order) {
	case LODE_ORDER_EXCESS:
		return suspect->excess.low;
	case LODE_ORDER_FAILURE:
		return scores->failure;
	case LODE_ORDER_CONTEXT:
		return scores->context;
	case LODE_ORDER_OCHIAI:
		return scores->ochiai;
	case LODE_ORDER_TARANTULA:
		return scores->tarantula;
	case LODE_ORDER_DSTAR:
		return scores->dstar;
	case LODE_ORDER_IMPORTANCE:
		return scores->importance;
	case LODE_ORDER_P:
		return -suspect->log_p;
	case LODE_ORDER_MEAN:
		return (double)lode_moments_mean(moments);
	case LODE_ORDER_STD:
		return (double)lode_moments_std(moments);
	case LODE_ORDER_TIME:
		return extra_time(s, suspect);
	case LODE_ORDER_EXTRA:
		return halves_of(s, suspect);
	default:
		return scores->increase;
	}
}

struct sortable {
	double key, depth;
	uint64_t o_failed;
	const char *function, *module;
	struct lode_suspect suspect;
};

LODE_COMPARE(best_first, struct sortable,
	     LODE_ORDER(b->key, a->key) ?: LODE_ORDER(b->depth, a->depth)
		     ?: LODE_ORDER(b->o_failed, a->o_failed)
		     ?: strcmp(a->function, b->function) ?: strcmp(a->module, b->module))

static void rank(struct lode_suspects *s)
{
	const struct lode_calltree *tree = &s->tally.set->tree;
	size_t n = s->functions.n;
	struct sortable *sortables = lode_alloc(n * sizeof(*sortables));

	for (size_t i = 0; i < n; i++) {
		const struct lode_function *f = s->ranked[i].function;

		sortables[i] = (struct sortable){
			.key = key_of_suspects(s, &s->ranked[i]),
			.depth = s->options.order == LODE_ORDER_EXTRA ? f->depth : 0,
			.o_failed = f->evidence.o_failed,
			.function = lode_frame_function(tree, f->frame),
			.module = lode_frame_module(tree, f->frame),
			.suspect = s->ranked[i],
		};
	}
	lode_sort(sortables, n, best_first);
	for (size_t i = 0; i < n; i++) {
		s->ranked[i] = sortables[i].suspect;
		s->ranked[i].rank = (uint32_t)i + 1;
	}
	free(sortables);
	for_groups(s, set_group, NULL);
}

static double more_per_stream(const struct lode_suspects *s, const double time_ns[LODE_N_SIDES])
{
	if (s->options.kind == LODE_EVIDENCE_LABELS)
		return time_ns[LODE_SIDE_SUBJECT];
	return time_ns[LODE_SIDE_SUBJECT] / (double)s->n_streams[LODE_SIDE_SUBJECT] -
	       time_ns[LODE_SIDE_OTHER] / (double)s->n_streams[LODE_SIDE_OTHER];
}

static double extra_of(const struct lode_suspects *s, const struct lode_suspect *suspect)
{
	const double *time_ns = suspect->function->time_ns;
	double more = more_per_stream(s, time_ns), sure;

	if (s->options.kind == LODE_EVIDENCE_LABELS)
		return more;
	sure = suspect->excess.low * time_ns[LODE_SIDE_SUBJECT] /
	       (double)s->n_streams[LODE_SIDE_SUBJECT];
	return more < sure ? more : sure;
}

static void score(struct lode_suspects *s)
{
	s->ranked = lode_alloc0(s->functions.n, sizeof(*s->ranked));
	for (size_t i = 0; i < s->functions.n; i++) {
		const struct lode_function *f = &s->functions.at[i];

		s->ranked[i].function = f;
		s->ranked[i].scores = lode_scores_of(&f->evidence, s->all.failed, s->all.succeeded);
		if (s->options.kind == LODE_EVIDENCE_SIDES)
			s->ranked[i].excess = excess_for(s, f);
		s->ranked[i].extra_ns = extra_of(s, &s->ranked[i]);
	}
}

/* That of all rows, with a stack or without. */
static void sum_extra(struct lode_suspects *s)
{
	double time_ns[LODE_N_SIDES] = {0};

	for (size_t i = 0; i < s->tally.rows.n; i++) {
		const struct lode_tally_row *row = &s->tally.rows.at[i];

		if (s->options.kind == LODE_EVIDENCE_SIDES || row->side == LODE_SIDE_SUBJECT)
			time_ns[row->side] += lode_row_time(&s->tally, row, s->options.kind);
	}
	s->extra_ns = more_per_stream(s, time_ns);
}

static void count_sides(struct lode_suspects *s)
{
	size_t n_streams = s->tally.set->streams.n;

	for (uint32_t i = 0; i < n_streams; i++)
		s->n_streams[lode_tally_side(&s->tally, i)]++;
	for (size_t i = 0; i < s->tally.metrics.n; i++) {
		for (unsigned side = 0; side < LODE_N_SIDES; side++)
			s->n[side] += s->tally.metrics.at[i].moments[side].n;
	}
}

int lode_suspects(struct lode_suspects **out, struct lode_execution_set *set,
		  const struct lode_suspects_options *options, struct lode_error *err)
{
	struct lode_suspects *s = lode_alloc0(1, sizeof(*s));
	int rc;

	*out = NULL;
	s->options = *options;
	rc = lode_tally_build(&s->tally, set, &options->tally, err);
	if (rc < 0) {
		free(s);
		return rc;
	}
	count_sides(s);
	s->all = lode_functions_build(&s->functions, &s->tally, options->kind);
	score(s);
	sum_extra(s);
	test_groups(s);
	rank(s);
	lode_contrasts_build(&s->contrasts, &s->n_contrast_tests, &s->tally, options->kind,
			     options->correction, &s->arena);
	*out = s;
	return 0;
}

void lode_suspects_free(struct lode_suspects *s)
{
	if (!s)
		return;
	lode_tally_release(&s->tally);
	lode_vec_release(&s->functions);
	lode_vec_release(&s->contrasts);
	lode_arena_release(&s->arena);
	free(s->ranked);
	free(s);
}
