/* Analyses intervals as they come, and reports periods as they start and end. */
#include "engine/pio/online_parts.h"

#include <assert.h>

#include "engine/pio/periods.h"

enum { NEW_LEVEL_ROWS = 1 << 16 }; /* that say whether a counter has a new level; then halved */

struct lode_pio_online *lode_pio_online_new(const struct lode_pio_model *model,
					    struct lode_request_log *requests)
{
	struct lode_pio_online *o = lode_alloc0(1, sizeof(*o));
	size_t n = model->counters.n;

	o->model = model;
	o->requests = requests;
	o->n_counters = n;
	o->n_rulesets = model->rules.n;
	o->columns = lode_arena_array0(&o->arena, double *, n + 1);
	o->coverage = lode_arena_array0(&o->arena, float *, n + 1);
	o->verdicts = lode_arena_array0(&o->arena, struct lode_pio_verdict *, o->n_rulesets + 1);
	o->column = lode_arena_array0(&o->arena, float, n + 1);
	o->is_moved = lode_arena_array0(&o->arena, bool, n + 1);
	o->n_out = lode_arena_array0(&o->arena, uint32_t, n + 1);
	o->is_out = lode_arena_array0(&o->arena, bool, n + 1);
	o->has_value = lode_arena_array0(&o->arena, bool, n + 1);
	lode_pio_servers_build(&o->servers, model);
	return o;
}

void lode_pio_online_free(struct lode_pio_online *o)
{
	if (!o)
		return;
	for (size_t c = 0; c < o->n_counters; c++) {
		free(o->columns[c]);
		free(o->coverage[c]);
	}
	for (size_t k = 0; k < o->n_rulesets; k++)
		free(o->verdicts[k]);
	lode_arena_release(&o->arena);
	free(o->rows);
	lode_pio_servers_release(&o->servers);
	free(o);
}

int64_t lode_pio_online_next(const struct lode_pio_online *o)
{
	return o->n ? o->first + (int64_t)o->n : INT64_MIN;
}

int64_t lode_pio_online_oldest(const struct lode_pio_online *o)
{
	return o->n ? o->first : INT64_MIN;
}

/* ---- Rows ---- */

void lode_online_reserve(struct lode_pio_online *o, size_t need)
{
	size_t capacity = o->capacity ? o->capacity : 128;

	if (need <= o->capacity)
		return;
	while (capacity < need)
		capacity *= 2;
	o->capacity = capacity;
	for (size_t c = 0; c < o->n_counters; c++) {
		o->columns[c] = lode_realloc_n(o->columns[c], capacity, sizeof(**o->columns));
		o->coverage[c] = lode_realloc_n(o->coverage[c], capacity, sizeof(**o->coverage));
	}
	for (size_t k = 0; k < o->n_rulesets; k++)
		o->verdicts[k] = lode_realloc_n(o->verdicts[k], capacity, sizeof(**o->verdicts));
	o->rows = lode_realloc_n(o->rows, capacity, sizeof(*o->rows));
}

static void drop_online(struct lode_pio_online *o, size_t n)
{
	size_t left = o->n - n;

	for (size_t c = 0; c < o->n_counters; c++) {
		memmove(o->columns[c], o->columns[c] + n, left * sizeof(**o->columns));
		memmove(o->coverage[c], o->coverage[c] + n, left * sizeof(**o->coverage));
	}
	for (size_t k = 0; k < o->n_rulesets; k++)
		memmove(o->verdicts[k], o->verdicts[k] + n, left * sizeof(**o->verdicts));
	memmove(o->rows, o->rows + n, left * sizeof(*o->rows));
	o->n = left;
	o->first += (int64_t)n;
	if (o->requests)
		lode_request_log_forget(o->requests, o->first);
}

/* Before a period that may begin now: smoothing, the period before it, the way back to its start.
 */
static size_t rows_before(const struct lode_pio_online *o)
{
	return 5 * (size_t)o->model->settings.window + lode_pio_period_gap(o->model);
}

static void thin_out(struct lode_pio_online *o)
{
	bool is_needed = o->open.is_open || o->silence.is_told;
	size_t keep = is_needed ? LODE_PIO_ONLINE_MAX : rows_before(o);

	if (o->n >= 2 * keep)
		drop_online(o, o->n - keep);
}

