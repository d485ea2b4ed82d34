/* Trains a model from periods of requests and counters. */
#include "engine/pio/train.h"

#include "engine/pio/evidence.h"
#include "engine/pio/rules.h"

/* Of groups of requests: how far the shares of slow ones scatter. */
struct scatter {
	double n_requests, n_slow, slow_by_share; /* the last: sum of slow * slow / requests */
	uint64_t n;
};

/* Beyond so many standard errors, they scatter more than chance makes them. */
#define SCATTER_ERRORS 4
/* The test needs groups of more than a few: those of one request scatter as chance, always. */
enum { POOL_REQUESTS = 10 };

struct run {
	struct lode_pio_model *model;
	const struct lode_pio_training *periods;
	size_t n_periods;
	struct lode_pio_matrix matrix;
	double *ratios;			     /* per row; NaN: no request */
	uint8_t *classes;		     /* enum lode_pio_class per row */
	struct scatter by_interval, by_pool; /* pool: neighbours, so many that there are enough */
};

LODE_COMPARE(by_name, struct lode_pio_counter,
	     strcmp(a->server, b->server) ?: strcmp(a->name, b->name))

/* The counters of all periods, each once. */
static void name_counters(struct run *run)
{
	struct lode_pio_model *model = run->model;

	for (size_t p = 0; p < run->n_periods; p++) {
		const struct lode_counters *counters = run->periods[p].counters;

		for (size_t c = 0; c < counters->n_counters; c++) {
			const struct lode_counter *counter = &counters->counters[c];

			if (lode_pio_model_counter(model, counter->server, counter->name) !=
			    LODE_NONE)
				continue;
			lode_vec_append(
				&model->counters,
				((struct lode_pio_counter){.server = lode_strdup(counter->server),
							   .name = lode_strdup(counter->name),
							   .median = NAN}));
		}
	}
	lode_sort(model->counters.at, model->counters.n, by_name);
}

static void add_group(struct scatter *scatter, uint64_t n, uint64_t n_slow)
{
	scatter->n++;
	scatter->n_requests += (double)n;
	scatter->n_slow += (double)n_slow;
	scatter->slow_by_share += (double)n_slow * (double)n_slow / (double)n;
}

static bool has_value(const struct lode_pio_matrix *matrix, size_t row)
{
	for (size_t c = 0; c < matrix->n_columns; c++)
		if (!isnan(matrix->columns[c][row]))
			return true;
	return false;
}

/* Without a log all of a period is taken for healthy. */
static uint64_t take_as_healthy(struct run *run, size_t p)
{
	uint64_t n = 0;

	for (size_t row = run->matrix.starts[p]; row < run->matrix.starts[p + 1]; row++) {
		bool is_sampled = has_value(&run->matrix, row);

		run->ratios[row] = is_sampled ? 0 : NAN;
		n += is_sampled;
	}
	return n;
}

/* SARatio of every row. */
static void find_ratios(struct run *run)
{
	for (size_t p = 0; p < run->n_periods; p++) {
		const struct lode_counters *counters = run->periods[p].counters;
		const struct lode_request_log *log = run->periods[p].requests;
		int64_t first = counters->start_ns / counters->step_ns;
		struct lode_pio_span span = {.start_ns = counters->start_ns,
					     .end_ns = lode_counters_time(counters,
									  counters->n_intervals),
					     .n_requests = log ? log->n_requests : 0};
		uint64_t n = 0, n_slow = 0; /* of the pool */

		if (!log)
			span.n_intervals = take_as_healthy(run, p);
		for (size_t i = 0; log && i < counters->n_intervals; i++) {
			const struct lode_interval_counts *t = lode_interval_tally_find(
				&log->tally, lode_interval_at(&counters->pauses, first, i));
			size_t row = run->matrix.starts[p] + i;

			run->ratios[row] = t && t->n ? (double)t->n_slow / t->n : NAN;
			span.n_intervals += t && t->n;
			if (!t || !t->n)
				continue;
			add_group(&run->by_interval, t->n, t->n_slow);
			n += t->n;
			n_slow += t->n_slow;
			if (n < POOL_REQUESTS)
				continue;
			add_group(&run->by_pool, n, n_slow);
			n = n_slow = 0;
		}
		lode_vec_append(&run->model->periods, span);
	}
}

