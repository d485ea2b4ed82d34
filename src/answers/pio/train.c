/* A model learnt from logs and counters. */
#include "engine/pio/train.h"

#include "answers/pio/parts.h"
#include "base/duration.h"
#include "base/memory_limit.h"
#include "document/export/export_file.h"
#include "engine/pio/model_file.h"

/* Slow time is not that of requests. */
static bool is_by_intervals(const struct lode_pio_train_request *request)
{
	return request->n_slos || request->n_incidents;
}

/* Reads all periods: counters first, since they say how long an interval is. */
static int read_periods(struct lode_pio_trained *t, const struct lode_pio_train_request *request,
			struct lode_pio_recorded *periods, size_t n, struct lode_error *err)
{
	struct lode_pio_settings *settings = &t->model.settings;
	const struct lode_pio_inputs *inputs = &request->inputs;
	struct lode_counter_bound bound = lode_pio_grid_bound(inputs, 0);
	struct lode_request_log_options log = {
		.is_by_start = settings->is_by_start,
		.is_whole_response = settings->is_whole_response,
		/* Requests that wait to be judged; beyond, they go to a temporary file. */
		.memory_bytes = lode_memory_budget(inputs->memory_bytes) / 4 / n,
	};
	size_t n_logs = 0;
	int rc = LODE_OK;

	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = lode_pio_read_counters(&periods[i], inputs, i, &t->notes, err);
		if (rc == 0 && !settings->step_ns)
			settings->step_ns = lode_counter_log_period(periods[i].raw);
	}
	if (rc < 0)
		return rc;
	if (!settings->step_ns) {
		lode_pio_note(&t->notes, LODE_PIO_LACKS,
			      "cannot derive the sampling interval from a single sample: give "
			      "--interval");
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no intervals");
	}
	log.step_ns = settings->step_ns;
	for (size_t i = 0; i < n && rc == 0; i++) {
		lode_request_log_init(&periods[i].requests, &log, &t->model.usual,
				      is_by_intervals(request));
		rc = lode_pio_align(&periods[i], log.step_ns, &bound, &t->notes, err);
		if (rc == 0)
			rc = lode_pio_read_logs(&periods[i], inputs, i, &t->model.names, &t->notes,
						err);
		n_logs += rc == 0 && periods[i].has_log;
	}
	if (rc == 0 && (settings->is_classic || n_logs) && n_logs < n) {
		lode_pio_note(&t->notes, LODE_PIO_LACKS,
			      settings->is_classic
				      ? "--classic needs a request log: --log FILE"
				      : "give a request log for every period, or for none");
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no request log given (--log)");
	}
	return rc;
}

/* Slow by bounds of counters, or as the user says. */
static int count_slow(struct lode_pio_trained *t, const struct lode_pio_train_request *request,
		      struct lode_pio_recorded *periods, struct lode_counters *const *grids,
		      size_t n, struct lode_error *err)
{
	for (size_t i = 0; i < request->n_slos; i++) {
		if (lode_pio_slo_add(&t->model, request->slos[i], grids, n))
			continue;
		lode_fail(err, LODE_ERR_ARG, NULL, -1,
			  "--slo '%.100s': no counter has this name, such as '%.60s:%.60s'",
			  request->slos[i], grids[0]->counters[0].server,
			  grids[0]->counters[0].name);
		lode_pio_note(&t->notes, LODE_PIO_LACKS, "%s", err->message);
		return LODE_ERR_ARG;
	}
	for (size_t i = 0; i < n && is_by_intervals(request); i++) {
		lode_pio_incidents_count(request->incidents, request->n_incidents, grids[i],
					 &periods[i].requests);
		lode_pio_slos_count(&t->model, grids[i], &periods[i].requests);
		periods[i].has_log = true;
	}
	return LODE_OK;
}

static int learn_model(struct lode_pio_trained *t, const struct lode_pio_train_request *request,
		       struct lode_pio_recorded *periods, size_t n, struct lode_error *err)
{
	struct lode_pio_training *training = lode_alloc0(n, sizeof(*training));
	struct lode_counters **grids = lode_alloc0(n, sizeof(*grids));
	struct lode_pio_train_options how = {.n_folds = request->n_folds,
					     .n_threads = request->inputs.n_threads};
	int rc;

