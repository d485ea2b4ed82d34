#include "model/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

enum { EARLY_PARTS = 200 }; /* a sample may be 1/200 of a step early */

struct series {
	uint32_t server, name; /* ids in the log's strings */
	enum lode_counter_kind kind;
};

struct group {
	struct series *columns;
	size_t n_columns;
	LODE_VEC(int64_t) times;
	LODE_VEC(double) values; /* n_columns per row */
	bool is_sorted;
	int64_t period_ns; /* once sorted */
};

struct lode_counter_log {
	LODE_VEC(struct group) groups;
	struct lode_strings strings;
	struct lode_losses losses;
	uint64_t n_values;
	bool is_followed; /* groups are found again */
	int64_t newest_ns;
	int64_t floor_ns; /* rows before it are not taken */
};

struct lode_counter_log *lode_counter_log_new(void)
{
	struct lode_counter_log *log = lode_alloc0(1, sizeof(*log));

	log->newest_ns = INT64_MIN;
	return log;
}

void lode_counter_log_free(struct lode_counter_log *log)
{
	if (!log)
		return;
	for (size_t i = 0; i < log->groups.n; i++) {
		free(log->groups.at[i].columns);
		lode_vec_release(&log->groups.at[i].times);
		lode_vec_release(&log->groups.at[i].values);
	}
	lode_vec_release(&log->groups);
	lode_strings_release(&log->strings);
	free(log);
}

/* The group with just these columns, or LODE_NONE. */
static uint32_t find_group(const struct lode_counter_log *log,
			   const struct lode_counter_column *columns, size_t n)
{
	for (size_t g = 0; g < log->groups.n; g++) {
		const struct group *group = &log->groups.at[g];
		const char *const *text = log->strings.text.at;
		size_t i = 0;

		while (group->n_columns == n && i < n &&
		       group->columns[i].kind == columns[i].kind &&
		       strcmp(text[group->columns[i].name], columns[i].name) == 0 &&
		       strcmp(text[group->columns[i].server], columns[i].server) == 0)
			i++;
		if (group->n_columns == n && i == n)
			return (uint32_t)g;
	}
	return LODE_NONE;
}

uint32_t lode_counter_log_group(struct lode_counter_log *log,
				const struct lode_counter_column *columns, size_t n)
{
	uint32_t known = log->is_followed ? find_group(log, columns, n) : LODE_NONE;
	struct group *group;

	if (known != LODE_NONE)
		return known;
	group = lode_vec_append_zero(&log->groups);
	group->columns = lode_alloc0(n, sizeof(*group->columns));
	group->n_columns = n;
	group->is_sorted = true;
	for (size_t i = 0; i < n; i++) {
		const struct lode_counter_column *c = &columns[i];

		group->columns[i].server =
			lode_strings_intern(&log->strings, c->server, strlen(c->server));
		group->columns[i].name =
			lode_strings_intern(&log->strings, c->name, strlen(c->name));
		group->columns[i].kind = c->kind;
	}
	return (uint32_t)(log->groups.n - 1);
}

void lode_counter_log_row(struct lode_counter_log *log, uint32_t group_number, int64_t t_ns,
			  const double *values)
{
	struct group *group = &log->groups.at[group_number];

	if (t_ns < 0 || t_ns > INT64_MAX / 2) {
		lode_loss_add(&log->losses, LODE_LOSS_BAD_RECORD, 1, -1, 0,
			      "a sample's time is before 1970 or after 2116");
		return;
	}
	if (t_ns > log->newest_ns)
		log->newest_ns = t_ns;
	if (t_ns < log->floor_ns)
		return;
	if (group->times.n && group->times.at[group->times.n - 1] >= t_ns)
		group->is_sorted = false;
	lode_vec_append(&group->times, t_ns);
	lode_vec_reserve(&group->values, group->values.n + group->n_columns);
	for (size_t i = 0; i < group->n_columns; i++) {
		log->n_values += !isnan(values[i]);
		group->values.at[group->values.n++] = values[i];
	}
	group->period_ns = 0;
}

struct lode_losses *lode_counter_log_losses(struct lode_counter_log *log)
{
	return &log->losses;
}

uint64_t lode_counter_log_values(const struct lode_counter_log *log)
{
	return log->n_values;
}

/* ---- Order and period of a group ---- */

