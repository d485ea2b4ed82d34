#include "model/counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/map.h"
#include "base/mem.h"

enum {
	EARLY_PARTS = 200, /* a sample may be 1/200 of a step early */
	ALONE_PERIODS = 10,
};

static const int64_t DAY_NS = (int64_t)86400 * 1000000000, ALONE_NS = DAY_NS / 2;

/* What is made of a value of the grid: the value itself, the analysis' own, deviations, cells. */
static const int64_t bytes_per_value = 2 * sizeof(double) + 2 * sizeof(float);

struct series {
	uint32_t server, name; /* ids in the log's strings */
	enum lode_counter_kind kind;
};

/* A row that came first, or far from the one before it: only there can a time stand alone, so only
   these have their place kept. */
struct leap {
	int64_t t_ns, line;
};

struct group {
	struct series *columns;
	size_t n_columns;
	LODE_VEC(int64_t) times;
	LODE_VEC(double) values; /* n_columns per row */
	LODE_VEC(struct leap) leaps;
	double *held; /* followed: a row that waits for the next one; its time is in held_ns */
	int64_t held_ns, held_line, last_ns;
	bool is_sorted, has_held, has_last;
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
	const char *path; /* where rows stand; borrowed */
	LODE_VEC(char *) skipped;
	size_t n_told; /* of them */
	int64_t line;
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
		free(log->groups.at[i].held);
		lode_vec_release(&log->groups.at[i].leaps);
		lode_vec_release(&log->groups.at[i].times);
		lode_vec_release(&log->groups.at[i].values);
	}
	lode_vec_release(&log->groups);
	for (size_t i = log->n_told; i < log->skipped.n; i++)
		free(log->skipped.at[i]);
	lode_vec_release(&log->skipped);
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

void lode_counter_log_place(struct lode_counter_log *log, const char *path, int64_t line)
{
	log->path = path;
	log->line = line;
}

