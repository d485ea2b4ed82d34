/* Learning what is healthy, and what leaving it is worth (evidence.h). */
#include "engine/pio/evidence.h"
#include "base/number_sort.h"
#include "base/pool.h"

/* Of healthy values, beyond these percentiles they left the range. */
#define LOW_PCT	 0.5
#define HIGH_PCT 99.5
/* A border is no closer to the median than this share of it: constant counters have no spread. */
#define LEAST_SPREAD 0.05
/* The same where counters are only ordered. */
#define LEAST_SHARP_SPREAD 0.0025
/* The spread of few values is too small: by so many values' worth. Precision says what leaving it
   is worth only where there is slow time. */
#define FEW_VALUES 8.0
/* Below this ratio of short to long distances a counter wanders [von Neumann's ratio]. White noise
   has 1, the load's slow waves 0.1, memory and its caches 0.001. */
#define DRIFT_RATIO 0.05
enum { DRIFT_LEAST_VALUES = 8 };
/* Of rates over a window: how far the differences of neighbours are anti-correlated a window apart
   (-0.5 of a mean of independent values), and the least ratio there. LIMIT: windows up to 240
   intervals, known from the first 4,096. */
#define SMOOTHED_LEAST 0.2
#define SMOOTHED_RATIO 0.5
enum { LONGEST_SMOOTHING = 240, SMOOTHED_VALUES = 4096 };
/* An episode shows a counter when it is out of range for this share of it. */
#define SHOWN_SHARE 0.3
enum { LONGEST_WINDOW = 5 };
enum { BLAME_ROUNDS = 3, LEAST_HEALTHY_ROWS = 30, BYSTANDER_LEAST_EPISODES = 3 };
/* Above what healthy time ever showed, by a margin. */
#define BOUND_PCT    99.9
#define BOUND_MARGIN 1.2
#define LEAST_BOUND  1.0

struct episode {
	size_t first, last;
};

struct learning {
	struct lode_pio_model *model;
	const struct lode_pio_matrix *matrix;
	bool *is_healthy, *is_slow; /* per row; neither: not known, or close to slow time */
	bool has_slow;
	LODE_VEC(struct episode) episodes;
	float **deviations;
};

/* ---- Healthy and slow time ---- */

/*
 * The ratio that parts slow from healthy intervals best: the two classes' means lie furthest apart,
 * weighed by their sizes [Otsu]. Percentiles cannot: how much of a day was slow is not known.
 */
static double part(const double *ratios, size_t n)
{
	double *sorted = lode_alloc((n + 1) * sizeof(*sorted));
	double total = 0, below = 0, best = -1, at = INFINITY;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(ratios[i]))
			sorted[kept++] = ratios[i];
	}
	lode_sort_doubles(sorted, kept);
	for (size_t i = 0; i < kept; i++)
		total += sorted[i];
	for (size_t i = 1; i < kept; i++) {
		double gap, between;

		below += sorted[i - 1];
		if (sorted[i] <= sorted[i - 1])
			continue;
		gap = (total - below) / (double)(kept - i) - below / (double)i;
		between = (double)i * (double)(kept - i) * gap * gap;
		if (between > best) {
			best = between;
			at = (sorted[i - 1] + sorted[i]) / 2;
		}
	}
	free(sorted);
	return at;
}

LODE_COMPARE(longer, size_t, LODE_ORDER(*b, *a))

/*
 * A running median is blind to what is shorter than half of its window: the window is at most half
 * of what slow time usually lasts (the run of the middle slow row), odd, and no longer than the
 * paper's. Counters that come every ten seconds are smooth already, and cannot wait for five.
 */
static uint32_t choose_window(const struct lode_pio_matrix *m, const double *ratios, double bound)
{
	LODE_VEC(size_t) runs = {0};
	size_t n_slow = 0, seen = 0, usual = 2 * (size_t)LONGEST_WINDOW, window;

	for (size_t p = 0; p < m->n_periods; p++) {
		for (size_t r = m->starts[p]; r < m->starts[p + 1]; r++) {
			size_t first = r;

			while (r < m->starts[p + 1] && ratios[r] > bound)
				r++;
			if (r > first)
				lode_vec_append(&runs, r - first);
			n_slow += r - first;
		}
	}
	lode_sort(runs.at, runs.n, longer);
	for (size_t i = 0; i < runs.n && 2 * seen < n_slow; i++) {
		usual = runs.at[i];
		seen += runs.at[i];
	}
	lode_vec_release(&runs);
	window = usual / 2 < LONGEST_WINDOW ? usual / 2 : LONGEST_WINDOW;
	return window < 3 ? 1 : (uint32_t)(window - (window % 2 == 0));
}