struct row {
	int64_t t_ns;
	size_t number;
};

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_rows(struct group *group)
{
	size_t n = group->times.n, width = group->n_columns, kept = 0;
	struct row *rows;
	double *values;

	if (group->is_sorted)
		return;
	rows = lode_alloc0(n, sizeof(*rows));
	values = lode_alloc0(n * width + 1, sizeof(*values));
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct row){group->times.at[i], i};
	qsort(rows, n, sizeof(*rows), by_time);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && rows[i + 1].t_ns == rows[i].t_ns)
			continue; /* delivered again later */
		group->times.at[kept] = rows[i].t_ns;
		memcpy(values + kept * width, group->values.at + rows[i].number * width,
		       width * sizeof(*values));
		kept++;
	}
	free(rows);
	free(group->values.at);
	group->values.at = values;
	group->values.capacity = n * width + 1;
	group->values.n = kept * width;
	group->times.n = kept;
	group->is_sorted = true;
}

static int compare_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The median distance of rows; 0 with fewer than two. */
static int64_t period_of(struct group *group)
{
	size_t n;
	int64_t *gaps;

	sort_rows(group);
	n = group->times.n < 2 ? 0 : group->times.n - 1;
	if (group->period_ns || !n)
		return group->period_ns;
	gaps = lode_alloc0(n, sizeof(*gaps));
	for (size_t i = 0; i < n; i++)
		gaps[i] = group->times.at[i + 1] - group->times.at[i];
	qsort(gaps, n, sizeof(*gaps), compare_i64);
	group->period_ns = gaps[n / 2];
	free(gaps);
	return group->period_ns;
}

/* Jitter of the collector: 0.996 s and 1.0003 s mean a second. */
static int64_t rounded(int64_t period_ns)
{
	int64_t unit = 1000000, whole;

	while (unit <= period_ns / 10)
		unit *= 10;
	whole = (period_ns + unit / 2) / unit * unit;
	if (whole && llabs(whole - period_ns) <= period_ns / 20)
		return whole;
	unit = unit / 10 < 1000000 ? 1000000 : unit / 10;
	whole = (period_ns + unit / 2) / unit * unit;
	return whole ? whole : unit;
}

int64_t lode_counter_log_period(struct lode_counter_log *log)
{
	int64_t finest = 0;

	for (size_t i = 0; i < log->groups.n; i++) {
		int64_t period = period_of(&log->groups.at[i]);

		if (period && (!finest || period < finest))
			finest = period;
	}
	if (!finest)
		return 0;
	return rounded(finest);
}

/* ---- Onto the grid ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The intervals, counted from the epoch, that the sample at `t_ns` speaks of. */
struct extent {
	int64_t first, last; /* last < first: none */
};

static struct extent extent_of(int64_t t_ns, int64_t period_ns, int64_t step_ns)
{
	int64_t early = step_ns / EARLY_PARTS;
	int64_t end;

	if (period_ns && period_ns < step_ns - step_ns / 4) {
		int64_t at = floor_div(t_ns - period_ns / 2, step_ns);

		return (struct extent){at, at};
	}
	end = floor_div(t_ns + early, step_ns);
	if (period_ns < step_ns)
		period_ns = step_ns;
	return (struct extent){end - (period_ns + step_ns / 2) / step_ns, end - 1};
}

struct column_job {
	struct lode_counters *out;
	const struct group *group;
	size_t column;
	int64_t first;	   /* interval 0 of the grid, counted from the epoch */
	double *at;	   /* the counter's values */
	uint32_t *weights; /* how many samples an interval's mean is of */
};

static void put(const struct column_job *job, struct extent extent, double value, bool is_mean)
{
	for (int64_t i = extent.first; i <= extent.last; i++) {
		size_t at = (size_t)(i - job->first);

		if (i < job->first || at >= job->out->n_intervals)
			continue;
		if (is_mean && job->weights[at])
			job->at[at] += (value - job->at[at]) / ++job->weights[at];
		else {
			job->at[at] = value;
			job->weights[at] = 1;
		}
	}
}

