/* Two times of the same counters, compared. */
#include "engine/pio/shifts.h"

#include "base/number_sort.h"
#include "base/pool.h"
#include "engine/pio/evidence.h"

#define LOW_PCT	 0.5
#define HIGH_PCT 99.5
/* A smaller share of its level is no change that makes a service stand out; nor one that orders its
   counters. */
#define LEVEL_SHARE 0.05
#define SHARP_SHARE 0.005
#define FALL_WEIGHT 0.5
/* The range of few values is too small: by so many values' worth. */
#define FEW_VALUES 8.0
/* The three largest deviations multiply to 20. */
#define GIVE_WAY     0.5
#define SHIFT_LEAST  3.0
#define SHIFT_MARGIN 1.5
enum { SMOOTH = 5, N_STRONGEST = 3, LEAST_VALUES = 4 };
/* A total rises, seldom falls (at resets), and rises in so many steps at least. */
#define TOTAL_FALLS 0.02
enum { TOTAL_LEAST_RISES = 8 };

/* ---- One counter ---- */

static struct lode_shift_level level_of_sorted(const double *sorted, size_t n, size_t least)
{
	if (!n || n < least)
		return (struct lode_shift_level){.median = NAN, .n = n};
	return (struct lode_shift_level){
		.median = lode_percentile_sorted(sorted, n, 50),
		.range = (lode_percentile_sorted(sorted, n, HIGH_PCT) -
			  lode_percentile_sorted(sorted, n, LOW_PCT)) *
			 (1 + FEW_VALUES / (double)n),
		.step = lode_pio_step(sorted, n),
		.n = n,
	};
}

struct lode_shift_level lode_shift_level_of(double *values, size_t n, size_t least)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			values[kept++] = values[i];
	lode_sort_doubles(values, kept);
	return level_of_sorted(values, kept, least);
}

static void merge(double *out, const double *a, size_t n_a, const double *b, size_t n_b)
{
	for (size_t i = 0, k = 0; i < n_a || k < n_b;)
		*out++ = k == n_b || (i < n_a && a[i] <= b[k]) ? a[i++] : b[k++];
}

/* The shift from one to another level, by what the counter did before. */
static double deviation(const struct lode_shift_level *before, const struct lode_shift_level *after,
			double share)
{
	double shift = after->median - before->median;
	double scale = fmax(before->range, fmax(before->step, share * fabs(before->median)));

	/* It was 0, always: what it is now is its level. */
	if (!(scale > 0))
		scale = share * fabs(after->median);
	return shift == 0 || isnan(shift) ? 0 : shift / scale;
}

double lode_shift_deviation(const struct lode_shift_level *before,
			    const struct lode_shift_level *after)
{
	return deviation(before, after, LEVEL_SHARE);
}

static double evidence_of(double deviation)
{
	double far = fabs(deviation);

	return far > 1 ? log(far) * (deviation > 0 ? 1 : FALL_WEIGHT) : 0;
}

struct changes {
	size_t n_rises, n_falls;
};

static struct changes changes_of(const double *values, size_t n)
{
	struct changes out = {0, 0};
	double last = NAN;

	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		out.n_rises += values[i] > last;
		out.n_falls += values[i] < last;
		last = values[i];
	}
	return out;
}

static bool only_grows(const double *values, size_t n)
{
	struct changes c = changes_of(values, n);

	return c.n_rises >= TOTAL_LEAST_RISES &&
	       (double)c.n_falls <= TOTAL_FALLS * (double)c.n_rises;
}

/* A copy; of a total its steps, NaN at resets and gaps. */
static double *copy_values(const double *values, size_t n, bool is_total)
{
	double *out = lode_alloc((n + 1) * sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		out[i] = isfinite(values[i]) ? values[i] : NAN;
		if (is_total)
			out[i] = i && values[i] >= values[i - 1] ? values[i] - values[i - 1] : NAN;
	}
	return out;
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a < b ? b : a;
}

/* The median of SMOOTH values: the smallest and the largest of the first four are left out. */
static double middle_of_smooth(const double *v)
{
	double low = greater(lesser(v[0], v[1]), lesser(v[2], v[3]));
	double high = lesser(greater(v[0], v[1]), greater(v[2], v[3]));

	return greater(lesser(low, high), lesser(greater(low, high), v[4]));
}

