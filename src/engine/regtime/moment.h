/*
 * What a thread did at one moment: its stack, call by call, and the item of its timeline.
 */
#pragma once

#include "engine/regtime/regtime.h"
#include "model/call_cursor.h"

struct lode_moment {
	size_t thread;
	int64_t t_ns;
	lode_call_vec open; /* outermost first */
	/* The innermost item that holds the moment, or NULL: nothing was called. */
	const struct lode_regtime_item *item;
	int64_t t0_ns, t1_ns; /* of the item, or of the time in which nothing was called */
};

int lode_moment_find(struct lode_moment *out, const struct lode_regtime *regtime, size_t thread,
		     int64_t t_ns, struct lode_error *err);
void lode_moment_release(struct lode_moment *moment);
