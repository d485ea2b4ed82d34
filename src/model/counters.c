/* Counters on one grid: pauses left out, values per interval. */
#include <math.h>
#include <stdio.h>

#include "model/counter_log_parts.h"

enum { EARLY_PARTS = 200 }; /* a sample may be 1/200 of a step early */

/* What is made of a value of the grid: the value itself, the analysis' own, deviations, cells. */
static const int64_t bytes_per_value = 2 * sizeof(double) + 2 * sizeof(float);

/* ---- What a sample speaks of ---- */

/* The intervals, counted from the epoch, that the sample at `t_ns` speaks of. */
struct extent {
	int64_t first, last; /* last < first: none */
};

static struct extent extent_of(int64_t t_ns, int64_t period_ns, int64_t step_ns)
{
	int64_t early = step_ns / EARLY_PARTS;
	int64_t end, n;

	if (period_ns && period_ns < step_ns - step_ns / 4) {
		int64_t at = lode_interval_of(t_ns - period_ns / 2, step_ns);

		return (struct extent){at, at};
	}
	end = lode_interval_of(t_ns + early, step_ns);
	if (period_ns < step_ns)
		period_ns = step_ns;
	n = period_ns / step_ns + (period_ns % step_ns >= step_ns - step_ns / 2);
	return (struct extent){end - (n < LODE_SAMPLE_REACH ? n : LODE_SAMPLE_REACH), end - 1};
}

/* Is so long without a sample more than one that was missed? */
static bool is_pause(int64_t since_ns, int64_t period_ns, int64_t step_ns)
{
	return since_ns / step_ns > LODE_PAUSE_INTERVALS && since_ns / 2 > period_ns;
}

bool lode_counter_log_reach(struct lode_counter_reach *reach, struct lode_counter_log *log,
			    int64_t step_ns, int64_t now_ns)
{
	bool is_any = false;

	for (size_t g = 0; g < log->groups.n; g++) {
		struct lode_counter_group *group = &log->groups.at[g];
		int64_t period = lode_counter_group_period(group), last, end;

		if (!group->times.n || !group->n_columns)
			continue;
		last = group->times.at[group->times.n - 1];
		if (now_ns - last > 2 * period + 3 * step_ns)
			continue;
		/* Of samples finer than a step the interval is complete when it is over. */
		end = lode_interval_of(last + step_ns / EARLY_PARTS, step_ns);
		if (!is_any || end < reach->all)
			reach->all = end;
		if (!is_any || end > reach->most)
			reach->most = end;
		is_any = true;
	}
	return is_any;
}

/* ---- What all samples speak of, and the pauses between ---- */

typedef LODE_VEC(struct extent) extents;

/* Adds to what is covered, whose last stretch it follows or goes on in: rows come in order. */
static void cover(extents *covered, size_t from, struct extent extent)
{
	struct extent *last = covered->n > from ? &covered->at[covered->n - 1] : NULL;

	if (extent.last < extent.first)
		return;
	if (last && extent.first <= last->last + 1 + LODE_PAUSE_INTERVALS) {
		last->first = extent.first < last->first ? extent.first : last->first;
		last->last = extent.last > last->last ? extent.last : last->last;
	} else {
		lode_vec_append(covered, extent);
	}
}

LODE_COMPARE(by_first, struct extent,
	     LODE_ORDER(a->first, b->first) ?: LODE_ORDER(a->last, b->last))

static bool has_total(const struct lode_counter_group *group)
{
	for (size_t c = 0; c < group->n_columns; c++)
		if (group->columns[c].kind == LODE_COUNTER_TOTAL)
			return true;
	return false;
}

/* Of one group, from its first to its last sample. Totals fill the time since the sample before. */
static void cover_group(extents *all, struct lode_counter_group *group, int64_t step_ns)
{
	bool is_total = has_total(group);
	int64_t period = lode_counter_group_period(group); /* drops rows of the same time */
	size_t from = all->n, n = group->times.n;
	struct extent first, last;

	if (!n || !group->n_columns)
		return;
	first = extent_of(group->times.at[0], period, step_ns);
	last = extent_of(group->times.at[n - 1], period, step_ns);
	for (size_t i = 0; i < n; i++) {
		int64_t t = group->times.at[i], since = i ? t - group->times.at[i - 1] : 0;
		struct extent extent = extent_of(t, period, step_ns);

		cover(all, from, extent);
		if (!is_total || !i || is_pause(since, period, step_ns))
			continue;
		extent = extent_of(t, since, step_ns);
		extent.first = extent.first < first.first ? first.first : extent.first;
		extent.last = extent.last > last.last ? last.last : extent.last;
		cover(all, from, extent);
	}
}

