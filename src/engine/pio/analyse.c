/* From a model, counters and requests to slow periods and their causes. */
#include "engine/pio/analyse.h"

#include "engine/pio/evidence.h"
#include "engine/pio/periods.h"

/* A counter that is out of its range for more than this share of a long enough time has a new
   level: it tells nothing any more. */
#define SHIFTED_SHARE 0.5
enum { SHIFTED_LEAST_ROWS = 300 };

void lode_pio_count_requests(struct lode_pio_run *run)
{
	struct lode_pio_analysis *a = run->out;
	int64_t first = a->start_ns / a->step_ns;

	for (size_t i = 0; i < a->n_intervals; i++) {
		struct lode_pio_interval *interval = &a->intervals[i];
		const struct lode_interval_counts *t =
			run->requests
				? lode_interval_tally_find(&run->requests->tally,
							   lode_interval_at(&a->pauses, first, i))
				: NULL;

		interval->sa_ratio = t && t->n ? (double)t->n_slow / t->n : NAN;
		if (t) {
			interval->n = t->n;
			interval->n_slow = t->n_slow;
			interval->n_client = t->n_client;
		}
		interval->class =
			(uint8_t)lode_pio_class_of(interval->sa_ratio, run->model->med_bound,
						   run->model->high_bound);
	}
}

enum lode_pio_class lode_pio_middle_vote(const uint32_t *votes)
{
	uint32_t n = votes[LODE_PIO_LOW] + votes[LODE_PIO_MED] + votes[LODE_PIO_HIGH];

	if (!n)
		return LODE_PIO_NONE;
	if (2 * votes[LODE_PIO_HIGH] >= n)
		return LODE_PIO_HIGH;
	return 2 * (votes[LODE_PIO_HIGH] + votes[LODE_PIO_MED]) >= n ? LODE_PIO_MED : LODE_PIO_LOW;
}

/* Classifies every interval and makes the matrix, a column from the one before. */
static void estimate(struct lode_pio_run *run)
{
	struct lode_pio_analysis *a = run->out;
	size_t n = run->model->counters.n, n_rulesets = run->model->rules.n;
	float *column = lode_alloc0(n + 1, sizeof(*column));
	bool *is_moved = lode_alloc0(n + 1, sizeof(*is_moved));

	for (size_t i = 0; i < a->n_intervals; i++) {
		uint32_t votes[4] = {0};

		for (size_t k = 0; k < n_rulesets; k++) {
			const struct lode_pio_rules *rules = &run->model->rules.at[k];
			struct lode_pio_verdict *v = &a->verdicts[k * a->n_intervals + i];

			v->class = (uint8_t)lode_pio_rules_classify(
				rules, (const double *const *)run->matrix.columns, n, i, &v->fired);
			votes[v->class]++;
			lode_pio_coverage_step(column, n, rules, v->class, &v->fired,
					       1.0F / (float)n_rulesets, is_moved);
		}
		a->intervals[i].estimated = (uint8_t)lode_pio_middle_vote(votes);
		for (size_t c = 0; c < n; c++)
			a->coverage[c][i] = column[c];
	}
	free(column);
	free(is_moved);
}

static void find_intensity(struct lode_pio_analysis *a)
{
	uint8_t *classes = lode_alloc0(a->n_intervals + 1, 1);
	uint32_t *intensity = lode_alloc0(a->n_intervals + 1, sizeof(*intensity));

	for (size_t i = 0; i < a->n_intervals; i++)
		classes[i] = a->intervals[i].estimated;
	lode_intensity_all(intensity, classes, a->n_intervals, a->model->settings.window);
	for (size_t i = 0; i < a->n_intervals; i++)
		a->intervals[i].intensity = intensity[i];
	free(classes);
	free(intensity);
}

/* ---- Advice ---- */

bool lode_pio_has_new_level(size_t n_out, size_t n_rows)
{
	return n_rows >= SHIFTED_LEAST_ROWS && (double)n_out > SHIFTED_SHARE * (double)n_rows;
}

static void compare_counters(struct lode_pio_run *run, const struct lode_counters *counters)
{
	struct lode_pio_advice *advice = &run->out->advice;
	size_t n_rows = run->matrix.n_rows;

	for (size_t c = 0; c < run->model->counters.n; c++) {
		size_t n_values = 0, n_out = 0;

		for (size_t r = 0; r < n_rows; r++) {
			n_values += !isnan(run->matrix.columns[c][r]);
			n_out += run->out->deviations &&
				 fabs((double)run->out->deviations[c][r]) > 1;
		}
		if (!n_values) {
			lode_vec_append(&advice->vanished, (uint32_t)c);
		} else if (lode_pio_has_new_level(n_out, n_rows)) {
			run->is_out[c] = true;
			if (!run->model->counters.at[c].is_drifting)
				lode_vec_append(&advice->shifted, (uint32_t)c);
		}
	}
	for (size_t c = 0; c < counters->n_counters; c++) {
		const struct lode_counter *counter = &counters->counters[c];

		if (lode_pio_model_counter(run->model, counter->server, counter->name) == LODE_NONE)
			lode_vec_append(&advice->appeared, counter);
	}
	if (run->requests)
		advice->n_unjudged = run->requests->n_unjudged;
}

static uint8_t class_at(const struct lode_pio_analysis *a, size_t i)
{
	return a->has_log ? a->intervals[i].class : a->intervals[i].estimated;
}