static void part_rows(struct learning *l, const double *ratios, bool has_slow)
{
	const struct lode_pio_matrix *m = l->matrix;
	double bound = has_slow ? part(ratios, m->n_rows) : INFINITY;
	size_t window, n_healthy = 0;

	if (!l->model->settings.window)
		l->model->settings.window = choose_window(m, ratios, bound);
	window = l->model->settings.window;

	for (size_t p = 0; p < m->n_periods; p++) {
		for (size_t r = m->starts[p]; r < m->starts[p + 1]; r++) {
			size_t first = r < m->starts[p] + window ? m->starts[p] : r - window;
			size_t end = r + window + 1 < m->starts[p + 1] ? r + window + 1
								       : m->starts[p + 1];

			l->is_slow[r] = ratios[r] > bound;
			l->is_healthy[r] = !isnan(ratios[r]);
			for (size_t i = first; i < end; i++)
				l->is_healthy[r] &= !(ratios[i] > bound);
			n_healthy += l->is_healthy[r];
		}
	}
	if (n_healthy >= LEAST_HEALTHY_ROWS)
		return;
	for (size_t r = 0; r < m->n_rows; r++)
		l->is_healthy[r] = ratios[r] <= bound;
}

/* Slow rows with no more than a window between them are one episode. */
static void find_episodes(struct learning *l)
{
	const struct lode_pio_matrix *m = l->matrix;
	size_t window = l->model->settings.window;

	for (size_t p = 0; p < m->n_periods; p++) {
		size_t n = 0;
		struct episode e = {0, 0};

		for (size_t r = m->starts[p]; r <= m->starts[p + 1]; r++) {
			bool is_end = r == m->starts[p + 1];

			if (n && (is_end || r - e.last > window)) {
				if (2 * n > window) /* else smoothing does not see it */
					lode_vec_append(&l->episodes, e);
				n = 0;
			}
			if (is_end || !l->is_slow[r])
				continue;
			if (!n)
				e.first = r;
			e.last = r;
			n++;
		}
	}
}

/* ---- One counter's baseline ---- */

/* Mean of the squared differences of values `lag` apart, by that of values at large. 0: no pairs.
 */
static double lag_ratio(const double *values, size_t n, size_t lag, double variance)
{
	double squares = 0;
	size_t n_pairs = 0;

	for (size_t i = lag; i < n; i++) {
		double d = values[i] - values[i - lag];

		if (isnan(d))
			continue;
		squares += d * d;
		n_pairs++;
	}
	return n_pairs ? squares / (double)n_pairs / (2 * variance) : 0;
}

/*
 * Rates over a window (Prometheus' rate(x[45s])) make neighbours nearly equal, without wandering:
 * what enters the window leaves it when that has passed. So differences of neighbours are
 * anti-correlated a window apart, as those of what wanders never are, and values that far apart
 * are as different as any.
 */
static bool is_smoothed(const double *values, size_t n, double variance)
{
	size_t n_used = n < SMOOTHED_VALUES ? n : SMOOTHED_VALUES, n_pairs = 0, window = 0;
	double *steps = lode_alloc0(n_used + 1, sizeof(*steps));
	double squares = 0, least = 0, likeness = 0, n_independent;

	for (size_t i = 1; i < n_used; i++) {
		double d = values[i] - values[i - 1];

		steps[i] = isnan(d) ? 0 : d;
		squares += steps[i] * steps[i];
		n_pairs += !isnan(d);
		likeness += steps[i] * steps[i - 1];
	}
	/* Steps that are alike are fewer independent ones. */
	likeness = squares > 0 ? fmax(0, likeness / squares) : 0;
	n_independent = (double)n_pairs * (1 - likeness) / (1 + likeness);
	for (size_t lag = 2; lag <= LONGEST_SMOOTHING && lag <= n_used / 4; lag++) {
		double sum = 0;

		for (size_t i = lag; i < n_used; i++)
			sum += steps[i] * steps[i - lag];
		if (sum < least) {
			least = sum;
			window = lag;
		}
	}
	free(steps);
	return window && -least > fmax(SMOOTHED_LEAST, 4 / sqrt(n_independent)) * squares &&
	       lag_ratio(values, n, window, variance) > SMOOTHED_RATIO;
}