/* The stretches that samples speak of, in order; a pause between two is a long one. */
static void find_covered(extents *out, struct lode_counter_log *log, int64_t step_ns)
{
	extents all = {0};

	for (size_t g = 0; g < log->groups.n; g++)
		cover_group(&all, &log->groups.at[g], step_ns);
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), by_first);
	for (size_t i = 0; i < all.n; i++)
		cover(out, 0, all.at[i]);
	lode_vec_release(&all);
}

/* Places for what is covered, and for a part of each pause on both sides of what is left out. */
static int64_t lay_out(struct lode_counters *out, const extents *covered)
{
	int64_t n = 0, n_left_out = 0;

	for (size_t i = 0; i < covered->n; i++) {
		int64_t pause = i ? covered->at[i].first - covered->at[i - 1].last - 1 : 0;

		if (pause > LODE_PAUSE_INTERVALS) {
			n_left_out += pause - LODE_PAUSE_KEPT;
			n += LODE_PAUSE_KEPT / 2;
			lode_vec_append(&out->pauses,
					((struct lode_interval_pause){(int64_t)n, n_left_out}));
			n += LODE_PAUSE_KEPT - LODE_PAUSE_KEPT / 2;
		} else {
			n += pause;
		}
		n += covered->at[i].last - covered->at[i].first + 1;
	}
	return n;
}

int64_t lode_counters_time(const struct lode_counters *counters, size_t interval)
{
	return lode_interval_at(&counters->pauses, counters->start_ns / counters->step_ns,
				interval) *
	       counters->step_ns;
}

/* ---- Values ---- */

struct column_job {
	struct lode_counters *out;
	const struct lode_counter_group *group;
	size_t column;
	int64_t first;	   /* interval 0 of the grid, counted from the epoch */
	double *at;	   /* the counter's values */
	uint32_t *weights; /* how many samples an interval's mean is of */
};

static void put_sample(const struct column_job *job, struct extent extent, double value,
		       bool is_mean)
{
	size_t at = SIZE_MAX, n = job->out->n_intervals;

	/* A sample's intervals stand side by side; only its first ones may be out of the grid. */
	for (int64_t i = extent.first; i <= extent.last; i++) {
		at = at == SIZE_MAX ? lode_interval_place(&job->out->pauses, job->first, n, i)
				    : at + 1;
		if (at == SIZE_MAX)
			continue;
		if (at >= n)
			break;
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
	const struct lode_counter_group *group = job->group;
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
			if (is_pause(since, period, step))
				continue; /* not sampled for so long */
			value = grown / ((double)since / 1e9);
		}
		put_sample(job, extent, value, is_mean);
	}
}

struct named {
	uint32_t server, name;
	const struct lode_strings *strings;
};

LODE_COMPARE(by_server_and_name, struct named,
	     strcmp(a->strings->text.at[a->server], b->strings->text.at[b->server])
		     ?: strcmp(a->strings->text.at[a->name], b->strings->text.at[b->name]))

static uint64_t counter_key(uint32_t server, uint32_t name)
{
	return (uint64_t)server << 32 | name;
}

/* Every counter once, ordered; `index` finds its place by counter_key. */
static void name_counters(struct lode_counters *out, const struct lode_counter_log *log,
			  struct lode_map *index)
{
	LODE_VEC(struct named) names = {0};

	for (size_t g = 0; g < log->groups.n; g++) {
		const struct lode_counter_group *group = &log->groups.at[g];

		for (size_t c = 0; c < group->n_columns; c++) {
			const struct lode_counter_series *s = &group->columns[c];
			uint32_t *slot = lode_map_slot(index, counter_key(s->server, s->name));

			if (*slot != LODE_NONE)
				continue;
			*slot = 0;
			lode_vec_append(&names,
					((struct named){s->server, s->name, &log->strings}));
		}
	}
	if (names.n)
		qsort(names.at, names.n, sizeof(*names.at), by_server_and_name);
	out->n_counters = names.n;
	out->counters = lode_alloc0(names.n + 1, sizeof(*out->counters));
	for (size_t i = 0; i < names.n; i++) {
		struct lode_counter *counter = &out->counters[i];

		*lode_map_slot(index, counter_key(names.at[i].server, names.at[i].name)) =
			(uint32_t)i;
		counter->server = lode_strdup(log->strings.text.at[names.at[i].server]);
		counter->name = lode_strdup(log->strings.text.at[names.at[i].name]);
		counter->at = lode_alloc0(out->n_intervals, sizeof(*counter->at));
		for (size_t t = 0; t < out->n_intervals; t++)
			counter->at[t] = NAN;
	}
	lode_vec_release(&names);
}

