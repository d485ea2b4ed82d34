/* Rows of a counter log whose time stands alone, and is wrong. */

#include "model/counter_log_parts.h"

enum { ALONE_PERIODS = 10 };

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
	uint32_t *at = lode_map_slot(&days->index, (uint64_t)(t_ns / LODE_COUNTER_ALONE_NS));
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
	int64_t number = t_ns / LODE_COUNTER_ALONE_NS;
	const struct day *same = find_day(days, number), *before = find_day(days, number - 1),
			 *after = find_day(days, number + 1);

	return same->first_ns == same->last_ns &&
	       (!before || t_ns - before->last_ns > LODE_COUNTER_ALONE_NS) &&
	       (!after || after->first_ns - t_ns > LODE_COUNTER_ALONE_NS);
}

/* Rows are sorted: by its neighbours. */
static bool is_alone_in_group(const struct lode_counter_group *group, size_t row,
			      int64_t distance_ns)
{
	const int64_t *t = group->times.at;

	return (row == 0 || t[row] - t[row - 1] > distance_ns) &&
	       (row + 1 == group->times.n || t[row + 1] - t[row] > distance_ns);
}

static int64_t line_of(const struct lode_counter_group *group, int64_t t_ns)
{
	for (size_t i = 0; i < group->leaps.n; i++)
		if (group->leaps.at[i].t_ns == t_ns)
			return group->leaps.at[i].line;
	return -1;
}

/* Keeps the rows that are not to be dropped. */
static void drop_rows(struct lode_counter_group *group, const bool *is_dropped)
{
	size_t kept = 0, width = group->n_columns;

	for (size_t i = 0; i < group->times.n; i++) {
		if (is_dropped[i])
			continue;
		group->times.at[kept] = group->times.at[i];
		if (width > 0) /* a line of times alone has none */
			memmove(group->values.at + kept * width, group->values.at + i * width,
				width * sizeof(*group->values.at));
		kept++;
	}
	group->times.n = kept;
	group->values.n = kept * width;
	group->period_ns = 0;
}

static void sift_group(struct lode_counter_log *log, struct lode_counter_group *group,
		       const struct days *days)
{
	const struct lode_loss *loss = &log->losses.by_kind[LODE_LOSS_CLOCK_JUMP];
	int64_t usual = lode_counter_group_distance(group, false), distance = LODE_COUNTER_ALONE_NS;
	bool *is_dropped = NULL;

	if (usual > LODE_COUNTER_ALONE_NS / ALONE_PERIODS)
		distance = usual < INT64_MAX / ALONE_PERIODS ? usual * ALONE_PERIODS : INT64_MAX;
	for (size_t i = 0; i < group->times.n; i++) {
		int64_t t_ns = group->times.at[i];

		if (!is_alone_in_group(group, i, distance) || !is_alone_in_source(days, t_ns))
			continue;
		if (!is_dropped)
			is_dropped = lode_alloc0(group->times.n, sizeof(*is_dropped));
		is_dropped[i] = true;
		lode_counter_log_wrong_time(log, LODE_LOSS_CLOCK_JUMP, t_ns,
					    loss->count ? -1 : line_of(group, t_ns),
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
		const struct lode_counter_group *group = &log->groups.at[g];

		if (group->leaps.n > 1)
			return false;
		if (!group->leaps.n)
			continue;
		low = group->leaps.at[0].t_ns < low ? group->leaps.at[0].t_ns : low;
		high = group->leaps.at[0].t_ns > high ? group->leaps.at[0].t_ns : high;
	}
	return high == INT64_MIN || high - low <= LODE_COUNTER_ALONE_NS;
}

void lode_counter_log_sift(struct lode_counter_log *log, uint32_t first)
{
	struct days days = {0};

	if (is_one_stretch(log, first))
		return;
	for (size_t g = first; g < log->groups.n; g++) {
		const struct lode_counter_group *group = &log->groups.at[g];

		for (size_t i = 0; i < group->times.n; i++)
			add_time(&days, group->times.at[i]);
	}
	for (size_t g = first; g < log->groups.n && days.n_times > 2; g++) {
		lode_counter_group_sort(&log->groups.at[g]);
		sift_group(log, &log->groups.at[g], &days);
	}
	lode_vec_release(&days.at);
	lode_map_release(&days.index);
}