/* Running medians of what there is; *n becomes their number. */
static double *smoothed(const double *values, size_t *n)
{
	double *kept = lode_alloc((*n + 1) * sizeof(*kept));
	double *out = lode_alloc((*n + 1) * sizeof(*out));
	size_t n_kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (!isnan(values[i]))
			kept[n_kept++] = values[i];
	for (size_t i = 0; i < n_kept; i++)
		out[i] = i + 1 < SMOOTH || n_kept < SMOOTH
				 ? lode_pio_running_median(kept, 0, i, n_kept < SMOOTH ? 1 : SMOOTH)
				 : middle_of_smooth(kept + i + 1 - SMOOTH);
	free(kept);
	*n = n_kept;
	return out;
}

/*
 * Where it began: the place from which on most values are past the middle of the shift, most of all
 * more than not.
 */
static size_t find_since(const double *after, size_t n, double from, double to)
{
	int64_t sum = 0, most = INT64_MIN;
	size_t since = 0;

	for (size_t i = n; i-- > 0;) {
		if (isnan(after[i]))
			continue;
		sum += (to > from) == (after[i] > (from + to) / 2) ? 1 : -1;
		if (sum >= most) {
			most = sum;
			since = i;
		}
	}
	return since;
}

/* What each series says: of the two times, and of the halves of the first in both directions. */
struct shifting {
	const struct lode_shift_series *series;
	struct lode_shift_counter *counters;
	double (*natural)[2]; /* evidence; [series][direction] */
};

static void shift_series(void *context, size_t i, unsigned worker)
{
	struct shifting *c = context;
	const struct lode_shift_series *s = &c->series[i];
	struct lode_shift_counter *out = &c->counters[i];
	bool is_total = only_grows(s->before, s->n_before) && only_grows(s->after, s->n_after);
	double *before = copy_values(s->before, s->n_before, is_total);
	double *after = copy_values(s->after, s->n_after, is_total);
	size_t n_before = s->n_before, n_after = s->n_after, half;
	double *smooth_before = smoothed(before, &n_before);
	double *smooth_after = smoothed(after, &n_after);
	double *whole = lode_alloc((n_before + 1) * sizeof(*whole));
	struct lode_shift_level first, second, old_level, new_level;

	(void)worker;
	half = n_before / 2;
	first = lode_shift_level_of(smooth_before, half, LEAST_VALUES);
	second = lode_shift_level_of(smooth_before + half, n_before - half, LEAST_VALUES);
	merge(whole, smooth_before, first.n, smooth_before + half, second.n);
	old_level = level_of_sorted(whole, first.n + second.n, LEAST_VALUES);
	new_level = lode_shift_level_of(smooth_after, n_after, LEAST_VALUES);
	c->natural[i][0] = evidence_of(deviation(&first, &second, LEVEL_SHARE));
	c->natural[i][1] = evidence_of(deviation(&second, &first, LEVEL_SHARE));
	*out = (struct lode_shift_counter){
		.at = (uint32_t)i,
		.before = old_level.median,
		.after = new_level.median,
		.deviation = deviation(&old_level, &new_level, LEVEL_SHARE),
		.sharpness = deviation(&old_level, &new_level, SHARP_SHARE),
		.is_total = is_total,
	};
	out->evidence = evidence_of(out->deviation);
	out->since = find_since(after, s->n_after, out->before, out->after);
	free(before);
	free(after);
	free(smooth_before);
	free(smooth_after);
	free(whole);
}

/* ---- Services ---- */

LODE_COMPARE_WITH(sharpest_first, struct lode_shift_counter, const struct lode_shift_series *series,
		  LODE_ORDER(fabs(b->sharpness), fabs(a->sharpness))
			  ?: strcmp(series[a->at].counter, series[b->at].counter))

LODE_COMPARE(most_evidence_first, struct lode_shift_service,
	     LODE_ORDER(b->evidence, a->evidence) ?: strcmp(a->name, b->name))

static double strongest_sum(const double *evidence, size_t n)
{
	double strongest[N_STRONGEST] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		lode_pio_keep_strongest(strongest, N_STRONGEST, evidence[i]);
	for (size_t i = 0; i < N_STRONGEST; i++)
		sum += strongest[i];
	return sum;
}

/* Evidence of the counters [first, end) of one service, by what `place` of a series holds. */
static double natural_of(const struct shifting *c, size_t first, size_t end, int direction)
{
	double *evidence = lode_alloc((end - first + 1) * sizeof(*evidence)), sum;

	for (size_t i = first; i < end; i++)
		evidence[i - first] = c->natural[i][direction];
	sum = strongest_sum(evidence, end - first);
	free(evidence);
	return sum;
}

