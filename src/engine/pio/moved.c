/* Finds the counters that moved most in unexplained periods. */
#include "engine/pio/moved.h"

#include "engine/pio/shifts.h"

/* What moves by less than half of its range says little. */
#define LEAST_DEVIATION 0.5
enum { MOST_VALUES = 1024, LEAST_BEFORE = 4, LEAST_WITHIN = 1 };

static void mark(bool *is_slow, const lode_pio_periods *periods)
{
	for (size_t i = 0; i < periods->n; i++)
		memset(is_slow + periods->at[i].first, true,
		       periods->at[i].last - periods->at[i].first + 1);
}

/* Intervals in which users were not affected, at most MOST_VALUES of them. */
static size_t choose_other_time(size_t *rows, const struct lode_pio_analysis *a)
{
	bool *is_slow = lode_alloc0(a->n_intervals + 1, sizeof(*is_slow));
	size_t n_free = 0, n = 0, at = 0;

	mark(is_slow, &a->periods);
	mark(is_slow, &a->unexplained);
	for (size_t i = 0; i < a->n_intervals; i++)
		n_free += !is_slow[i];
	for (size_t i = 0; i < a->n_intervals; i++) {
		if (is_slow[i])
			continue;
		if (at++ * MOST_VALUES / (n_free > MOST_VALUES ? n_free : MOST_VALUES) >= n)
			rows[n++] = i;
	}
	free(is_slow);
	return n;
}

static struct lode_shift_level level_within(const double *values, const struct lode_pio_period *p)
{
	size_t length = p->last - p->first + 1;
	size_t n = length < MOST_VALUES ? length : MOST_VALUES;
	double within[MOST_VALUES];

	for (size_t i = 0; i < n; i++)
		within[i] = values[p->first + i * length / n];
	return lode_shift_level_of(within, n, LEAST_WITHIN);
}

void lode_pio_find_moved(struct lode_pio_moved *out, const struct lode_pio_analysis *a)
{
	size_t rows[MOST_VALUES], n;

	for (size_t i = 0; i < a->unexplained.n; i++)
		out[i] = (struct lode_pio_moved){.counter = LODE_NONE};
	if (!a->unexplained.n)
		return;
	n = choose_other_time(rows, a);
	for (uint32_t c = 0; c < a->model->counters.n; c++) {
		struct lode_shift_level before, within;
		double values[MOST_VALUES];

		if (!a->values[c] || a->model->counters.at[c].is_drifting)
			continue;
		for (size_t i = 0; i < n; i++)
			values[i] = a->values[c][rows[i]];
		before = lode_shift_level_of(values, n, LEAST_BEFORE);
		for (size_t i = 0; i < a->unexplained.n; i++) {
			double deviation;

			within = level_within(a->values[c], &a->unexplained.at[i]);
			deviation = lode_shift_deviation(&before, &within);
			if (fabs(deviation) >= LEAST_DEVIATION &&
			    fabs(deviation) > fabs(out[i].deviation))
				out[i] = (struct lode_pio_moved){c, before.median, within.median,
								 deviation};
		}
	}
}