/* Does the level of healthy time wander? */
static bool is_drifting(const struct learning *l, const double *column, const double *sorted,
			size_t n)
{
	struct lode_usual_moments all = {0};
	size_t n_values = n > 0, n_rows = l->matrix->n_rows, at = 0;
	double *values;
	bool is_drifting = false;

	for (size_t i = 1; i < n; i++)
		n_values += sorted[i] > sorted[i - 1];
	for (size_t i = 0; i < n; i++)
		lode_usual_moments_add(&all, sorted[i]);
	if (n_values <= DRIFT_LEAST_VALUES || !(all.m2 > 0))
		return false;
	/* Healthy time, with a gap between periods. */
	values = lode_alloc((n_rows + l->matrix->n_periods) * sizeof(*values));
	for (size_t p = 0; p < l->matrix->n_periods; p++) {
		for (size_t r = l->matrix->starts[p]; r < l->matrix->starts[p + 1]; r++)
			values[at++] = l->is_healthy[r] ? column[r] : NAN;
		values[at++] = NAN;
	}
	all.m2 /= (double)all.n;
	is_drifting =
		lag_ratio(values, at, 1, all.m2) < DRIFT_RATIO && !is_smoothed(values, at, all.m2);
	free(values);
	return is_drifting;
}

static void set_side(struct lode_pio_side *side, double spread, double step, double median,
		     double sign)
{
	side->scale = fmax(spread, fmax(step, LEAST_SPREAD * fabs(median)));
	if (!(side->scale > 0))
		side->scale = 1;
	side->border = median + sign * side->scale;
	side->precision = side->blame = 0;
}

static void learn_range(void *context, size_t c, unsigned worker)
{
	struct learning *l = context;
	struct lode_pio_counter *counter = &l->model->counters.at[c];
	const double *column = l->matrix->columns[c];
	double *sorted = lode_alloc((l->matrix->n_rows + 1) * sizeof(*sorted));
	size_t n = 0, n_all = 0, n_changes = 1;
	double step, last = NAN;

	(void)worker;
	for (size_t r = 0; r < l->matrix->n_rows; r++) {
		if (!isnan(column[r]))
			sorted[n_all++] = column[r];
	}
	counter->n_values = n_all;
	lode_sort_doubles(sorted, n_all);
	step = lode_pio_step(sorted, n_all);
	for (size_t r = 0; r < l->matrix->n_rows; r++) {
		if (!l->is_healthy[r] || isnan(column[r]))
			continue;
		n_changes += column[r] > last || column[r] < last;
		last = sorted[n++] = column[r];
	}
	lode_sort_doubles(sorted, n);
	counter->median = lode_percentile_sorted(sorted, n, 50);
	if (n) {
		double high = lode_percentile_sorted(sorted, n, HIGH_PCT);
		double low = lode_percentile_sorted(sorted, n, LOW_PCT);
		double few = l->has_slow ? 1 : 1 + FEW_VALUES / (double)n_changes;

		set_side(&counter->rise, few * (high - counter->median), step, counter->median, 1);
		set_side(&counter->fall, few * (counter->median - low), step, counter->median, -1);
		counter->spread = fmax((high - low) / 2,
				       fmax(step, LEAST_SHARP_SPREAD * fabs(counter->median)))
					  ?: 1;
		counter->is_drifting = is_drifting(l, column, sorted, n);
	}
	free(sorted);
}

/* ---- What leaving the range is worth ---- */

static void learn_precision(struct learning *l, size_t c, double sign, struct lode_pio_side *side)
{
	double slow = 0, healthy = 0;

	for (size_t r = 0; r < l->matrix->n_rows; r++) {
		if (sign * (double)l->deviations[c][r] > 1) {
			slow += l->is_slow[r];
			healthy += l->is_healthy[r];
		}
	}
	/* One that never left its range may yet mean something when it does: it starts at a half.
	   No better than a coin: nothing. */
	side->precision = fmax(0, 2 * (slow + 1.5) / (slow + healthy + 2) - 1);
}

static bool is_shown(const struct learning *l, size_t c, double sign, const struct episode *e)
{
	size_t n = 0;

	for (size_t r = e->first; r <= e->last; r++)
		n += sign * (double)l->deviations[c][r] > 1;
	return (double)n >= SHOWN_SHARE * (double)(e->last - e->first + 1);
}