static void add_service(struct lode_shifts *out, const struct shifting *c, size_t first, size_t end)
{
	struct lode_shift_service *service = lode_vec_append_zero(&out->services);
	double *evidence = lode_alloc((end - first + 1) * sizeof(*evidence));

	service->name = c->series[first].service;
	for (size_t i = first; i < end; i++) {
		evidence[i - first] = c->counters[i].evidence;
		out->n_compared += !isnan(c->counters[i].before) && !isnan(c->counters[i].after);
		if (c->counters[i].evidence > 0)
			lode_vec_append(&service->counters, c->counters[i]);
	}
	lode_sort_r(service->counters.at, service->counters.n, sharpest_first,
		    (void *)(uintptr_t)c->series);
	service->evidence = strongest_sum(evidence, end - first);
	for (size_t i = 0; i < service->counters.n && i < N_STRONGEST; i++)
		if (!i || service->counters.at[i].since < service->since)
			service->since = service->counters.at[i].since;
	for (int direction = 0; direction < 2; direction++)
		out->natural = fmax(out->natural, natural_of(c, first, end, direction));
	free(evidence);
}

/* Shares of the squares, as blame is; that nothing is wrong has the bound's. */
static void find_confidence(struct lode_shifts *out)
{
	double sum = out->bound * out->bound;

	for (size_t i = 0; i < out->services.n; i++)
		sum += out->services.at[i].evidence * out->services.at[i].evidence;
	for (size_t i = 0; i < out->services.n; i++)
		out->services.at[i].confidence =
			out->services.at[i].evidence * out->services.at[i].evidence / sum;
}

void lode_shifts_build(struct lode_shifts *out, const struct lode_shift_series *series, size_t n,
		       unsigned n_threads)
{
	struct shifting c = {
		.series = series,
		.counters = lode_alloc0(n + 1, sizeof(*c.counters)),
		.natural = lode_alloc0(n + 1, sizeof(*c.natural)),
	};

	*out = (struct lode_shifts){0};
	lode_pool_run(n_threads ? n_threads : lode_pool_cpus(), n, shift_series, &c);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1;
		     end < n && strcmp(series[end].service, series[first].service) == 0; end++)
			;
		add_service(out, &c, first, end);
	}
	lode_sort(out->services.at, out->services.n, most_evidence_first);
	out->bound = fmax(SHIFT_LEAST, SHIFT_MARGIN * out->natural);
	out->stands_out = out->services.n && out->services.at[0].evidence > out->bound;
	find_confidence(out);
	free(c.counters);
	free(c.natural);
}

/* Number of the service with most evidence that `caller` calls and that was not passed yet; n: none
   has enough. */
static size_t callee_of(const struct lode_shifts *shifts, const lode_shift_edges *edges,
			size_t caller, const bool *is_passed)
{
	double least = fmax(shifts->bound, GIVE_WAY * shifts->services.at[caller].evidence);
	size_t best = shifts->services.n;

	for (size_t e = 0; e < edges->n; e++) {
		if (strcmp(edges->at[e].caller, shifts->services.at[caller].name) != 0)
			continue;
		for (size_t s = 0; s < best; s++)
			if (!is_passed[s] && shifts->services.at[s].evidence > least &&
			    strcmp(edges->at[e].callee, shifts->services.at[s].name) == 0)
				best = s;
	}
	return best;
}

void lode_shifts_give_way(struct lode_shifts *shifts, const lode_shift_edges *edges)
{
	size_t n = shifts->services.n, first = 0, next;
	bool *is_passed = lode_alloc0(n + 1, sizeof(*is_passed));
	struct lode_shift_service service;

	for (next = first; shifts->stands_out && next < n;
	     next = callee_of(shifts, edges, first, is_passed)) {
		first = next;
		is_passed[first] = true;
	}
	free(is_passed);
	if (!first)
		return;
	service = shifts->services.at[first];
	memmove(&shifts->services.at[1], &shifts->services.at[0], first * sizeof(service));
	shifts->services.at[0] = service;
}

void lode_shifts_release(struct lode_shifts *shifts)
{
	lode_vec_release_each(&shifts->services, it, lode_vec_release(&it->counters));
}