	for (size_t i = 0; i < n; i++)
		grids[i] = &periods[i].counters;
	lode_pio_find_services(&t->model.services_in, &request->inputs, grids, n, &t->notes);
	rc = count_slow(t, request, periods, grids, n, err);
	free(grids);
	if (rc < 0) {
		free(training);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		training[i] =
			(struct lode_pio_training){periods[i].has_log ? &periods[i].requests : NULL,
						   &periods[i].counters};
	rc = lode_pio_train(&t->model, training, n, &how, err);
	free(training);
	if (rc == 0)
		return rc;
	if (rc == LODE_ERR_ARG)
		err->status = LODE_ERR_EMPTY; /* the files have nothing, not the command line */
	return lode_pio_note_error(&t->notes, LODE_PIO_FAILED, err);
}

/* Requests per interval below which single slow requests look like slow intervals: of healthy time
   one in seven is SLOW; in 1 % of intervals half of 10 are, by chance, and half of 4 in 13 %. */
enum { FEW_REQUESTS = 10 };

/* The least multiple of the step that has as many. */
static int64_t interval_of(int64_t step_ns, unsigned long long n_requests,
			   unsigned long long n_intervals)
{
	double steps = ceil(FEW_REQUESTS * (double)n_intervals / fmax(1, (double)n_requests));

	return (int64_t)fmin(steps * (double)step_ns, 1e18);
}

/* Whether there was enough to learn from. */
static void note_too_few(struct lode_pio_trained *t)
{
	unsigned long long n_requests = 0, n_intervals = 0;
	int64_t step_ns = t->model.settings.step_ns;
	char step[LODE_DURATION_BYTES], enough[LODE_DURATION_BYTES];

	for (size_t i = 0; i < t->model.periods.n; i++) {
		n_requests += t->model.periods.at[i].n_requests;
		n_intervals += t->model.periods.at[i].n_intervals;
	}
	if (!lode_pio_model_has_log(&t->model)) {
		lode_pio_note(&t->notes, LODE_PIO_HINT,
			      "no request log: all of training counts as healthy, and periods are "
			      "those in which counters leave its ranges");
		return;
	}
	lode_duration_text(step_ns, step, sizeof(step));
	if (!t->model.n_episodes && !t->model.usual.actions.n) {
		lode_pio_note(&t->notes, LODE_PIO_HINT,
			      "no slow time in training, so no rules are learned: every counter "
			      "outside its healthy range counts the same");
		return;
	}
	if (!t->model.n_episodes && !t->model.settings.is_classic)
		lode_pio_note(&t->notes, LODE_PIO_HINT,
			      "too little slow time in training: no interval is significantly slow "
			      "(%llu requests in %llu intervals of %s). All time counts as "
			      "healthy, and no rules are learned",
			      n_requests, n_intervals, step);
	if (t->model.usual.actions.n && n_intervals && n_requests < FEW_REQUESTS * n_intervals)
		lode_pio_note(&t->notes, LODE_PIO_HINT,
			      "too few requests in training: %.1f per interval of %s, so that "
			      "single slow requests look like slow intervals. --interval %s would "
			      "have %d requests",
			      (double)n_requests / (double)n_intervals, step,
			      lode_duration_text(interval_of(step_ns, n_requests, n_intervals),
						 enough, sizeof(enough)),
			      FEW_REQUESTS);
}

static int put_model(FILE *out, const void *model, struct lode_error *err)
{
	(void)err;
	lode_pio_model_write(out, model);
	return LODE_OK;
}

int lode_pio_train_run(struct lode_pio_trained **out, const struct lode_pio_train_request *request,
		       struct lode_error *err)
{
	struct lode_pio_trained *t = lode_alloc0(1, sizeof(*t));
	size_t n = lode_pio_inputs_periods(&request->inputs);
	struct lode_pio_recorded *periods = lode_alloc0(n, sizeof(*periods));
	int rc;

	*out = t;
	t->model.settings = request->settings;
	t->model.usual.is_log = request->settings.is_log;
	t->model.usual.is_per_action = request->settings.is_per_action;
	t->model.usual.min_requests = request->settings.min_requests;
	rc = read_periods(t, request, periods, n, err);
	if (rc == 0)
		rc = learn_model(t, request, periods, n, err);
	if (rc == 0)
		note_too_few(t);
	if (rc == 0 && request->model &&
	    lode_export_write(request->model, put_model, &t->model, err) < 0)
		rc = lode_pio_note_error(&t->notes, LODE_PIO_FAILED, err);
	for (size_t i = 0; i < n; i++)
		lode_pio_recorded_release(&periods[i]);
	free(periods);
	return rc;
}

void lode_pio_trained_free(struct lode_pio_trained *trained)
{
	if (!trained)
		return;
	lode_pio_model_release(&trained->model);
	lode_pio_notes_release(&trained->notes);
	free(trained);
}
