/* Joins intervals to slow periods, with what explains each. */
#include "engine/pio/periods.h"

/* A period was felt when its SLOW share is beyond healthy time's by three standard errors, and by
   half of it. */
#define FELT_ERRORS 3.0
#define FELT_FACTOR 1.5

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

/* Rows with evidence; those with no more than two windows between them belong together. */
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

/* Are `n_slow` of `n` requests more than healthy time has? */
static bool is_beyond_healthy(const struct lode_pio_model *model, uint64_t n_slow, uint64_t n)
{
	double healthy = lode_pio_healthy_ratio(model), share = (double)n_slow / (double)n;

	return share > FELT_FACTOR * healthy &&
	       share > healthy + FELT_ERRORS * sqrt(healthy * (1 - healthy) / (double)n);
}

/*
 * A period without requests was felt when those next to it were slow: under a stall, clients that
 * wait for an answer send nothing. While files are followed, requests that are not read yet count
 * as slow.
 */
static bool is_stall(const struct lode_pio_run *run, const struct lode_pio_period *p)
{
	const struct lode_pio_interval *intervals = run->out->intervals;
	size_t gap = lode_pio_period_gap(run->model), end = run->out->n_intervals;
	uint64_t n = 0, n_slow = 0;

	if (run->is_live && run->requests->last_ns < lode_pio_time(run->out, p->last + 1))
		return true;
	for (size_t i = p->first, k = 0; i && k < gap && !n; k++) {
		n += intervals[--i].n;
		n_slow += intervals[i].n_slow;
	}
	for (size_t i = p->last + 1, k = 0, before = n; i < end && k < gap && n == before; k++) {
		n += intervals[i].n;
		n_slow += intervals[i++].n_slow;
	}
	return n && is_beyond_healthy(run->model, n_slow, n);
}

static bool is_felt(const struct lode_pio_run *run, const struct lode_pio_period *p)
{
	if (!lode_pio_model_has_log(run->model))
		return true; /* no request can be judged */
	if (!p->n)
		return is_stall(run, p);
	/* Where more answers waited for their clients than were late from the servers, connections
	   pile up and packets are sent again, but no server is at fault. */
	return is_beyond_healthy(run->model, p->n_slow, p->n) && p->excess > (double)p->n_client;
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
		if (!p || i - p->last > lode_pio_period_gap(run->model)) {
			struct lode_pio_period begun = {
				.first = i + 1 < window ? 0 : i + 1 - window, .reported = i};

			lode_vec_append(&a->unexplained, begun);
			p = &a->unexplained.at[a->unexplained.n - 1];
		}
		p->last = i;
	}
	for (size_t i = 0; i < a->unexplained.n; i++)
		lode_pio_describe(run, &a->unexplained.at[i]);
	lode_pio_find_hits(run, &a->unexplained);
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
		lode_pio_describe(run, &found.at[i]);
	if (run->requests)
		lode_pio_find_hits(run, &found);
	for (size_t i = 0; i < found.n; i++) {
		struct lode_pio_period *p = &found.at[i];

		if (run->model->settings.is_classic || !run->requests || is_felt(run, p))
			lode_vec_append(&a->periods, *p);
		else
			lode_vec_append(&a->unfelt, *p);
	}
	lode_vec_release(&found);
	if (run->requests && !run->model->settings.is_classic)
		find_unexplained(run);
}
