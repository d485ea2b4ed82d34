#include "analyses/pio/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/pio/evidence.h"
#include "analyses/pio/periods.h"
#include "analyses/pio/rules.h"

enum { NEW_LEVEL_ROWS = 1 << 16 }; /* that say whether a counter has a new level; then halved */

/* What the rules made of a row. */
struct row {
	uint8_t estimated;
	uint32_t intensity;
};

struct open_period {
	bool is_open, is_told;
	int64_t reported, last; /* intervals: the first and the last slow one as they came */
	int64_t start_ns;	/* told; of what is not told yet 0 */
};

struct lode_pio_online {
	const struct lode_pio_model *model;
	struct lode_request_log *requests; /* may be NULL */
	struct lode_pio_servers servers;
	size_t n_counters, n_rulesets;
	/* Rows kept: interval `first` + i is at i. */
	int64_t first;
	size_t n, capacity;
	double **columns;		    /* [counter] */
	float **coverage;		    /* [counter] */
	struct lode_pio_verdict **verdicts; /* [ruleset] */
	struct row *rows;
	/* Of the newest row. */
	float *column;
	bool *is_moved;
	uint32_t intensity;
	/* New levels. */
	uint32_t *n_out;
	uint32_t n_seen;
	bool *is_out, *has_value;
	struct open_period open;
};

struct lode_pio_online *lode_pio_online_new(const struct lode_pio_model *model,
					    struct lode_request_log *requests)
{
	struct lode_pio_online *o = lode_alloc0(1, sizeof(*o));
	size_t n = model->counters.n;

	o->model = model;
	o->requests = requests;
	o->n_counters = n;
	o->n_rulesets = model->rules.n;
	o->columns = lode_alloc0(n + 1, sizeof(*o->columns));
	o->coverage = lode_alloc0(n + 1, sizeof(*o->coverage));
	o->verdicts = lode_alloc0(o->n_rulesets + 1, sizeof(struct lode_pio_verdict *));
	o->column = lode_alloc0(n + 1, sizeof(*o->column));
	o->is_moved = lode_alloc0(n + 1, sizeof(*o->is_moved));
	o->n_out = lode_alloc0(n + 1, sizeof(*o->n_out));
	o->is_out = lode_alloc0(n + 1, sizeof(*o->is_out));
	o->has_value = lode_alloc0(n + 1, sizeof(*o->has_value));
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
	free(o->columns);
	free(o->coverage);
	free(o->verdicts);
	free(o->rows);
	free(o->column);
	free(o->is_moved);
	free(o->n_out);
	free(o->is_out);
	free(o->has_value);
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

static void reserve(struct lode_pio_online *o, size_t need)
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

static void drop(struct lode_pio_online *o, size_t n)
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
	return 4 * (size_t)o->model->settings.window + lode_pio_period_gap(o->model);
}