/* A start for blame: what shows in every episode is a symptom. */
static double rarity(size_t n_shown, size_t n_episodes)
{
	double n = (double)n_episodes + 1, rarest = log(n / 2.5);

	if (rarest <= 0)
		return 1;
	return fmax(0, fmin(1, log(n / ((double)n_shown + 0.5)) / rarest));
}

/* Each server's share of the blame in an episode. */
static void share_blame(const struct learning *l, const struct lode_pio_servers *servers,
			const struct episode *e, double *shares)
{
	struct lode_pio_worth *worths = lode_alloc0(servers->names.n + 1, sizeof(*worths));
	double sum = 0;

	memset(shares, 0, servers->names.n * sizeof(*shares));
	for (size_t r = e->first; r <= e->last; r++) {
		lode_pio_evidence(worths, l->model, servers, l->deviations, r, NULL);
		for (size_t s = 0; s < servers->names.n; s++)
			shares[s] += worths[s].blame;
	}
	/* Squares: who has most to show takes most of it. */
	for (size_t s = 0; s < servers->names.n; s++) {
		shares[s] *= shares[s];
		sum += shares[s];
	}
	for (size_t s = 0; s < servers->names.n && sum > 0; s++)
		shares[s] /= sum;
	free(worths);
}

/*
 * Blame and blamed depend on each other: start from rarity, then let the episodes say again and
 * again whose counters' deviations went with their own server's blame. What shows in every episode
 * stays a symptom, even of a server that is often at fault.
 */
static void learn_blame(struct learning *l)
{
	size_t n = l->model->counters.n, n_episodes = l->episodes.n;
	struct lode_pio_servers servers;
	uint8_t *shown = lode_alloc0(2 * n * n_episodes + 1, 1); /* [episode][counter][side] */
	double *rare = lode_alloc0(2 * n + 1, sizeof(*rare));	 /* [counter][side] */
	double *shares;

	lode_pio_servers_build(&servers, l->model);
	shares = lode_alloc0(servers.names.n * (n_episodes + 1) + 1, sizeof(*shares));
	for (size_t c = 0; c < n; c++) {
		struct lode_pio_counter *counter = &l->model->counters.at[c];
		size_t n_rise = 0, n_fall = 0;

		for (size_t e = 0; e < n_episodes; e++) {
			uint8_t *at = &shown[2 * (e * n + c)];

			n_rise += at[0] = is_shown(l, c, 1, &l->episodes.at[e]);
			n_fall += at[1] = is_shown(l, c, -1, &l->episodes.at[e]);
		}
		rare[2 * c] = counter->rise.blame = rarity(n_rise, n_episodes);
		rare[2 * c + 1] = counter->fall.blame = rarity(n_fall, n_episodes);
	}
	for (unsigned round = 0; round < BLAME_ROUNDS; round++) {
		for (size_t e = 0; e < n_episodes; e++)
			share_blame(l, &servers, &l->episodes.at[e], &shares[e * servers.names.n]);
		for (size_t c = 0; c < n; c++) {
			double own[2] = {0.5, 0.5}, all[2] = {1, 1};

			for (size_t e = 0; e < n_episodes; e++) {
				double share = shares[e * servers.names.n + servers.of[c]];

				for (int side = 0; side < 2; side++) {
					own[side] += share * shown[2 * (e * n + c) + (size_t)side];
					all[side] += shown[2 * (e * n + c) + (size_t)side];
				}
			}
			l->model->counters.at[c].rise.blame = rare[2 * c] * own[0] / all[0];
			l->model->counters.at[c].fall.blame = rare[2 * c + 1] * own[1] / all[1];
		}
	}
	free(shares);
	free(rare);
	free(shown);
	lode_pio_servers_release(&servers);
}

static void learn_bound(struct learning *l)
{
	struct lode_pio_servers servers;
	struct lode_pio_worth *worths;
	double *strongest = lode_alloc((l->matrix->n_rows + 1) * sizeof(*strongest));
	size_t n = 0;

	lode_pio_servers_build(&servers, l->model);
	worths = lode_alloc0(servers.names.n + 1, sizeof(*worths));
	for (size_t r = 0; r < l->matrix->n_rows; r++) {
		if (!l->is_healthy[r])
			continue;
		lode_pio_evidence(worths, l->model, &servers, l->deviations, r, NULL);
		strongest[n] = 0;
		for (size_t s = 0; s < servers.names.n; s++)
			strongest[n] = fmax(strongest[n], worths[s].detection);
		n++;
	}
	l->model->evidence_bound = LEAST_BOUND;
	if (n)
		l->model->evidence_bound =
			fmax(LEAST_BOUND, BOUND_MARGIN * lode_percentile(strongest, n, BOUND_PCT));
	free(strongest);
	free(worths);
	lode_pio_servers_release(&servers);
}

