/*
 * The calls that RegTime keeps as they are, as outliers of their functions (task T2 of the thesis).
 */
#pragma once

#include "engine/regtime/regtime.h"

struct lode_outlier {
	size_t thread; /* of the trace */
	uint32_t stack, function, depth;
	int64_t start_ns, duration_ns;
	double times_median; /* of its function; of a median of 0, of 1 ns */
};

/* One function's outliers. */
struct lode_outlier_group {
	uint32_t function;
	size_t first, n;    /* in `at` */
	size_t n_threads;   /* that have some */
	size_t last_thread; /* of these */
	uint64_t total_ns;  /* of the outliers */
};

struct lode_outliers {
	/* By group; in a group the longest first, then by start. */
	LODE_VEC(struct lode_outlier) at;
	/* Most out of the ordinary first: by times the median of the longest. */
	LODE_VEC(struct lode_outlier_group) groups;
};

void lode_outliers_find(struct lode_outliers *out, const struct lode_regtime *regtime);
void lode_outliers_release(struct lode_outliers *outliers);