static void align_column(const struct column_job *job)
{
	const struct group *group = job->group;
	int64_t step = job->out->step_ns, period = group->period_ns;
	enum lode_counter_kind kind = group->columns[job->column].kind;
	bool is_mean = kind != LODE_COUNTER_STATE && period && period < step - step / 4;
	double before = NAN;
	int64_t before_ns = 0;

	for (size_t i = 0; i < group->times.n; i++) {
		double value = group->values.at[i * group->n_columns + job->column];
		int64_t t = group->times.at[i];
		struct extent extent = extent_of(t, period, step);

		if (isnan(value))
			continue;
		if (kind == LODE_COUNTER_TOTAL) {
			double grown = value - before;
			int64_t since = t - before_ns;

			before = value;
			before_ns = t;
			if (isnan(grown) || grown < 0) {
				job->out->n_resets += grown < 0;
				continue;
			}
			extent = extent_of(t, since, step);
			value = grown / ((double)since / 1e9);
		}
		put(job, extent, value, is_mean);
	}
}

struct named {
	uint32_t server, name;
	const struct lode_strings *strings;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = strcmp(x->strings->text.at[x->server], y->strings->text.at[y->server]);

	return c ? c : strcmp(x->strings->text.at[x->name], y->strings->text.at[y->name]);
}

static uint64_t key_of(uint32_t server, uint32_t name)
{
	return (uint64_t)server << 32 | name;
}

/* Every counter once, ordered; `index` finds its place by key_of. */
static void name_counters(struct lode_counters *out, const struct lode_counter_log *log,
			  struct lode_map *index)
{
	LODE_VEC(struct named) names = {0};

	for (size_t g = 0; g < log->groups.n; g++) {
		const struct group *group = &log->groups.at[g];

		for (size_t c = 0; c < group->n_columns; c++) {
			const struct series *s = &group->columns[c];
			uint32_t *slot = lode_map_slot(index, key_of(s->server, s->name));

			if (*slot != LODE_NONE)
				continue;
			*slot = 0;
			lode_vec_append(&names,
					((struct named){s->server, s->name, &log->strings}));
		}
	}
	if (names.n)
		qsort(names.at, names.n, sizeof(*names.at), by_name);
	out->n_counters = names.n;
	out->counters = lode_alloc0(names.n + 1, sizeof(*out->counters));
	for (size_t i = 0; i < names.n; i++) {
		struct lode_counter *counter = &out->counters[i];

		*lode_map_slot(index, key_of(names.at[i].server, names.at[i].name)) = (uint32_t)i;
		counter->server = lode_strdup(log->strings.text.at[names.at[i].server]);
		counter->name = lode_strdup(log->strings.text.at[names.at[i].name]);
		counter->at = lode_alloc0(out->n_intervals, sizeof(*counter->at));
		for (size_t t = 0; t < out->n_intervals; t++)
			counter->at[t] = NAN;
	}
	lode_vec_release(&names);
}

/* The intervals from the first to the last sample of all groups; false without any. */
static bool find_range(struct lode_counter_log *log, int64_t step_ns, struct extent *range)
{
	bool is_any = false;

	for (size_t g = 0; g < log->groups.n; g++) {
		struct group *group = &log->groups.at[g];
		struct extent first, last;

		period_of(group);
		if (!group->times.n || !group->n_columns)
			continue;
		first = extent_of(group->times.at[0], group->period_ns, step_ns);
		last = extent_of(group->times.at[group->times.n - 1], group->period_ns, step_ns);
		if (!is_any || first.first < range->first)
			range->first = first.first;
		if (!is_any || last.last > range->last)
			range->last = last.last;
		is_any = true;
	}
	return is_any;
}

int lode_counters_align(struct lode_counters *out, struct lode_counter_log *log, int64_t step_ns,
			struct lode_error *err)
{
	struct lode_map index = {0};
	struct extent range = {0, -1};
	uint32_t *weights;
	long long n_intervals;

	memset(out, 0, sizeof(*out));
	if (!find_range(log, step_ns, &range))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "no sample of any counter");
	n_intervals = range.last - range.first + 1;
	if (n_intervals > LODE_MAX_INTERVALS)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
				 "counters span %lld intervals, more than %lld: is a time wrong?",
				 n_intervals, (long long)LODE_MAX_INTERVALS);
	out->start_ns = range.first * step_ns;
	out->step_ns = step_ns;
	out->n_intervals = (size_t)(range.last - range.first + 1);
	name_counters(out, log, &index);
	weights = lode_alloc0(out->n_intervals, sizeof(*weights));
	for (size_t g = 0; g < log->groups.n; g++) {
		struct group *group = &log->groups.at[g];

		for (size_t c = 0; c < group->n_columns; c++) {
			const struct series *s = &group->columns[c];
			uint32_t at = lode_map_find(&index, key_of(s->server, s->name));
			struct column_job job = {.out = out,
						 .group = group,
						 .column = c,
						 .first = range.first,
						 .at = out->counters[at].at,
						 .weights = weights};

			memset(weights, 0, out->n_intervals * sizeof(*weights));
			out->counters[at].period_ns = group->period_ns;
			align_column(&job);
		}
	}
	free(weights);
	lode_map_release(&index);
	return 0;
}

