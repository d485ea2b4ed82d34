/* What stands behind a period: servers, counters, rules; and who was hit. */
#include "engine/pio/periods.h"

/* Of the worst one's blame, where training did not show bystanders. */
#define AT_FAULT_SHARE 0.5

/* ---- Whose fault ---- */

LODE_COMPARE(by_value, struct lode_pio_ranked,
	     LODE_ORDER(b->value, a->value) ?: LODE_ORDER(a->at, b->at))

static void sort_ranking(lode_pio_ranking *ranking)
{
	lode_sort(ranking->at, ranking->n, by_value);
}

LODE_COMPARE(compare_floats, float, LODE_ORDER(*a, *b))

static double median_deviation(const struct lode_pio_analysis *a, size_t c,
			       const struct lode_pio_period *p)
{
	size_t n = p->last - p->first + 1;
	float *values = lode_alloc(n * sizeof(*values));
	double median;

	memcpy(values, a->deviations[c] + p->first, n * sizeof(*values));
	lode_sort(values, n, compare_floats);
	median = (double)values[n / 2];
	free(values);
	return median;
}

/* What a counter has to show at an interval: blame, or its cell of the matrix. */
static double shown_at(const struct lode_pio_run *run, size_t c, size_t i)
{
	const struct lode_pio_analysis *a = run->out;

	if (!a->deviations)
		return (double)a->coverage[c][i];
	if (run->is_out[c])
		return 0;
	return lode_pio_sharp_blame(&run->model->counters.at[c], (double)a->deviations[c][i]);
}

/* Counters by what they had to show, usually, and for how much of the period; and from when to when
   they did. */
static void rank_counters(const struct lode_pio_run *run, struct lode_pio_period *p)
{
	const struct lode_pio_analysis *a = run->out;
	size_t length = p->last - p->first + 1;
	double *shown = lode_alloc(length * sizeof(*shown));

	for (size_t c = 0; c < run->model->counters.n; c++) {
		struct lode_pio_ranked ranked = {.at = (uint32_t)c};
		size_t n = 0;

		for (size_t i = p->first; i <= p->last; i++) {
			double value = shown_at(run, c, i);

			if (!(value > 0))
				continue;
			if (!n)
				ranked.first = i;
			ranked.last = i;
			ranked.value += value;
			shown[n++] = value;
		}
		if (!n)
			continue;
		ranked.value /= (double)length;
		if (a->deviations) {
			ranked.value = lode_percentile(shown, n, 50) * (double)n / (double)length;
			ranked.deviation = median_deviation(a, c, p);
		}
		lode_vec_append(&p->counters, ranked);
	}
	free(shown);
	sort_ranking(&p->counters);
}

/* How one server did in a period. */
struct server_share {
	double blame;	    /* summed */
	size_t n_leading;   /* intervals in which it is at fault */
	size_t first, last; /* of these */
};

/*
 * Is a server at fault in an interval whose worst one has `most` blame? It is the worst itself, or
 * has more than it ever had as a bystander; where training does not say how much that is, half of
 * the worst's.
 */
static bool is_own_fault(const struct lode_pio_model *model, size_t s,
			 const struct lode_pio_worth *worth, double most)
{
	double bystander = s < model->bystanders.n ? model->bystanders.at[s] : NAN;

	if (!(worth->blame > 0) || worth->detection <= model->evidence_bound)
		return false;
	if (isnan(bystander))
		return worth->blame >= AT_FAULT_SHARE * most;
	return worth->blame >= most || worth->blame > bystander;
}

static void add_interval(const struct lode_pio_run *run, const struct lode_pio_worth *worths,
			 size_t i, struct server_share *shares)
{
	double most = 0;

	for (size_t s = 0; s < run->servers.names.n; s++)
		most = fmax(most, worths[s].blame);
	for (size_t s = 0; s < run->servers.names.n; s++) {
		struct server_share *share = &shares[s];

		share->blame += worths[s].blame;
		if (!is_own_fault(run->model, s, &worths[s], most))
			continue;
		if (!share->n_leading++)
			share->first = i;
		share->last = i;
	}
}

/* Bottlenecks first; by value. */
LODE_COMPARE(by_fault, struct lode_pio_ranked,
	     LODE_ORDER(b->is_at_fault, a->is_at_fault) ?: by_value(a, b))

/*
 * Servers by blame. The first is at fault; so are others that were for more than a window in all:
 * bottlenecks of their own, beside the first or after it, each with its own time.
 */
static void rank_by_blame(const struct lode_pio_run *run, struct lode_pio_period *p)
{
	const struct lode_pio_analysis *a = run->out;
	size_t n = run->servers.names.n, worst = 0;
	struct server_share *shares = lode_alloc0(n + 1, sizeof(*shares));
	struct lode_pio_worth *worths = lode_alloc0(n + 1, sizeof(*worths));

	for (size_t i = p->first; i <= p->last; i++) {
		lode_pio_evidence(worths, run->model, &run->servers, a->deviations, i, run->is_out);
		add_interval(run, worths, i, shares);
	}
	for (size_t s = 1; s < n; s++)
		worst = shares[s].blame > shares[worst].blame ? s : worst;
	for (size_t s = 0; s < n; s++) {
		struct lode_pio_ranked ranked = {
			.at = (uint32_t)s,
			.value = shares[s].blame / (double)(p->last - p->first + 1),
			.is_at_fault =
				s == worst || shares[s].n_leading > run->model->settings.window,
			.first = shares[s].n_leading ? shares[s].first : p->first,
			.last = shares[s].n_leading ? shares[s].last : p->last,
		};

		if (!(ranked.value > 0))
			continue;
		p->n_at_fault += ranked.is_at_fault;
		lode_vec_append(&p->servers, ranked);
	}
	lode_sort(p->servers.at, p->servers.n, by_fault);
	free(shares);
	free(worths);
}