/* Asks the rules about the newest row, and moves intensity and coverage on. */
static void estimate(struct lode_pio_online *o)
{
	size_t i = o->n - 1, window = o->model->settings.window;
	size_t from = o->n < window ? 0 : o->n - window;
	uint32_t votes[4] = {0};
	uint8_t *classes = lode_alloc(window + 1);

	for (size_t k = 0; k < o->n_rulesets; k++) {
		const struct lode_pio_rules *rules = &o->model->rules.at[k];
		struct lode_pio_verdict *v = &o->verdicts[k][i];

		v->class =
			(uint8_t)lode_pio_rules_classify(rules, (const double *const *)o->columns,
							 o->n_counters, i, &v->fired);
		votes[v->class]++;
		lode_pio_coverage_step(o->column, o->n_counters, rules, v->class, &v->fired,
				       1.0F / (float)o->n_rulesets, o->is_moved);
	}
	o->rows[i].estimated = (uint8_t)lode_pio_middle_vote(votes);
	for (size_t r = from; r <= i; r++)
		classes[r - from] = o->rows[r].estimated;
	o->intensity = lode_intensity_step(classes, o->n - from, window, o->intensity);
	o->rows[i].intensity = o->intensity;
	for (size_t c = 0; c < o->n_counters; c++)
		o->coverage[c][i] = o->column[c];
	free(classes);
}

/* Counters that are out of their range most of the time. */
static void find_new_levels(struct lode_pio_online *o, float *const *deviations, size_t row)
{
	bool is_long = ++o->n_seen >= NEW_LEVEL_ROWS;

	for (size_t c = 0; c < o->n_counters; c++) {
		o->n_out[c] += fabs((double)deviations[c][row]) > 1;
		o->has_value[c] |= !isnan(o->columns[c][o->n - 1]);
		if (is_long)
			o->n_out[c] /= 2;
		o->is_out[c] =
			o->has_value[c] &&
			lode_pio_has_new_level(o->n_out[c], is_long ? o->n_seen / 2 : o->n_seen);
	}
	if (is_long)
		o->n_seen /= 2;
}

/* Does the newest row speak of slow time? */
static bool is_slow(struct lode_pio_online *o)
{
	size_t window = o->model->settings.window, n = o->n < window ? o->n : window;
	size_t starts[2] = {0, n};
	struct lode_pio_matrix tail = {
		.n_columns = o->n_counters, .n_rows = n, .starts = starts, .n_periods = 1};
	struct lode_pio_worth *worths;
	float **deviations;
	double most = 0;

	if (o->model->settings.is_classic)
		return o->intensity > 0;
	tail.columns = lode_alloc0(o->n_counters + 1, sizeof(*tail.columns));
	for (size_t c = 0; c < o->n_counters; c++)
		tail.columns[c] = o->columns[c] + (o->n - n);
	deviations = lode_pio_deviations(o->model, &tail, window);
	find_new_levels(o, deviations, n - 1);
	worths = lode_alloc0(o->servers.names.n + 1, sizeof(*worths));
	lode_pio_evidence(worths, o->model, &o->servers, deviations, n - 1, o->is_out);
	for (size_t s = 0; s < o->servers.names.n; s++)
		most = fmax(most, worths[s].detection);
	lode_pio_deviations_free(deviations, o->n_counters);
	free(worths);
	free(tail.columns);
	return most > o->model->evidence_bound;
}

/* ---- What a period is, by all rows that are kept ---- */