/* "web.csv: line 7 has a time ..." */
static void wrong_time(struct lode_counter_log *log, enum lode_loss_kind kind, int64_t t_ns,
		       int64_t line, const char *what)
{
	char place[LODE_LOSS_PLACE_BYTES], when[32];
	time_t seconds = (time_t)(t_ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(when, sizeof(when), "%lld s", (long long)seconds);
	lode_loss_add(&log->losses, kind, 1, -1, t_ns, "%sa sample of %s UTC%s",
		      log->path ? lode_loss_place(place, log->path, line) : "", when, what);
}

static void add_row(struct lode_counter_log *log, struct group *group, int64_t t_ns,
		    const double *values)
{
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

static int64_t apart(int64_t a, int64_t b)
{
	return a < b ? b - a : a - b;
}

/*
 * Following: is the row kept back? One that is held goes in when this one speaks for it, and is
 * dropped when this one is nearer to what was before.
 */
static bool hold(struct lode_counter_log *log, struct group *group, int64_t t_ns,
		 const double *values)
{
	size_t bytes = group->n_columns * sizeof(*values);

	if (group->has_held && apart(t_ns, group->last_ns) < apart(t_ns, group->held_ns)) {
		wrong_time(log, LODE_LOSS_CLOCK_JUMP, group->held_ns, group->held_line,
			   ", more than a day from those before and behind it: dropped");
	} else if (group->has_held) {
		add_row(log, group, group->held_ns, group->held);
		group->last_ns = group->held_ns;
	}
	group->has_held = group->has_last && apart(t_ns, group->last_ns) > DAY_NS;
	if (!group->has_held)
		return false;
	if (!group->held)
		group->held = lode_alloc(bytes + 1);
	memcpy(group->held, values, bytes);
	group->held_ns = t_ns;
	group->held_line = log->line;
	return true;
}

void lode_counter_log_row(struct lode_counter_log *log, uint32_t group_number, int64_t t_ns,
			  const double *values)
{
	struct group *group = &log->groups.at[group_number];

	if (t_ns < 0 || t_ns > INT64_MAX / 2) {
		wrong_time(log, LODE_LOSS_BAD_RECORD, t_ns, log->line,
			   ", which is before 1970 or after 2116: dropped");
		return;
	}
	if (log->is_followed && hold(log, group, t_ns, values))
		return;
	if (!log->is_followed && (!group->has_last || apart(t_ns, group->last_ns) > ALONE_NS))
		lode_vec_append(&group->leaps, ((struct leap){t_ns, log->line}));
	group->has_last = true;
	group->last_ns = t_ns;
	add_row(log, group, t_ns, values);
}

uint32_t lode_counter_log_groups(const struct lode_counter_log *log)
{
	return (uint32_t)log->groups.n;
}

struct lode_losses *lode_counter_log_losses(struct lode_counter_log *log)
{
	return &log->losses;
}

void lode_counter_log_skip(struct lode_counter_log *log, const char *text)
{
	lode_vec_append(&log->skipped, lode_strdup(text));
}

char *lode_counter_log_next_skipped(struct lode_counter_log *log)
{
	return log->n_told < log->skipped.n ? log->skipped.at[log->n_told++] : NULL;
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

/* The median distance of rows, of an even number the upper or the lower one; 0 with fewer than two.
 */
static int64_t median_distance(struct group *group, bool is_upper)
{
	size_t n;
	int64_t *gaps, median;

	sort_rows(group);
	n = group->times.n < 2 ? 0 : group->times.n - 1;
	if (!n)
		return 0;
	gaps = lode_alloc0(n, sizeof(*gaps));
	for (size_t i = 0; i < n; i++)
		gaps[i] = group->times.at[i + 1] - group->times.at[i];
	qsort(gaps, n, sizeof(*gaps), compare_i64);
	median = gaps[(is_upper ? n : n - 1) / 2];
	free(gaps);
	return median;
}

static int64_t period_of(struct group *group)
{
	if (!group->period_ns)
		group->period_ns = median_distance(group, true);
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

/* ---- Times that stand alone ---- */

/* The first and the last time of half a day. */
struct day {
	int64_t first_ns, last_ns;
};

/* The half days of a source's times, by number. */
struct days {
	LODE_VEC(struct day) at;
	struct lode_map index;
	size_t n_times; /* at least: so many are different */
};

static const struct day *find_day(const struct days *days, int64_t number)
{
	uint32_t at = lode_map_find(&days->index, (uint64_t)number);

	return at == LODE_NONE ? NULL : &days->at.at[at];
}

static void add_time(struct days *days, int64_t t_ns)
{
	uint32_t *at = lode_map_slot(&days->index, (uint64_t)(t_ns / ALONE_NS));
	struct day *day;

	if (*at == LODE_NONE) {
		*at = (uint32_t)days->at.n;
		lode_vec_append(&days->at, ((struct day){t_ns, t_ns}));
		days->n_times++;
		return;
	}
	day = &days->at.at[*at];
	days->n_times += t_ns < day->first_ns || t_ns > day->last_ns;
	day->first_ns = t_ns < day->first_ns ? t_ns : day->first_ns;
	day->last_ns = t_ns > day->last_ns ? t_ns : day->last_ns;
}

static bool is_alone_in_source(const struct days *days, int64_t t_ns)
{
	int64_t number = t_ns / ALONE_NS;
	const struct day *same = find_day(days, number), *before = find_day(days, number - 1),
			 *after = find_day(days, number + 1);

	return same->first_ns == same->last_ns && (!before || t_ns - before->last_ns > ALONE_NS) &&
	       (!after || after->first_ns - t_ns > ALONE_NS);
}

/* Rows are sorted: by its neighbours. */
static bool is_alone_in_group(const struct group *group, size_t row, int64_t distance_ns)
{
	const int64_t *t = group->times.at;

	return (row == 0 || t[row] - t[row - 1] > distance_ns) &&
	       (row + 1 == group->times.n || t[row + 1] - t[row] > distance_ns);
}

static int64_t line_of(const struct group *group, int64_t t_ns)
{
	for (size_t i = 0; i < group->leaps.n; i++)
		if (group->leaps.at[i].t_ns == t_ns)
			return group->leaps.at[i].line;
	return -1;
}

/* Keeps the rows that are not to be dropped. */
static void drop_rows(struct group *group, const bool *is_dropped)
{
	size_t kept = 0, width = group->n_columns;

	for (size_t i = 0; i < group->times.n; i++) {
		if (is_dropped[i])
			continue;
		group->times.at[kept] = group->times.at[i];
		memmove(group->values.at + kept * width, group->values.at + i * width,
			width * sizeof(*group->values.at));
		kept++;
	}
	group->times.n = kept;
	group->values.n = kept * width;
	group->period_ns = 0;
}

static void sift_group(struct lode_counter_log *log, struct group *group, const struct days *days)
{
	const struct lode_loss *loss = &log->losses.by_kind[LODE_LOSS_CLOCK_JUMP];
	int64_t usual = median_distance(group, false), distance = ALONE_NS;
	bool *is_dropped = NULL;

	if (usual > ALONE_NS / ALONE_PERIODS)
		distance = usual < INT64_MAX / ALONE_PERIODS ? usual * ALONE_PERIODS : INT64_MAX;
	for (size_t i = 0; i < group->times.n; i++) {
		int64_t t_ns = group->times.at[i];

		if (!is_alone_in_group(group, i, distance) || !is_alone_in_source(days, t_ns))
			continue;
		if (!is_dropped)
			is_dropped = lode_alloc0(group->times.n, sizeof(*is_dropped));
		is_dropped[i] = true;
		wrong_time(log, LODE_LOSS_CLOCK_JUMP, t_ns, loss->count ? -1 : line_of(group, t_ns),
			   ", more than half a day from all others: dropped");
	}
	if (is_dropped)
		drop_rows(group, is_dropped);
	free(is_dropped);
}

/* Every row is within that of the one before it, and so are the groups of each other: so it is
   nearly always, and nothing stands alone. */
static bool is_one_stretch(const struct lode_counter_log *log, uint32_t first)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (size_t g = first; g < log->groups.n; g++) {
		const struct group *group = &log->groups.at[g];

		if (group->leaps.n > 1)
			return false;
		if (!group->leaps.n)
			continue;
		low = group->leaps.at[0].t_ns < low ? group->leaps.at[0].t_ns : low;
		high = group->leaps.at[0].t_ns > high ? group->leaps.at[0].t_ns : high;
	}
	return high == INT64_MIN || high - low <= ALONE_NS;
}

void lode_counter_log_sift(struct lode_counter_log *log, uint32_t first)
{
	struct days days = {0};

	if (is_one_stretch(log, first))
		return;
	for (size_t g = first; g < log->groups.n; g++) {
		const struct group *group = &log->groups.at[g];

		for (size_t i = 0; i < group->times.n; i++)
			add_time(&days, group->times.at[i]);
	}
	for (size_t g = first; g < log->groups.n && days.n_times > 2; g++) {
		sort_rows(&log->groups.at[g]);
		sift_group(log, &log->groups.at[g], &days);
	}
	lode_vec_release(&days.at);
	lode_map_release(&days.index);
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
	int64_t end, n;

	if (period_ns && period_ns < step_ns - step_ns / 4) {
		int64_t at = floor_div(t_ns - period_ns / 2, step_ns);

		return (struct extent){at, at};
	}
	end = floor_div(t_ns + early, step_ns);
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
			if (is_pause(since, period, step))
				continue; /* nobody looked for so long */
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

static int by_first(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->last < y->last ? -1 : x->last > y->last;
}

static bool has_total(const struct group *group)
{
	for (size_t c = 0; c < group->n_columns; c++)
		if (group->columns[c].kind == LODE_COUNTER_TOTAL)
			return true;
	return false;
}

/* Of one group, from its first to its last sample. Totals fill the time since the sample before. */
static void cover_group(extents *all, struct group *group, int64_t step_ns)
{
	bool is_total = has_total(group);
	size_t from = all->n, n = group->times.n;
	int64_t period = period_of(group);
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
					((struct lode_interval_pause){(size_t)n, n_left_out}));
			n += LODE_PAUSE_KEPT - LODE_PAUSE_KEPT / 2;
		} else {
			n += pause;
		}
		n += covered->at[i].last - covered->at[i].first + 1;
	}
	return n;
}

static size_t count_counters(const struct lode_counter_log *log)
{
	struct lode_map seen = {0};
	size_t n = 0;

	for (size_t g = 0; g < log->groups.n; g++) {
		const struct group *group = &log->groups.at[g];

		for (size_t c = 0; c < group->n_columns; c++) {
			const struct series *s = &group->columns[c];
			uint32_t *slot = lode_map_slot(&seen, key_of(s->server, s->name));

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
	return lode_fail(
		err, LODE_ERR_LIMIT, NULL, -1,
		"%lld intervals of %.3g s, of %zu counters, take %.1f GB, and %.1f GB may be "
		"used: read a shorter time, or train with a longer --interval",
		(long long)n_intervals, (double)step_ns / 1e9, n_counters, need / 1e9,
		(double)memory_bytes / 1e9);
}

int64_t lode_counters_time(const struct lode_counters *counters, size_t interval)
{
	return lode_interval_at(&counters->pauses, counters->start_ns / counters->step_ns,
				interval) *
	       counters->step_ns;
}

static void align_groups(struct lode_counters *out, struct lode_counter_log *log,
			 const struct lode_map *index)
{
	uint32_t *weights = lode_alloc0(out->n_intervals, sizeof(*weights));

	for (size_t g = 0; g < log->groups.n; g++) {
		struct group *group = &log->groups.at[g];

		for (size_t c = 0; c < group->n_columns; c++) {
			const struct series *s = &group->columns[c];
			uint32_t at = lode_map_find(index, key_of(s->server, s->name));
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
		rc = lode_fail(err, LODE_ERR_ARG, NULL, -1, "no sample of any counter");
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
	lode_vec_release(&counters->pauses);
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