static void find_classes(struct run *run)
{
	struct lode_pio_model *model = run->model;
	size_t n = run->matrix.n_rows;

	model->med_bound = lode_percentile(run->ratios, n, model->settings.med_pct);
	model->high_bound = lode_percentile(run->ratios, n, model->settings.high_pct);
	for (size_t r = 0; r < n; r++) {
		run->classes[r] = (uint8_t)lode_pio_class_of(run->ratios[r], model->med_bound,
							     model->high_bound);
		if (run->classes[r] != LODE_PIO_NONE)
			model->class_counts[run->classes[r]]++;
	}
	model->likeness = lode_pio_likeness(run->classes, n);
}

/*
 * Were each request SLOW with the same chance p, a group's share would scatter around it by
 * sqrt(p(1-p)/n), and the sum of the squares in these units, X2 [Pearson], around the number of
 * groups.
 */
static bool is_beyond_chance(const struct scatter *scatter)
{
	double p = scatter->n_slow / scatter->n_requests, freedom = (double)scatter->n - 1;
	double x2 = (scatter->slow_by_share - scatter->n_slow * p) / (p * (1 - p));

	return x2 > freedom + SCATTER_ERRORS * sqrt(2 * freedom);
}

/* Is there slow time at all? Of healthy time one request of seven is SLOW by definition, and with
   few requests per interval some intervals have nothing but such. */
static bool has_slow_time(const struct run *run)
{
	return is_beyond_chance(&run->by_interval) || is_beyond_chance(&run->by_pool);
}

/* Share of SLOW requests in the lower half of the intervals: what healthy time looks like. */
static void find_healthy_ratio(struct run *run, bool has_slow)
{
	double middle = lode_percentile(run->ratios, run->matrix.n_rows, 50);
	struct lode_usual_moments below = {0};

	for (size_t r = 0; r < run->matrix.n_rows; r++) {
		if (run->ratios[r] <= middle)
			lode_usual_moments_add(&below, run->ratios[r]);
	}
	if (!run->model->settings.is_classic)
		run->model->healthy_ratio =
			has_slow ? below.mean
			: run->by_interval.n > 0
				? run->by_interval.n_slow / run->by_interval.n_requests
				: 0;
}

static void learn_rules(struct run *run, const struct lode_pio_train_options *options)
{
	struct lode_pio_model *model = run->model;
	bool *is_used = lode_alloc0(model->counters.n + 1, sizeof(*is_used));

	for (size_t c = 0; c < model->counters.n; c++)
		is_used[c] = !model->counters.at[c].is_drifting;
	for (uint32_t i = 0; i < model->settings.n_rulesets; i++) {
		struct lode_pio_rules rules;

		lode_pio_rules_learn(&rules, &run->matrix, run->classes, is_used,
				     model->settings.seed + i, options->n_folds,
				     options->n_threads);
		lode_vec_append(&model->rules, rules);
	}
	free(is_used);
}

int lode_pio_train(struct lode_pio_model *model, const struct lode_pio_training *periods,
		   size_t n_periods, const struct lode_pio_train_options *options,
		   struct lode_error *err)
{
	struct run run = {.model = model, .periods = periods, .n_periods = n_periods};
	const struct lode_counters **counters = lode_alloc0(n_periods + 1, sizeof(*counters));
	int rc = 0;

	lode_usual_settle(&model->usual);
	for (size_t p = 0; p < n_periods && rc >= 0; p++) {
		counters[p] = periods[p].counters;
		rc = periods[p].requests ? lode_request_log_count(periods[p].requests, err) : 0;
	}
	if (rc >= 0) {
		name_counters(&run);
		lode_pio_matrix_build(&run.matrix, model, counters, n_periods);
		run.ratios = lode_alloc0(run.matrix.n_rows + 1, sizeof(*run.ratios));
		run.classes = lode_alloc0(run.matrix.n_rows + 1, sizeof(*run.classes));
		find_ratios(&run);
		find_classes(&run);
		if (isnan(model->med_bound))
			rc = lode_fail(err, LODE_ERR_ARG, NULL, -1,
				       "no interval has both requests and counters: do the logs "
				       "and the counters cover the same time?");
	}
	if (rc >= 0) {
		bool has_slow = has_slow_time(&run);

		find_healthy_ratio(&run, has_slow);
		if (!model->settings.is_classic)
			lode_pio_baseline_learn(model, &run.matrix, run.ratios, has_slow,
						options->n_threads);
		/* Rules that part chance from chance would be shown beside the truth; and rules
		   learnt from one class alone would call everything another. */
		if (model->settings.is_classic || has_slow)
			learn_rules(&run, options);
	}
	free(counters);
	lode_pio_matrix_release(&run.matrix);
	free(run.ratios);
	free(run.classes);
	return rc < 0 ? rc : 0;
}