static size_t count_counters(const struct lode_counter_log *log)
{
	struct lode_map seen = {0};
	size_t n = 0;

	for (size_t g = 0; g < log->groups.n; g++) {
		const struct lode_counter_group *group = &log->groups.at[g];

		for (size_t c = 0; c < group->n_columns; c++) {
			const struct lode_counter_series *s = &group->columns[c];
			uint32_t *slot = lode_map_slot(&seen, counter_key(s->server, s->name));

			n += *slot == LODE_NONE;
			*slot = 0;
		}
	}
	lode_map_release(&seen);
	return n;
}

static int check_size(int64_t n_intervals, const struct lode_counter_log *log, int64_t step_ns,
		      const struct lode_counter_bound *bound, struct lode_error *err)
{
	size_t n_counters = count_counters(log), memory_bytes = bound ? bound->memory_bytes : 0;
	double need;

	if (bound && bound->n_counters > n_counters)
		n_counters = bound->n_counters;
	need = (double)n_intervals * (double)bytes_per_value * (double)n_counters;

	if (!memory_bytes || need <= (double)memory_bytes)
		return LODE_OK;
	return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			 "%lld intervals of %.3g s with %zu counters need %.0f MiB, but only %.0f "
			 "MiB may be used (--memory): read a shorter time, or train with a longer "
			 "--interval",
			 (long long)n_intervals, (double)step_ns / 1e9, n_counters,
			 ceil(need / 0x1p20), floor((double)memory_bytes / 0x1p20));
}

static void align_groups(struct lode_counters *out, struct lode_counter_log *log,
			 const struct lode_map *index)
{
	uint32_t *weights = lode_alloc0(out->n_intervals, sizeof(*weights));

	for (size_t g = 0; g < log->groups.n; g++) {
		struct lode_counter_group *group = &log->groups.at[g];

		for (size_t c = 0; c < group->n_columns; c++) {
			const struct lode_counter_series *s = &group->columns[c];
			uint32_t at = lode_map_find(index, counter_key(s->server, s->name));
			struct column_job job = {.out = out,
						 .group = group,
						 .column = c,
						 .first = out->start_ns / out->step_ns,
						 .at = out->counters[at].at,
						 .weights = weights};

			memset(weights, 0, out->n_intervals * sizeof(*weights));
			out->counters[at].period_ns = group->period_ns;
			align_column(&job);
		}
	}
	free(weights);
}

int lode_counters_align(struct lode_counters *out, struct lode_counter_log *log, int64_t step_ns,
			const struct lode_counter_bound *bound, struct lode_error *err)
{
	struct lode_map index = {0};
	extents covered = {0};
	int64_t n_intervals;
	int rc = LODE_OK;

	memset(out, 0, sizeof(*out));
	find_covered(&covered, log, step_ns);
	n_intervals = lay_out(out, &covered);
	if (!covered.n)
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1, "no counter has any samples");
	else
		rc = check_size(n_intervals, log, step_ns, bound, err);
	if (rc < 0) {
		lode_vec_release(&out->pauses);
		lode_vec_release(&covered);
		return rc;
	}
	lode_vec_is_there(&covered);
	out->start_ns = covered.at[0].first * step_ns;
	out->step_ns = step_ns;
	out->n_intervals = (size_t)n_intervals;
	name_counters(out, log, &index);
	align_groups(out, log, &index);
	lode_vec_release(&covered);
	lode_map_release(&index);
	return LODE_OK;
}

void lode_counters_release(struct lode_counters *counters)
{
	for (size_t i = 0; i < counters->n_counters; i++) {
		free(counters->counters[i].server);
		free(counters->counters[i].name);
		free(counters->counters[i].at);
	}
	free(counters->counters);
	lode_vec_release(&counters->pauses);
	memset(counters, 0, sizeof(*counters));
}