/*
 * Share of HIGH against training's. Slow intervals come in bunches, so n of them are worth fewer
 * independent ones: n (1 - r) / (1 + r), r the likeness of neighbours (a Markov chain's variance);
 * that of training where few are HIGH here. Training's share is exact only by definition: where its
 * bound lies is as uncertain as its own intervals are few.
 */
static void find_regression(struct lode_pio_analysis *a)
{
	struct lode_pio_regression *g = &a->regression;
	const uint64_t *trained = a->model->class_counts;
	uint64_t n_trained = trained[0] + trained[1] + trained[2];
	uint8_t *classes = lode_alloc0(a->n_intervals + 1, 1);
	double p, r;

	*g = (struct lode_pio_regression){.z = NAN, .is_estimated = !a->has_log};
	p = n_trained ? (double)trained[LODE_PIO_HIGH] / (double)n_trained : 0.05;
	g->expected = p;
	for (size_t i = 0; i < a->n_intervals; i++) {
		classes[i] = class_at(a, i);
		g->n += classes[i] != LODE_PIO_NONE;
		g->n_high += classes[i] == LODE_PIO_HIGH;
	}
	r = fmax(a->model->likeness, lode_pio_likeness(classes, a->n_intervals));
	free(classes);
	if (g->n < 20 || !n_trained || !(p > 0 && p < 1))
		return;
	g->z = ((double)g->n_high / (double)g->n - p) /
	       sqrt(p * (1 - p) * (1 + r) / (1 - r) * (1 / (double)g->n + 1 / (double)n_trained));
	a->advice.is_class_drift = fabs(g->z) > 4;
}

bool lode_pio_is_retraining_advised(const struct lode_pio_analysis *a)
{
	uint64_t n = 0;

	for (size_t i = 0; i < a->n_intervals; i++)
		n += a->intervals[i].n;
	/* A twentieth of the requests is more than a new page or two. */
	return a->advice.vanished.n || a->advice.appeared.n || a->advice.shifted.n ||
	       a->advice.is_class_drift || 20 * a->advice.n_unjudged > n + a->advice.n_unjudged;
}

const char *lode_pio_regression_verdict(const struct lode_pio_regression *regression)
{
	if (isnan(regression->z))
		return "unknown";
	return regression->z > 2 ? "worse" : regression->z < -2 ? "better" : "same";
}

/* ---- All of it ---- */

void lode_pio_analyse(struct lode_pio_analysis *out, const struct lode_pio_model *model,
		      const struct lode_counters *counters, const struct lode_request_log *requests)
{
	struct lode_pio_run run = {.out = out, .model = model, .requests = requests};
	size_t n = model->counters.n;

	*out = (struct lode_pio_analysis){.model = model,
					  .start_ns = counters->start_ns,
					  .step_ns = counters->step_ns,
					  .n_intervals = counters->n_intervals,
					  .pauses = counters->pauses,
					  .has_log = requests != NULL};
	out->intervals = lode_alloc0(out->n_intervals + 1, sizeof(*out->intervals));
	out->coverage = lode_alloc0(n + 1, sizeof(*out->coverage));
	for (size_t c = 0; c < n; c++)
		out->coverage[c] = lode_alloc0(out->n_intervals + 1, sizeof(float));
	out->verdicts = lode_alloc0(model->rules.n * out->n_intervals + 1, sizeof(*out->verdicts));
	run.is_out = lode_alloc0(n + 1, sizeof(*run.is_out));
	lode_pio_matrix_build(&run.matrix, model, &counters, 1);
	lode_pio_servers_build(&run.servers, model);
	if (!model->settings.is_classic)
		out->deviations = lode_pio_deviations(model, &run.matrix, model->settings.window);
	lode_pio_count_requests(&run);
	compare_counters(&run, counters);
	estimate(&run);
	find_intensity(out);
	lode_pio_find_periods(&run);
	find_regression(out);
	lode_pio_servers_release(&run.servers);
	out->values = run.matrix.columns;
	run.matrix.columns = NULL;
	run.matrix.n_columns = 0;
	lode_pio_matrix_release(&run.matrix);
	free(run.is_out);
}

static void release_periods(lode_pio_periods *periods)
{
	for (size_t i = 0; i < periods->n; i++) {
		struct lode_pio_period *p = &periods->at[i];

		lode_vec_release(&p->servers);
		lode_vec_release(&p->counters);
		lode_vec_release(&p->actions);
		lode_vec_release(&p->users);
		lode_vec_release(&p->rules);
	}
	lode_vec_release(periods);
}

void lode_pio_analysis_release(struct lode_pio_analysis *a)
{
	for (size_t c = 0; a->model && c < a->model->counters.n; c++) {
		free(a->coverage[c]);
		if (a->values)
			free(a->values[c]);
	}
	for (size_t s = 0; a->detections && s < a->n_servers; s++)
		free(a->detections[s]);
	if (a->model)
		lode_pio_deviations_free(a->deviations, a->model->counters.n);
	free(a->coverage);
	free(a->values);
	free(a->detections);
	free(a->verdicts);
	free(a->intervals);
	release_periods(&a->periods);
	release_periods(&a->unfelt);
	release_periods(&a->unexplained);
	lode_vec_release(&a->advice.vanished);
	lode_vec_release(&a->advice.shifted);
	lode_vec_release(&a->advice.appeared);
	memset(a, 0, sizeof(*a));
}
