/*
 * Two times of the same counters, compared: which service changed most, in which of its counters.
 *
 *   before |~~~~~~~ range ~~~~~~~|   after |======|     deviation = shift / range
 *              median ------------- shift ->  median
 *
 * A counter's shift is that of its median, of running medians over 5 values, so that a few odd
 * values of either time change nothing. It is measured in what the counter did before: its range
 * (0.5th to 99.5th percentile), but at least one step of it and 5 % of its level. So a trend that
 * goes on for as long again is a deviation of 1, and so is a slow wave. The evidence of a counter
 * is the logarithm of its deviation, if above 1; of a fall, half of that, since what is behind a
 * slow service receives less; of a service, its three largest.
 *
 * How much evidence nothing at all has is seen in the time before, half against half, in both
 * directions: a service stands out with half as much again, and at least SHIFT_LEAST.
 *
 * Counters of a service are ordered by deviations without the 5 %: a shift of 3 % of a counter that
 * never moved says more of what is wrong in there than one of 300 % of a noisy one.
 */
#pragma once

#include "base/mem.h"

/* What a counter did for a while. */
struct lode_shift_level {
	double median, range, step; /* median NaN: too few values */
	size_t n;
};
/* Sorts the n values, of which NaN are dropped. */
struct lode_shift_level lode_shift_level_of(double *values, size_t n, size_t least);
/* Of a counter that is no total; 0 without values. */
double lode_shift_deviation(const struct lode_shift_level *before,
			    const struct lode_shift_level *after);

struct lode_shift_series {
	const char *service, *counter; /* borrowed */
	const double *before, *after;  /* NaN: missing */
	size_t n_before, n_after;
};

struct lode_shift_counter {
	uint32_t at;	      /* the series */
	double before, after; /* medians; of totals, of their steps */
	double deviation;     /* below 0: it fell */
	double sharpness;     /* the same without the share of the level */
	double evidence;
	size_t since;  /* of `after`: where it began */
	bool is_total; /* it only grows: its steps were compared */
};

struct lode_shift_service {
	const char *name;
	double evidence, confidence; /* confidence: 0..1 */
	size_t since;
	LODE_VEC(struct lode_shift_counter) counters; /* those with evidence, sharpest first */
};

struct lode_shifts {
	LODE_VEC(struct lode_shift_service) services; /* all, by evidence, then name */
	double natural; /* evidence of the time before, half against half */
	double bound;
	bool stands_out;
	size_t n_compared; /* series with enough values on both sides */
};

/* One service calls another. */
struct lode_shift_edge {
	const char *caller, *callee; /* borrowed */
};
typedef LODE_VEC(struct lode_shift_edge) lode_shift_edges;

/*
 * A service is slow because one that it calls is: the first service gives way to the one with most
 * evidence of those it calls, if that stands out, too, and has at least half as much; then that one
 * to those it calls.
 */
void lode_shifts_give_way(struct lode_shifts *shifts, const lode_shift_edges *edges);

/* Series of one service stand together. The order of services and series changes nothing. */
void lode_shifts_build(struct lode_shifts *out, const struct lode_shift_series *series, size_t n,
		       unsigned n_threads);
void lode_shifts_release(struct lode_shifts *shifts);
