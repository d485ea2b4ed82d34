/*
 * Streams opened against coverage reached, in each order: Figure 4 of the StackMine paper.
 *
 *   opened     best   random   total    max         reached   best   random   total   max
 *   1           54 %     30 %    22 %   22 %         50 %         1        3       4     4
 *   2           81 %     45 %    31 %   40 %         75 %         2        6       9     8
 */
#pragma once

#include "engine/order/order.h"

/* The first three are enum lode_order_kind. */
enum { LODE_CURVE_RANDOM = LODE_ORDER_MAX + 1, LODE_N_CURVES };

/* One line of the figure's table: how many streams each order needs to reach so much. */
struct lode_curve_level {
	double share; /* of all symptom time */
	double covered_ns;
	size_t needed[LODE_N_CURVES];
};

struct lode_order_curves {
	size_t n;			   /* streams that were not opened */
	double *covered_ns[LODE_N_CURVES]; /* after 0 .. n of them; of random, the expectation */
	int64_t symptom_ns;		   /* of all streams */
	/* At each tenth of symptom time beyond what is covered from the start, and at the end. */
	LODE_VEC(struct lode_curve_level) levels;
	/* Mean over the levels of what the best order needs, as a share of what this one needs. */
	double best_share[LODE_N_CURVES];
};

void lode_order_curves_build(struct lode_order_curves *out, const struct lode_order_input *input);
void lode_order_curves_release(struct lode_order_curves *curves);