/* The rows from `from` on. */
static void analyse(struct lode_pio_analysis *out, struct lode_pio_online *o, size_t from)
{
	size_t n = o->n_counters, n_rows = o->n - from, starts[2] = {0, n_rows};
	double **columns = lode_alloc0(n + 1, sizeof(*columns));
	struct lode_pio_run run = {.out = out,
				   .model = o->model,
				   .requests = o->requests,
				   .matrix = {columns, n, n_rows, starts, 1},
				   .servers = o->servers,
				   .is_out = o->is_out,
				   .is_live = true};

	*out = (struct lode_pio_analysis){.model = o->model,
					  .start_ns = (o->first + (int64_t)from) *
						      o->model->settings.step_ns,
					  .step_ns = o->model->settings.step_ns,
					  .n_intervals = n_rows,
					  .has_log = o->requests != NULL};
	out->intervals = lode_alloc0(n_rows + 1, sizeof(*out->intervals));
	out->coverage = lode_alloc0(n + 1, sizeof(*out->coverage));
	for (size_t c = 0; c < n; c++) {
		columns[c] = o->columns[c] + from;
		out->coverage[c] = lode_alloc((n_rows + 1) * sizeof(float));
		memcpy(out->coverage[c], o->coverage[c] + from, n_rows * sizeof(float));
	}
	out->verdicts = lode_alloc0(o->n_rulesets * n_rows + 1, sizeof(*out->verdicts));
	for (size_t k = 0; k < o->n_rulesets; k++)
		memcpy(out->verdicts + k * n_rows, o->verdicts[k] + from,
		       n_rows * sizeof(*out->verdicts));
	for (size_t i = 0; i < n_rows; i++) {
		out->intervals[i].estimated = o->rows[from + i].estimated;
		out->intervals[i].intensity = o->rows[from + i].intensity;
	}
	if (!o->model->settings.is_classic)
		out->deviations =
			lode_pio_deviations(o->model, &run.matrix, o->model->settings.window);
	lode_pio_count_requests(&run);
	lode_pio_find_periods(&run);
	free(columns);
}

static const struct lode_pio_period *last_of(const lode_pio_periods *periods)
{
	return periods->n ? &periods->at[periods->n - 1] : NULL;
}

/* Finds out about the open period, and tells what there is to tell. */
static void look_online(struct lode_pio_online *o, bool is_over,
			const struct lode_pio_listener *listener)
{
	const struct lode_pio_period *felt, *unfelt, *p;
	struct lode_pio_analysis a;
	struct lode_pio_news news = {.analysis = &a};
	bool is_felt;

	analyse(&a, o, 0);
	felt = last_of(&a.periods);
	unfelt = last_of(&a.unfelt);
	is_felt = felt && (!unfelt || felt->first > unfelt->first);
	p = is_felt ? felt : unfelt;
	if (p && (is_felt || o->open.is_told)) {
		news.period = p;
		news.known_ns = (o->first + (int64_t)o->n) * a.step_ns;
		if (!o->open.is_told)
			o->open.start_ns = lode_pio_time(&a, p->first);
		news.start_ns = o->open.start_ns;
		news.end_ns = lode_pio_time(&a, p->last + 1);
		if (!o->open.is_told) {
			news.kind = LODE_PIO_STARTED;
			o->open.is_told = true;
			listener->tell(listener->context, &news);
		}
		if (is_over) {
			news.kind = is_felt ? LODE_PIO_ENDED : LODE_PIO_WITHDRAWN;
			listener->tell(listener->context, &news);
		}
	}
	lode_pio_analysis_release(&a);
}

/* Nothing that comes can belong to the open period any more. */
static bool is_over(const struct lode_pio_online *o, int64_t interval, bool is_slow_now)
{
	if (is_slow_now)
		return false;
	return o->model->settings.is_classic ||
	       interval - o->open.last >= (int64_t)lode_pio_period_gap(o->model);
}

/* ---- Slow time that no counter explains ---- */

/* Are most of the window that ends with a row HIGH by the log? */
static bool is_mostly_high(const struct lode_pio_online *o, size_t row)
{
	size_t window = o->model->settings.window, n_high = 0;

	for (size_t i = row + 1 < window ? 0 : row + 1 - window; i <= row; i++) {
		const struct lode_interval_counts *t =
			lode_interval_tally_find(&o->requests->tally, o->first + (int64_t)i);

		n_high += t && t->n &&
			  lode_pio_class_of((double)t->n_slow / t->n, o->model->med_bound,
					    o->model->high_bound) == LODE_PIO_HIGH;
	}
	return 2 * n_high > window;
}

/* The unexplained period that an interval belongs to. */
static const struct lode_pio_period *unexplained_at(const struct lode_pio_analysis *a,
						    int64_t interval)
{
	int64_t at = interval - a->start_ns / a->step_ns;

	for (size_t i = 0; i < a->unexplained.n; i++) {
		const struct lode_pio_period *p = &a->unexplained.at[i];

		if (at >= (int64_t)p->first && at <= (int64_t)p->last)
			return p;
	}
	return NULL;
}