/* ---- Following ---- */

void lode_counter_log_follow(struct lode_counter_log *log)
{
	log->is_followed = true;
}

int64_t lode_counter_log_newest(struct lode_counter_log *log)
{
	int64_t newest = log->newest_ns;

	log->newest_ns = INT64_MIN;
	return newest;
}

void lode_counter_log_forget(struct lode_counter_log *log, int64_t before_ns, size_t n_least)
{
	if (before_ns > log->floor_ns)
		log->floor_ns = before_ns;
	for (size_t g = 0; g < log->groups.n; g++) {
		struct group *group = &log->groups.at[g];
		size_t n, old = 0;

		sort_rows(group);
		n = group->times.n;
		/* Silent for so long: what it kept would only stretch the grid. */
		if (n && group->times.at[n - 1] <
				 before_ns - (int64_t)(n_least + 1) * (period_of(group) + 1))
			old = n;
		while (old + n_least < n && group->times.at[old] < before_ns)
			old++;
		if (!old)
			continue;
		memmove(group->times.at, group->times.at + old,
			(n - old) * sizeof(*group->times.at));
		memmove(group->values.at, group->values.at + old * group->n_columns,
			(n - old) * group->n_columns * sizeof(*group->values.at));
		group->times.n = n - old;
		group->values.n = group->times.n * group->n_columns;
		group->period_ns = 0;
	}
}

bool lode_counter_log_reach(struct lode_counter_reach *reach, struct lode_counter_log *log,
			    int64_t step_ns, int64_t now_ns)
{
	bool is_any = false;

	for (size_t g = 0; g < log->groups.n; g++) {
		struct group *group = &log->groups.at[g];
		int64_t period = period_of(group), last, end;

		if (!group->times.n || !group->n_columns)
			continue;
		last = group->times.at[group->times.n - 1];
		if (now_ns - last > 2 * period + 3 * step_ns)
			continue;
		/* Of samples finer than a step the interval is complete when it is over. */
		end = floor_div(last + step_ns / EARLY_PARTS, step_ns);
		if (!is_any || end < reach->all)
			reach->all = end;
		if (!is_any || end > reach->most)
			reach->most = end;
		is_any = true;
	}
	return is_any;
}

void lode_counter_log_give(struct lode_counter_log *log, const struct lode_counter_taker *to)
{
	for (size_t g = 0; g < log->groups.n; g++) {
		struct group *group = &log->groups.at[g];
		size_t n = group->n_columns;
		struct lode_counter_column *columns = lode_alloc0(n + 1, sizeof(*columns));

		for (size_t i = 0; i < n; i++)
			columns[i] = (struct lode_counter_column){
				log->strings.text.at[group->columns[i].server],
				log->strings.text.at[group->columns[i].name],
				group->columns[i].kind};
		to->group(to->context, columns, n);
		sort_rows(group);
		for (size_t r = 0; r < group->times.n; r++)
			to->row(to->context, (uint32_t)g, group->times.at[r],
				group->values.at + r * n, n);
		free(columns);
	}
}

void lode_counters_release(struct lode_counters *counters)
{
	for (size_t i = 0; i < counters->n_counters; i++) {
		free(counters->counters[i].server);
		free(counters->counters[i].name);
		free(counters->counters[i].at);
	}
	free(counters->counters);
	memset(counters, 0, sizeof(*counters));
}

const struct lode_counter *lode_counters_find(const struct lode_counters *counters,
					      const char *server, const char *name)
{
	for (size_t i = 0; i < counters->n_counters; i++) {
		if (strcmp(counters->counters[i].server, server) == 0 &&
		    strcmp(counters->counters[i].name, name) == 0)
			return &counters->counters[i];
	}
	return NULL;
}
