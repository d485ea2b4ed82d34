/*
 * The readable axis of time: regular stretches are narrow there, outliers and gaps are wide.
 *
 *   linear     |ab|ab|ab|ab|ab|ab|ab|ab|##|ab|ab|ab|ab|ab|
 *   readable   |abababababababab|##########|ababababab|
 *
 * The glyphs of NonSequitur have a least width each, so that every thread has an axis of its own
 * and nothing stands above what happened at its time ([REGTIME24] §4.4, §8.1). Here all threads
 * share one axis: a part of the width goes by time; the rest is dealt out to outliers, gaps and
 * expressions, each of a kind the same, spread over its own time. So time never runs backwards,
 * never stands still, and what happened at once stands at one place.
 */
#pragma once

#include "engine/regtime/regtime.h"

enum {
	LODE_AXIS_WIDTH = 1000000, /* of the whole axis */
	/* LIMIT: with more borders than this, only every n-th is a knot: in between, what was dealt
	   out is spread evenly. */
	LODE_AXIS_MAX_KNOTS = 1500,
};

/* Between two knots the axis is linear. */
struct lode_axis_knot {
	int64_t t_ns;
	int32_t x; /* 0 to LODE_AXIS_WIDTH, never falling */
};

struct lode_readable_axis {
	LODE_VEC(struct lode_axis_knot) knots; /* the first at t0, the last at t1 > t0 */
};

/* Over [t0, t1), from the items of all threads that were compressed. */
void lode_readable_axis_make(struct lode_readable_axis *axis, const struct lode_regtime *regtime,
			     int64_t t0_ns, int64_t t1_ns);
void lode_readable_axis_release(struct lode_readable_axis *axis);