static void tell_silence(struct lode_pio_online *o, int64_t interval, bool is_over,
			 const struct lode_pio_listener *listener)
{
	struct lode_pio_analysis a;
	struct lode_pio_news news = {
		.kind = is_over ? LODE_PIO_UNEXPLAINED_ENDED : LODE_PIO_UNEXPLAINED,
		.known_ns = (o->first + (int64_t)o->n) * o->model->settings.step_ns,
		.analysis = &a,
	};

	analyse(&a, o, 0);
	news.period = unexplained_at(&a, interval);
	if (news.period) {
		if (!is_over)
			o->silence.start_ns = lode_pio_time(&a, news.period->first);
		news.start_ns = o->silence.start_ns;
		news.end_ns = (interval + 1) * a.step_ns;
		listener->tell(listener->context, &news);
		o->silence.is_told = !is_over;
	}
	lode_pio_analysis_release(&a);
}

/*
 * Whether an interval lies near a period is known two windows later: one that begins after it may
 * be dated back a window. So that is when it is looked at.
 */
static void find_silence(struct lode_pio_online *o, const struct lode_pio_listener *listener)
{
	size_t window = o->model->settings.window, lag = 2 * window, row;
	int64_t interval;

	if (!o->requests || o->model->settings.is_classic || o->n <= lag)
		return;
	row = o->n - 1 - lag;
	interval = o->first + (int64_t)row;
	if (is_mostly_high(o, row)) {
		struct lode_pio_analysis a;
		bool is_unexplained;

		analyse(&a, o, row < rows_before(o) ? 0 : row - rows_before(o));
		is_unexplained = unexplained_at(&a, interval) != NULL;
		lode_pio_analysis_release(&a);
		if (is_unexplained && !o->silence.is_told)
			tell_silence(o, interval, false, listener);
		if (is_unexplained)
			o->silence.last = interval;
	}
	if (o->silence.is_told &&
	    interval - o->silence.last > (int64_t)lode_pio_period_gap(o->model)) {
		tell_silence(o, o->silence.last, true, listener);
		o->silence.is_told = false;
	}
}

static void step(struct lode_pio_online *o, const double *values,
		 const struct lode_pio_listener *listener)
{
	int64_t now = o->first + (int64_t)o->n, age, window = o->model->settings.window;
	bool is_slow_now;

	assert(window > 0);
	lode_online_reserve(o, o->n + 1);
	for (size_t c = 0; c < o->n_counters; c++)
		o->columns[c][o->n] = values ? values[c] : NAN;
	o->n++;
	estimate(o);
	is_slow_now = is_slow(o);
	if (is_slow_now && !o->open.is_open)
		o->open = (struct lode_online_period){.is_open = true, .reported = now};
	if (is_slow_now)
		o->open.last = now;
	if (o->open.is_open) {
		bool is_end = is_over(o, now, is_slow_now);

		/* What users do not feel yet is looked at again: at first each time. */
		age = now - o->open.reported;
		if (is_end || (!o->open.is_told && (age < 4 * window || age % window == 0)))
			look_online(o, is_end, listener);
		if (is_end)
			o->open.is_open = false;
	}
	find_silence(o, listener);
	thin_out(o);
}

void lode_pio_online_step(struct lode_pio_online *o, int64_t interval, const double *values,
			  const struct lode_pio_listener *listener)
{
	int64_t next = lode_pio_online_next(o);

	if (o->n && interval - next > (int64_t)LODE_PIO_ONLINE_MAX) {
		/* A gap of that length ends all that is open. */
		for (size_t i = 0; i < rows_before(o); i++)
			step(o, NULL, listener);
		if (o->open.is_open) {
			look_online(o, true, listener);
			o->open.is_open = false;
		}
		drop_online(o, o->n);
		o->intensity = 0;
		memset(o->column, 0, o->n_counters * sizeof(*o->column));
	}
	if (!o->n)
		o->first = interval;
	while (o->first + (int64_t)o->n < interval)
		step(o, NULL, listener);
	step(o, values, listener);
}