/* ---- What bystanders show ---- */

LODE_COMPARE(descending, double, LODE_ORDER(*b, *a))

/* The blame that each server had in an episode for a window and an interval: values[server]. */
static void lasting_blame(const struct learning *l, const struct lode_pio_servers *servers,
			  const struct episode *e, double *values)
{
	size_t n = servers->names.n, length = e->last - e->first + 1;
	size_t window = l->model->settings.window;
	struct lode_pio_worth *worths = lode_alloc0(n + 1, sizeof(*worths));
	double *rows = lode_alloc0(n * length + 1, sizeof(*rows)); /* [server][row] */

	for (size_t r = 0; r < length; r++) {
		lode_pio_evidence(worths, l->model, servers, l->deviations, e->first + r, NULL);
		for (size_t s = 0; s < n; s++)
			rows[s * length + r] = worths[s].blame;
	}
	for (size_t s = 0; s < n; s++) {
		lode_sort(rows + s * length, length, descending);
		values[s] = window < length ? rows[s * length + window] : 0;
	}
	free(rows);
	free(worths);
}

/* How much blame a server can have while another is at fault: beyond that it is a bottleneck of
   its own, however much larger the other's is. */
static void learn_bystanders(struct learning *l)
{
	struct lode_pio_servers servers;
	double *values, *shares;
	size_t *n_seen;

	lode_pio_servers_build(&servers, l->model);
	values = lode_alloc0(servers.names.n + 1, sizeof(*values));
	shares = lode_alloc0(servers.names.n + 1, sizeof(*shares));
	n_seen = lode_alloc0(servers.names.n + 1, sizeof(*n_seen));
	for (size_t s = 0; s < servers.names.n; s++)
		lode_vec_append(&l->model->bystanders, 0.0);
	for (size_t e = 0; e < l->episodes.n; e++) {
		lasting_blame(l, &servers, &l->episodes.at[e], values);
		share_blame(l, &servers, &l->episodes.at[e], shares);
		for (size_t s = 0; s < servers.names.n; s++) {
			if (shares[s] > 0.5)
				continue; /* its own */
			n_seen[s]++;
			l->model->bystanders.at[s] = fmax(l->model->bystanders.at[s], values[s]);
		}
	}
	for (size_t s = 0; s < servers.names.n; s++)
		l->model->bystanders.at[s] = n_seen[s] < BYSTANDER_LEAST_EPISODES
						     ? NAN
						     : BOUND_MARGIN * l->model->bystanders.at[s];
	free(values);
	free(shares);
	free(n_seen);
	lode_pio_servers_release(&servers);
}

void lode_pio_baseline_learn(struct lode_pio_model *model, const struct lode_pio_matrix *matrix,
			     const double *ratios, bool has_slow, unsigned n_threads)
{
	struct learning l = {.model = model, .matrix = matrix, .has_slow = has_slow};

	l.is_healthy = lode_alloc0(matrix->n_rows + 1, sizeof(bool));
	l.is_slow = lode_alloc0(matrix->n_rows + 1, sizeof(bool));
	part_rows(&l, ratios, has_slow);
	find_episodes(&l);
	model->n_episodes = (uint32_t)l.episodes.n;
	lode_pool_run(n_threads ? n_threads : lode_pool_cpus(), model->counters.n, learn_range, &l);
	l.deviations = lode_pio_deviations(model, matrix, model->settings.window);
	for (size_t c = 0; c < model->counters.n; c++) {
		learn_precision(&l, c, 1, &model->counters.at[c].rise);
		learn_precision(&l, c, -1, &model->counters.at[c].fall);
	}
	learn_blame(&l);
	learn_bound(&l);
	learn_bystanders(&l);
	lode_pio_deviations_free(l.deviations, model->counters.n);
	lode_vec_release(&l.episodes);
	free(l.is_healthy);
	free(l.is_slow);
}