/* Classic models: servers by their counters' cells. */
static void rank_by_cells(const struct lode_pio_run *run, struct lode_pio_period *p)
{
	size_t n = run->servers.names.n;
	double *values = lode_alloc0(n + 1, sizeof(*values));

	for (size_t i = 0; i < p->counters.n; i++)
		values[run->servers.of[p->counters.at[i].at]] += p->counters.at[i].value;
	for (size_t s = 0; s < n; s++) {
		struct lode_pio_ranked ranked = {
			.at = (uint32_t)s, .value = values[s], .first = p->first, .last = p->last};

		if (ranked.value > 0)
			lode_vec_append(&p->servers, ranked);
	}
	sort_ranking(&p->servers);
	p->n_at_fault = p->servers.n > 0;
	if (p->servers.n)
		p->servers.at[0].is_at_fault = true;
	free(values);
}

static void use_rule(struct lode_pio_period *p, uint32_t ruleset, bool is_med_high, size_t rule)
{
	if (rule == LODE_NO_RULE)
		return;
	for (size_t i = 0; i < p->rules.n; i++) {
		struct lode_pio_rule_use *u = &p->rules.at[i];

		if (u->ruleset == ruleset && u->is_med_high == is_med_high && u->rule == rule) {
			u->n++;
			return;
		}
	}
	lode_vec_append(&p->rules,
			((struct lode_pio_rule_use){ruleset, is_med_high, (uint32_t)rule, 1}));
}

LODE_COMPARE(by_use, struct lode_pio_rule_use,
	     LODE_ORDER(b->n, a->n) ?: LODE_ORDER(a->ruleset, b->ruleset)
		     ?: a->is_med_high - b->is_med_high ?: LODE_ORDER(a->rule, b->rule))

static void find_rules(const struct lode_pio_run *run, struct lode_pio_period *p)
{
	size_t n = run->out->n_intervals;

	for (uint32_t k = 0; k < run->model->rules.n; k++) {
		for (size_t i = p->first; i <= p->last; i++) {
			const struct lode_pio_verdict *v = &run->out->verdicts[k * n + i];

			if (v->class == LODE_PIO_LOW || v->class == LODE_PIO_NONE)
				continue;
			use_rule(p, k, false, v->fired.low_other);
			use_rule(p, k, true, v->fired.med_high);
		}
	}
	lode_sort(p->rules.at, p->rules.n, by_use);
}

/* ---- Who was hit ---- */

static void add_hit(lode_pio_ranking *ranking, struct lode_map *index, uint32_t id, uint32_t n)
{
	uint32_t slot = lode_map_number(index, id, ranking->n);

	if (slot == ranking->n)
		lode_vec_append(ranking, ((struct lode_pio_ranked){.at = id}));
	ranking->at[slot].n_slow += n;
	ranking->at[slot].value += n;
}

/* Which list a period belongs to does not matter here: they do not overlap. */
void lode_pio_find_hits(const struct lode_pio_run *run, lode_pio_periods *periods)
{
	const struct lode_pio_analysis *a = run->out;
	int64_t first = a->start_ns / a->step_ns;
	uint32_t *period_of = lode_alloc((a->n_intervals + 1) * sizeof(*period_of));
	struct lode_map *index = lode_alloc0(2 * periods->n + 1, sizeof(*index));

	for (size_t i = 0; i < a->n_intervals; i++)
		period_of[i] = LODE_NONE;
	for (size_t p = 0; p < periods->n; p++) {
		for (size_t i = periods->at[p].first; i <= periods->at[p].last; i++)
			period_of[i] = (uint32_t)p;
	}
	for (size_t i = 0; i < run->requests->hits.n; i++) {
		const struct lode_slow_hits *h = &run->requests->hits.at[i];
		size_t at = lode_interval_place(&a->pauses, first, a->n_intervals, h->interval);
		const struct lode_usual_pair *pair;
		uint32_t p;

		if (at == SIZE_MAX || period_of[at] == LODE_NONE)
			continue;
		p = period_of[at];
		pair = &run->requests->usual->pairs.at[h->pair];
		add_hit(&periods->at[p].actions, &index[2 * p], pair->action, h->n);
		if (pair->user != LODE_NONE)
			add_hit(&periods->at[p].users, &index[2 * p + 1], pair->user, h->n);
	}
	for (size_t p = 0; p < periods->n; p++) {
		sort_ranking(&periods->at[p].actions);
		sort_ranking(&periods->at[p].users);
		lode_map_release(&index[2 * p]);
		lode_map_release(&index[2 * p + 1]);
	}
	free(period_of);
	free(index);
}

double lode_pio_healthy_ratio(const struct lode_pio_model *model)
{
	return isnan(model->healthy_ratio) ? model->med_bound : model->healthy_ratio;
}

void lode_pio_describe(const struct lode_pio_run *run, struct lode_pio_period *p)
{
	const struct lode_pio_analysis *a = run->out;

	for (size_t i = p->first; i <= p->last; i++) {
		p->n += a->intervals[i].n;
		p->n_slow += a->intervals[i].n_slow;
		p->n_client += a->intervals[i].n_client;
		if (a->intervals[i].intensity > p->intensity_max)
			p->intensity_max = a->intervals[i].intensity;
	}
	p->excess = (double)p->n_slow - lode_pio_healthy_ratio(run->model) * (double)p->n;
	rank_counters(run, p);
	if (a->deviations)
		rank_by_blame(run, p);
	else
		rank_by_cells(run, p);
	find_rules(run, p);
}
