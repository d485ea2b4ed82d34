/*
 * Where intervals of time stand on a grid: one after the other, and of long pauses only a part.
 *
 *   interval   5000 5001 5002  ...                9000 9001
 *   place         0    1    2  [empty ones kept]    n-2  n-1     a pause before n-2
 *
 * So a grid is as long as what was sampled, not as the time from the first sample to the last.
 */
#pragma once

#include "base/sorted.h"

/* The interval, counted from the epoch, that a time lies in. */
static inline int64_t lode_interval_of(int64_t t_ns, int64_t step_ns)
{
	return t_ns / step_ns - (t_ns % step_ns < 0);
}

/* Intervals that stand at no place. */
struct lode_interval_pause {
	int64_t at;	    /* the place that they would stand before; rising */
	int64_t n_left_out; /* of this pause and all before it */
};
typedef LODE_VEC(struct lode_interval_pause) lode_interval_pauses;

/* The interval at a place, place 0 being `first`; also of the place behind the last. */
static inline int64_t lode_interval_at(const lode_interval_pauses *pauses, int64_t first,
				       size_t place)
{
	size_t n = lode_sorted_up_to(pauses->at, pauses->n, sizeof(*pauses->at), (int64_t)place);

	return first + (int64_t)place + (n ? pauses->at[n - 1].n_left_out : 0);
}

/* The place of an interval on a grid of n; SIZE_MAX: it is left out, or outside. */
static inline size_t lode_interval_place(const lode_interval_pauses *pauses, int64_t first,
					 size_t n, int64_t interval)
{
	int64_t distance = interval - first, place;
	size_t low = 0, high = pauses->n;

	if (distance < 0)
		return SIZE_MAX;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct lode_interval_pause *p = &pauses->at[mid];

		if (p->at + p->n_left_out <= distance)
			low = mid + 1;
		else
			high = mid;
	}
	place = distance - (low ? pauses->at[low - 1].n_left_out : 0);
	if (place >= (low < pauses->n ? pauses->at[low].at : (int64_t)n))
		return SIZE_MAX;
	return (size_t)place;
}
