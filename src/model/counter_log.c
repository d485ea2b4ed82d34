/* Samples of counters as sources deliver them: groups of columns, rows at their own times. */
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "model/counter_log_parts.h"

static const int64_t DAY_NS = (int64_t)86400 * 1000000000;

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
		const struct lode_counter_group *group = &log->groups.at[g];
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
	struct lode_counter_group *group;

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

void lode_counter_log_wrong_time(struct lode_counter_log *log, enum lode_loss_kind kind,
				 int64_t t_ns, int64_t line, const char *what)
{
	char place[LODE_LOSS_PLACE_BYTES], when[LODE_UTC_BYTES];

	lode_loss_add(&log->losses, kind, 1, -1, t_ns, "%sa sample of %s UTC%s",
		      log->path ? lode_loss_place(place, log->path, line) : "",
		      lode_utc_text(when, t_ns, LODE_UTC_SECONDS), what);
}

static void append_row(struct lode_counter_log *log, struct lode_counter_group *group, int64_t t_ns,
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
 * Following: is the row kept back? One that is held goes in when this one speaks for it, which is
 * said, and is dropped when this one is nearer to what was before.
 */
static bool hold_row(struct lode_counter_log *log, struct lode_counter_group *group, int64_t t_ns,
		     const double *values)
{
	size_t bytes = group->n_columns * sizeof(*values);

	if (group->has_held && apart(t_ns, group->last_ns) < apart(t_ns, group->held_ns)) {
		lode_counter_log_wrong_time(log, LODE_LOSS_CLOCK_JUMP, group->held_ns,
					    group->held_line,
					    ", more than a day from its neighbours: dropped");
	} else if (group->has_held) {
		lode_counter_log_wrong_time(log, LODE_LOSS_PAUSE, group->held_ns, group->held_line,
					    group->held_ns > group->last_ns
						    ? ", more than a day after the one before"
						    : ", more than a day before the one before");
		append_row(log, group, group->held_ns, group->held);
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
	struct lode_counter_group *group = &log->groups.at[group_number];

	if (t_ns < 0 || t_ns > INT64_MAX / 2) {
		lode_counter_log_wrong_time(log, LODE_LOSS_BAD_RECORD, t_ns, log->line,
					    ", which is before 1970 or after 2116: dropped");
		return;
	}
	if (log->is_followed && hold_row(log, group, t_ns, values))
		return;
	if (!log->is_followed &&
	    (!group->has_last || apart(t_ns, group->last_ns) > LODE_COUNTER_ALONE_NS))
		lode_vec_append(&group->leaps, ((struct lode_counter_leap){t_ns, log->line}));
	group->has_last = true;
	group->last_ns = t_ns;
	append_row(log, group, t_ns, values);
}

uint32_t lode_counter_log_groups(const struct lode_counter_log *log)
{
	return (uint32_t)log->groups.n;
}

bool lode_counter_log_span(const struct lode_counter_log *log, uint32_t first, int64_t *first_ns,
			   int64_t *last_ns)
{
	*first_ns = INT64_MAX;
	*last_ns = INT64_MIN;
	for (size_t g = first; g < log->groups.n; g++) {
		const struct lode_counter_group *group = &log->groups.at[g];

		for (size_t i = 0; i < group->times.n; i++) {
			int64_t t_ns = group->times.at[i];

			*first_ns = t_ns < *first_ns ? t_ns : *first_ns;
			*last_ns = t_ns > *last_ns ? t_ns : *last_ns;
		}
	}
	return *first_ns <= *last_ns;
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

LODE_COMPARE(by_row_time, struct row,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->number, b->number))

void lode_counter_group_sort(struct lode_counter_group *group)
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
	qsort(rows, n, sizeof(*rows), by_row_time);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && rows[i + 1].t_ns == rows[i].t_ns)
			continue; /* delivered again later */
		group->times.at[kept] = rows[i].t_ns;
		if (width)
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

int64_t lode_counter_group_distance(struct lode_counter_group *group, bool is_upper)
{
	size_t n;
	int64_t *gaps, median;

	lode_counter_group_sort(group);
	n = group->times.n < 2 ? 0 : group->times.n - 1;
	if (!n)
		return 0;
	gaps = lode_alloc0(n, sizeof(*gaps));
	for (size_t i = 0; i < n; i++)
		gaps[i] = group->times.at[i + 1] - group->times.at[i];
	qsort(gaps, n, sizeof(*gaps), lode_compare_i64);
	median = gaps[(is_upper ? n : n - 1) / 2];
	free(gaps);
	return median;
}

int64_t lode_counter_group_period(struct lode_counter_group *group)
{
	if (!group->period_ns)
		group->period_ns = lode_counter_group_distance(group, true);
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
		int64_t period = lode_counter_group_period(&log->groups.at[i]);

		if (period && (!finest || period < finest))
			finest = period;
	}
	if (!finest)
		return 0;
	return rounded(finest);
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
		struct lode_counter_group *group = &log->groups.at[g];
		size_t n, old = 0;

		lode_counter_group_sort(group);
		n = group->times.n;
		/* Silent for so long: what it kept would only stretch the grid. */
		if (n && group->times.at[n - 1] <
				 before_ns - (int64_t)(n_least + 1) *
						     (lode_counter_group_period(group) + 1))
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

void lode_counter_log_give(struct lode_counter_log *log, const struct lode_counter_taker *to)
{
	for (size_t g = 0; g < log->groups.n; g++) {
		struct lode_counter_group *group = &log->groups.at[g];
		size_t n = group->n_columns;
		struct lode_counter_column *columns = lode_alloc0(n + 1, sizeof(*columns));

		for (size_t i = 0; i < n; i++)
			columns[i] = (struct lode_counter_column){
				log->strings.text.at[group->columns[i].server],
				log->strings.text.at[group->columns[i].name],
				group->columns[i].kind};
		to->group(to->context, columns, n);
		lode_counter_group_sort(group);
		for (size_t r = 0; r < group->times.n; r++)
			to->row(to->context, (uint32_t)g, group->times.at[r],
				group->values.at + r * n, n);
		free(columns);
	}
}