static void thin_out(struct lode_pio_online *o)
{
	size_t keep = o->open.is_open ? LODE_PIO_ONLINE_MAX : rows_before(o);

	if (o->n >= 2 * keep)
		drop(o, o->n - keep);
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

static void analyse(struct lode_pio_analysis *out, struct lode_pio_online *o)
{
	size_t n = o->n_counters, starts[2] = {0, o->n};
	struct lode_pio_run run = {.out = out,
				   .model = o->model,
				   .requests = o->requests,
				   .matrix = {o->columns, n, o->n, starts, 1},
				   .servers = o->servers,
				   .is_out = o->is_out};

	*out = (struct lode_pio_analysis){.model = o->model,
					  .start_ns = o->first * o->model->settings.step_ns,
					  .step_ns = o->model->settings.step_ns,
					  .n_intervals = o->n,
					  .has_log = o->requests != NULL};
	out->intervals = lode_alloc0(o->n + 1, sizeof(*out->intervals));
	out->coverage = lode_alloc0(n + 1, sizeof(*out->coverage));
	for (size_t c = 0; c < n; c++) {
		out->coverage[c] = lode_alloc((o->n + 1) * sizeof(float));
		memcpy(out->coverage[c], o->coverage[c], o->n * sizeof(float));
	}
	out->verdicts = lode_alloc0(o->n_rulesets * o->n + 1, sizeof(*out->verdicts));
	for (size_t k = 0; k < o->n_rulesets; k++)
		memcpy(out->verdicts + k * o->n, o->verdicts[k], o->n * sizeof(*out->verdicts));
	for (size_t i = 0; i < o->n; i++) {
		out->intervals[i].estimated = o->rows[i].estimated;
		out->intervals[i].intensity = o->rows[i].intensity;
	}
	if (!o->model->settings.is_classic)
		out->deviations =
			lode_pio_deviations(o->model, &run.matrix, o->model->settings.window);
	lode_pio_count_requests(&run);
	lode_pio_find_periods(&run);
}

static const struct lode_pio_period *last_of(const lode_pio_periods *periods)
{
	return periods->n ? &periods->at[periods->n - 1] : NULL;
}

/* Finds out about the open period, and tells what there is to tell. */
static void look(struct lode_pio_online *o, bool is_over, const struct lode_pio_listener *listener)
{
	const struct lode_pio_period *felt, *unfelt, *p;
	struct lode_pio_analysis a;
	struct lode_pio_news news = {.analysis = &a};
	bool is_felt;

	analyse(&a, o);
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

static void step(struct lode_pio_online *o, const double *values,
		 const struct lode_pio_listener *listener)
{
	int64_t now = o->first + (int64_t)o->n, age;
	bool is_slow_now;

	reserve(o, o->n + 1);
	for (size_t c = 0; c < o->n_counters; c++)
		o->columns[c][o->n] = values ? values[c] : NAN;
	o->n++;
	estimate(o);
	is_slow_now = is_slow(o);
	if (is_slow_now && !o->open.is_open)
		o->open = (struct open_period){.is_open = true, .reported = now};
	if (is_slow_now)
		o->open.last = now;
	if (o->open.is_open) {
		bool is_end = is_over(o, now, is_slow_now);

		/* What users do not feel yet is looked at again: at first each time. */
		age = now - o->open.reported;
		if (is_end || (!o->open.is_told && (age < 4 * (int64_t)o->model->settings.window ||
						    age % o->model->settings.window == 0)))
			look(o, is_end, listener);
		if (is_end)
			o->open.is_open = false;
	}
	thin_out(o);
}

void lode_pio_online_step(struct lode_pio_online *o, int64_t interval, const double *values,
			  const struct lode_pio_listener *listener)
{
	int64_t next = lode_pio_online_next(o);

	if (o->n && interval - next > (int64_t)LODE_PIO_ONLINE_MAX) {
		/* Nobody knows what was in a gap of that length: whatever was open is over. */
		for (size_t i = 0; i < rows_before(o); i++)
			step(o, NULL, listener);
		if (o->open.is_open) {
			look(o, true, listener);
			o->open.is_open = false;
		}
		drop(o, o->n);
		o->intensity = 0;
		memset(o->column, 0, o->n_counters * sizeof(*o->column));
	}
	if (!o->n)
		o->first = interval;
	while (o->first + (int64_t)o->n < interval)
		step(o, NULL, listener);
	step(o, values, listener);
}

/* ---- State ---- */

void lode_pio_online_save(FILE *out, const struct lode_pio_online *o)
{
	fprintf(out, "online %zu %zu %lld %zu %u %u\n", o->n_counters, o->n_rulesets,
		(long long)o->first, o->n, o->intensity, o->n_seen);
	fprintf(out, "open %d %d %lld %lld %lld\n", o->open.is_open, o->open.is_told,
		(long long)o->open.reported, (long long)o->open.last, (long long)o->open.start_ns);
	for (size_t c = 0; c < o->n_counters; c++) {
		fprintf(out, "%u %d ", o->n_out[c], o->has_value[c]);
		lode_words_put_number(out, (double)o->column[c]);
		fputc(' ', out);
		lode_words_put_text(out, o->model->counters.at[c].name,
				    strlen(o->model->counters.at[c].name));
		fputc('\n', out);
	}
	for (size_t i = 0; i < o->n; i++) {
		fprintf(out, "%u %u", o->rows[i].estimated, o->rows[i].intensity);
		for (size_t c = 0; c < o->n_counters; c++) {
			fputc(' ', out);
			lode_words_put_number(out, o->columns[c][i]);
		}
		/* The matrix is needed back to a period's start only by classic models. */
		for (size_t c = 0; c < o->n_counters && o->model->settings.is_classic; c++) {
			fputc(' ', out);
			lode_words_put_number(out, (double)o->coverage[c][i]);
		}
		fputc('\n', out);
	}
}

static void load_row(struct lode_pio_online *o, struct lode_words *words)
{
	size_t i = o->n;

	reserve(o, i + 1);
	o->rows[i].estimated = (uint8_t)lode_words_int(words) & 3;
	o->rows[i].intensity = (uint32_t)lode_words_int(words);
	for (size_t c = 0; c < o->n_counters; c++) {
		o->columns[c][i] = lode_words_number(words);
		o->coverage[c][i] = 0;
	}
	for (size_t c = 0; c < o->n_counters && o->model->settings.is_classic; c++)
		o->coverage[c][i] = (float)lode_words_number(words);
	/* Which rules spoke follows from the values. */
	for (size_t k = 0; k < o->n_rulesets; k++) {
		struct lode_pio_verdict *v = &o->verdicts[k][i];

		v->class = (uint8_t)lode_pio_rules_classify(&o->model->rules.at[k],
							    (const double *const *)o->columns,
							    o->n_counters, i, &v->fired);
	}
	o->n++;
}

bool lode_pio_online_load(struct lode_pio_online *o, struct lode_words *words)
{
	size_t n_rows, len;

	lode_words_expect(words, "online");
	if (lode_words_int(words) != (int64_t)o->n_counters ||
	    lode_words_int(words) != (int64_t)o->n_rulesets)
		words->is_bad = true;
	o->first = lode_words_int(words);
	if (o->first < 0 || o->first > INT64_MAX / 4)
		words->is_bad = true;
	n_rows = lode_words_count(words);
	o->intensity = (uint32_t)lode_words_int(words);
	o->n_seen = (uint32_t)lode_words_int(words);
	lode_words_expect(words, "open");
	o->open.is_open = lode_words_int(words) != 0;
	o->open.is_told = lode_words_int(words) != 0;
	o->open.reported = lode_words_int(words);
	o->open.last = lode_words_int(words);
	o->open.start_ns = lode_words_int(words);
	for (size_t c = 0; c < o->n_counters && !words->is_bad; c++) {
		char *name;

		o->n_out[c] = (uint32_t)lode_words_int(words);
		o->has_value[c] = lode_words_int(words) != 0;
		o->column[c] = (float)lode_words_number(words);
		name = lode_words_text(words, &len);
		words->is_bad |= strcmp(name, o->model->counters.at[c].name) != 0;
		free(name);
		o->is_out[c] = o->has_value[c] && lode_pio_has_new_level(o->n_out[c], o->n_seen);
	}
	for (size_t i = 0; i < n_rows && !words->is_bad; i++)
		load_row(o, words);
	return !words->is_bad;
}
