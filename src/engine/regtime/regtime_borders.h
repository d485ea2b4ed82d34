/*
 * Where other threads' outliers begin and end ([REGTIME24] §7.6).
 */
#pragma once

#include "engine/regtime/regtime.h"
#include "engine/regtime/regtime_walk.h"

struct lode_regtime_border {
	int64_t t_ns;
	size_t thread;
	uint32_t clock; /* of the thread: others have borders of their own */
};

struct lode_regtime_borders {
	LODE_VEC(struct lode_regtime_border) at; /* by time, once sorted */
};

/* From the long calls of thread `index`. */
void lode_regtime_borders_add(struct lode_regtime_borders *borders, size_t index,
			      const struct lode_regtime_thread *thread,
			      const lode_call_vec *outliers);
/* Moves all of `from`, which is empty then. */
void lode_regtime_borders_take(struct lode_regtime_borders *to, struct lode_regtime_borders *from);
void lode_regtime_borders_sort(struct lode_regtime_borders *borders);
void lode_regtime_borders_release(struct lode_regtime_borders *borders);

/*
 * The borders that the expressions of thread `index` end at. LIMIT: where there are more than
 * LODE_REGTIME_MAX_BORDERS within the thread's time, those closer than that part of its time to the
 * one before are left out: thousands of borders would make as many glyphs.
 */
enum { LODE_REGTIME_MAX_BORDERS = 1000 };
void lode_regtime_borders_of(lode_border_vec *out, const struct lode_regtime_borders *borders,
			     size_t index, const struct lode_regtime_thread *thread);
