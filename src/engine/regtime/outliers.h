/*
 * The calls that RegTime keeps as they are, as outliers of their functions (task T2 of the thesis).
 */
#pragma once

#include "engine/regtime/regtime.h"

struct lode_outlier {
	size_t thread; /* of the trace */
	uint32_t stack, function, depth;
	int64_t start_ns, duration_ns;
	double times_median;
};

/* How unusual a length is: as a multiple of the median of its function, which counts as 1 ns if it
 * is 0. */
static inline double lode_times_median(int64_t duration_ns, int64_t median_ns)
{
	return (double)duration_ns / (double)(median_ns > 0 ? median_ns : 1);
}

/* One function's outliers. */
struct lode_outlier_group {
	uint32_t function;
	size_t first, n;    /* in `at` */
	size_t n_threads;   /* that have some */
	size_t last_thread; /* of these */
	uint64_t total_ns;  /* of the outliers */
	/* What they cost beyond their medians, times how unusual they are: the longest as a
	   multiple of the median, but no more than calls to each long one. Few calls say little. */
	double weight;
};

struct lode_outliers {
	/* By group; in a group the longest first, then by start. */
	LODE_VEC(struct lode_outlier) at;
	/* By weight, then by the longest. */
	LODE_VEC(struct lode_outlier_group) groups;
};

void lode_outliers_find(struct lode_outliers *out, const struct lode_regtime *regtime);
void lode_outliers_release(struct lode_outliers *outliers);
