#include "analyses/pio/periods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A period was felt when its SLOW share is beyond healthy time's by three standard errors, and by
   half of it. */
#define FELT_ERRORS 3.0
#define FELT_FACTOR 1.5
/* A server has a bottleneck of its own when it has this share of the worst one's blame. */
#define AT_FAULT_SHARE 0.5

/* ---- Where ---- */

/* Each server's detection at a row, from smoothed counters, and the largest of them. */
static double detect(const struct lode_pio_run *run, struct lode_pio_worth *worths, size_t row)
{
	double most = 0;

	lode_pio_evidence(worths, run->model, &run->servers, run->out->deviations, row,
			  run->is_out);
	for (size_t s = 0; s < run->servers.names.n; s++) {
		run->out->detections[s][row] = (float)worths[s].detection;
		most = fmax(most, worths[s].detection);
	}
	return most;
}

/* The largest without smoothing: deviations of the row's own values. */
static double raw_detection(const struct lode_pio_run *run, struct lode_pio_worth *worths,
			    float **one, size_t row)
{
	double most = 0;

	for (size_t c = 0; c < run->model->counters.n; c++) {
		double d = lode_pio_deviation(&run->model->counters.at[c],
					      run->matrix.columns[c][row]);

		one[c][0] = isnan(d) ? 0 : (float)d;
	}
	lode_pio_evidence(worths, run->model, &run->servers, one, 0, run->is_out);
	for (size_t s = 0; s < run->servers.names.n; s++)
		most = fmax(most, worths[s].detection);
	return most;
}

struct raw {
	struct lode_pio_worth *worths;
	float **one, *cells;
};

/*
 * Smoothing sees a period late and leaves it late: the first and last rows whose own values speak
 * for it, a window at most from where smoothing has it.
 */
static void date(const struct lode_pio_run *run, struct lode_pio_period *p, const struct raw *raw)
{
	size_t window = run->model->settings.window;
	size_t from = p->first < window ? 0 : p->first - window + 1;
	size_t until = p->last < p->first + window ? p->first : p->last - window + 1;

	p->reported = p->first;
	for (size_t r = from; r < p->first; r++) {
		if (raw_detection(run, raw->worths, raw->one, r) > run->model->evidence_bound) {
			p->first = r;
			break;
		}
	}
	while (p->last > until &&
	       raw_detection(run, raw->worths, raw->one, p->last) <= run->model->evidence_bound)
		p->last--;
}

size_t lode_pio_period_gap(const struct lode_pio_model *model)
{
	return 2 * (size_t)model->settings.window;
}

/* Rows with evidence; those with less than two windows between them belong together. */
static void find_by_evidence(struct lode_pio_run *run, lode_pio_periods *periods)
{
	struct lode_pio_analysis *a = run->out;
	size_t n = run->model->counters.n;
	size_t gap = lode_pio_period_gap(run->model);
	struct raw raw = {lode_alloc0(run->servers.names.n + 1, sizeof(*raw.worths)),
			  lode_alloc0(n + 1, sizeof(*raw.one)),
			  lode_alloc0(n + 1, sizeof(*raw.cells))};

	for (size_t c = 0; c < n; c++)
		raw.one[c] = &raw.cells[c];
	a->n_servers = run->servers.names.n;
	a->detections = lode_alloc0(a->n_servers + 1, sizeof(*a->detections));
	for (size_t s = 0; s < a->n_servers; s++)
		a->detections[s] = lode_alloc0(a->n_intervals + 1, sizeof(float));
	for (size_t i = 0; i < a->n_intervals; i++) {
		struct lode_pio_period *p = periods->n ? &periods->at[periods->n - 1] : NULL;

		a->intervals[i].evidence = detect(run, raw.worths, i);
		if (!(a->intervals[i].evidence > run->model->evidence_bound))
			continue;
		if (!p || i - p->last > gap) {
			p = lode_vec_append_zero(periods);
			p->first = i;
		}
		p->last = i;
		p->evidence_max = fmax(p->evidence_max, a->intervals[i].evidence);
	}
	for (size_t i = 0; i < periods->n; i++)
		date(run, &periods->at[i], &raw);
	free(raw.worths);
	free(raw.one);
	free(raw.cells);
}

/*
 * Where the intensity is above 0, dated back to the first HIGH interval of the window that raised
 * it; its end is the last HIGH interval: what follows is the transformation's way down.
 */
static void find_by_intensity(struct lode_pio_run *run, lode_pio_periods *periods)
{
	const struct lode_pio_analysis *a = run->out;
	size_t window = run->model->settings.window;

	for (size_t i = 0; i < a->n_intervals; i++) {
		struct lode_pio_period *p;

		if (!a->intervals[i].intensity)
			continue;
		p = lode_vec_append_zero(periods);
		p->reported = p->first = p->last = i;
		for (size_t k = i + 1 < window ? 0 : i + 1 - window; k <= i; k++) {
			if (a->intervals[k].estimated == LODE_PIO_HIGH) {
				p->first = k;
				break;
			}
		}
		for (; i < a->n_intervals && a->intervals[i].intensity; i++) {
			if (a->intervals[i].estimated == LODE_PIO_HIGH)
				p->last = i;
		}
	}
}

/* ---- Whose fault ---- */

static int by_value(const void *a, const void *b)
{
	const struct lode_pio_ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void sort_ranking(lode_pio_ranking *ranking)
{
	if (ranking->n)
		qsort(ranking->at, ranking->n, sizeof(*ranking->at), by_value);
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

static double median_deviation(const struct lode_pio_analysis *a, size_t c,
			       const struct lode_pio_period *p)
{
	size_t n = p->last - p->first + 1;
	float *values = lode_alloc(n * sizeof(*values));
	double median;

	memcpy(values, a->deviations[c] + p->first, n * sizeof(*values));
	qsort(values, n, sizeof(*values), compare_floats);
	median = (double)values[n / 2];
	free(values);
	return median;
}

/* Counters by what they had to show: blame, or their cells of the matrix, per interval. */
static void rank_counters(const struct lode_pio_run *run, struct lode_pio_period *p)
{
	const struct lode_pio_analysis *a = run->out;
	double length = (double)(p->last - p->first + 1);

	for (size_t c = 0; c < run->model->counters.n; c++) {
		struct lode_pio_ranked ranked = {.at = (uint32_t)c};

		for (size_t i = p->first; i <= p->last; i++) {
			if (!a->deviations)
				ranked.value += (double)a->coverage[c][i];
			else if (!run->is_out[c])
				ranked.value += lode_pio_worth_of(&run->model->counters.at[c],
								  (double)a->deviations[c][i])
							.blame;
		}
		ranked.value /= length;
		if (!(ranked.value > 0))
			continue;
		if (a->deviations)
			ranked.deviation = median_deviation(a, c, p);
		lode_vec_append(&p->counters, ranked);
	}
	sort_ranking(&p->counters);
}

static void rank_servers(const struct lode_pio_run *run, struct lode_pio_period *p)
{
	const struct lode_pio_analysis *a = run->out;
	size_t n = run->servers.names.n;
	double length = (double)(p->last - p->first + 1);
	double *values = lode_alloc0(n + 1, sizeof(*values));
	double *detections = lode_alloc0(n + 1, sizeof(*detections));
	struct lode_pio_worth *worths = lode_alloc0(n + 1, sizeof(*worths));

	for (size_t i = p->first; i <= p->last && a->deviations; i++) {
		lode_pio_evidence(worths, run->model, &run->servers, a->deviations, i, run->is_out);
		for (size_t s = 0; s < n; s++) {
			values[s] += worths[s].blame / length;
			detections[s] = fmax(detections[s], worths[s].detection);
		}
	}
	for (size_t i = 0; i < p->counters.n && !a->deviations; i++)
		values[run->servers.of[p->counters.at[i].at]] += p->counters.at[i].value;
	for (size_t s = 0; s < n; s++) {
		if (values[s] > 0)
			lode_vec_append(
				&p->servers,
				((struct lode_pio_ranked){.at = (uint32_t)s, .value = values[s]}));
	}
	sort_ranking(&p->servers);
	while (p->n_at_fault < p->servers.n) {
		const struct lode_pio_ranked *server = &p->servers.at[p->n_at_fault];

		if (p->n_at_fault &&
		    (!a->deviations || server->value < AT_FAULT_SHARE * p->servers.at[0].value ||
		     detections[server->at] <= run->model->evidence_bound))
			break;
		p->n_at_fault++;
	}
	free(values);
	free(detections);
	free(worths);
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

static int by_use(const void *a, const void *b)
{
	const struct lode_pio_rule_use *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	if (x->ruleset != y->ruleset)
		return x->ruleset < y->ruleset ? -1 : 1;
	if (x->is_med_high != y->is_med_high)
		return x->is_med_high - y->is_med_high;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

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
	if (p->rules.n)
		qsort(p->rules.at, p->rules.n, sizeof(*p->rules.at), by_use);
}

/* ---- Who was hit ---- */

static void add_hit(lode_pio_ranking *ranking, struct lode_map *index, uint32_t id, uint32_t n)
{
	uint32_t *slot = lode_map_slot(index, id);

	if (*slot == LODE_NONE) {
		*slot = (uint32_t)ranking->n;
		lode_vec_append(ranking, ((struct lode_pio_ranked){.at = id}));
	}
	ranking->at[*slot].n_slow += n;
	ranking->at[*slot].value += n;
}

/* Which list a period belongs to does not matter here: they do not overlap. */
static void find_hits(const struct lode_pio_run *run, lode_pio_periods *periods)
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
		int64_t at = h->interval - first;
		const struct lode_usual_pair *pair;
		uint32_t p;

		if (at < 0 || at >= (int64_t)a->n_intervals || period_of[at] == LODE_NONE)
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

static double healthy_ratio(const struct lode_pio_model *model)
{
	return isnan(model->healthy_ratio) ? model->med_bound : model->healthy_ratio;
}

static bool is_felt(const struct lode_pio_model *model, const struct lode_pio_period *p)
{
	double healthy = healthy_ratio(model), n = (double)p->n, share;

	if (!p->n)
		return true; /* nothing was answered: nobody can say that it was fine */
	share = (double)p->n_slow / n;
	return share > FELT_FACTOR * healthy &&
	       share > healthy + FELT_ERRORS * sqrt(healthy * (1 - healthy) / n);
}

static void describe(const struct lode_pio_run *run, struct lode_pio_period *p)
{
	const struct lode_pio_analysis *a = run->out;

	for (size_t i = p->first; i <= p->last; i++) {
		p->n += a->intervals[i].n;
		p->n_slow += a->intervals[i].n_slow;
		if (a->intervals[i].intensity > p->intensity_max)
			p->intensity_max = a->intervals[i].intensity;
	}
	p->excess = (double)p->n_slow - healthy_ratio(run->model) * (double)p->n;
	rank_counters(run, p);
	rank_servers(run, p);
	find_rules(run, p);
}

/* ---- Slow time that counters do not explain ---- */

static bool is_near(const lode_pio_periods *periods, size_t i, size_t window)
{
	for (size_t k = 0; k < periods->n; k++) {
		if (i + window >= periods->at[k].first && i <= periods->at[k].last + window)
			return true;
	}
	return false;
}

/* HIGH by the log, most of a window, and no period near. */
static void find_unexplained(struct lode_pio_run *run)
{
	struct lode_pio_analysis *a = run->out;
	size_t window = run->model->settings.window, n_high = 0;

	for (size_t i = 0; i < a->n_intervals; i++) {
		struct lode_pio_period *p =
			a->unexplained.n ? &a->unexplained.at[a->unexplained.n - 1] : NULL;

		n_high += a->intervals[i].class == LODE_PIO_HIGH;
		if (i >= window)
			n_high -= a->intervals[i - window].class == LODE_PIO_HIGH;
		if (2 * n_high <= window || is_near(&a->periods, i, window))
			continue;
		if (!p || i - p->last > 2 * window) {
			struct lode_pio_period begun = {
				.first = i + 1 < window ? 0 : i + 1 - window, .reported = i};

			lode_vec_append(&a->unexplained, begun);
			p = &a->unexplained.at[a->unexplained.n - 1];
		}
		p->last = i;
	}
	for (size_t i = 0; i < a->unexplained.n; i++)
		describe(run, &a->unexplained.at[i]);
	find_hits(run, &a->unexplained);
}

void lode_pio_find_periods(struct lode_pio_run *run)
{
	struct lode_pio_analysis *a = run->out;
	lode_pio_periods found = {0};

	if (run->model->settings.is_classic)
		find_by_intensity(run, &found);
	else
		find_by_evidence(run, &found);
	for (size_t i = 0; i < found.n; i++)
		describe(run, &found.at[i]);
	if (run->requests)
		find_hits(run, &found);
	for (size_t i = 0; i < found.n; i++) {
		struct lode_pio_period *p = &found.at[i];

		if (run->model->settings.is_classic || !run->requests || is_felt(run->model, p))
			lode_vec_append(&a->periods, *p);
		else
			lode_vec_append(&a->unfelt, *p);
	}
	lode_vec_release(&found);
	if (run->requests && !run->model->settings.is_classic)
		find_unexplained(run);
}
