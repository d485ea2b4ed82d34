/*
 * One thread's calls -> items and nodes of RegTime.
 */
#pragma once

#include "engine/regtime/regtime.h"
#include "model/call_cursor.h"

/* Times at which expressions end, rising, each once. */
typedef LODE_VEC(int64_t) lode_border_vec;

/* The calls of a window: those that begin in it, [from, to), and those that are open when it does.
 */
struct lode_regtime_range {
	uint64_t from, to;
	lode_call_vec open; /* outermost first */
};

/* `is_all`: of the whole thread. Needs no stacks: the cursor may have been moved for times alone.
 */
int lode_regtime_range_find(struct lode_regtime_range *range, struct lode_call_cursor *cursor,
			    int64_t t0_ns, int64_t t1_ns, bool is_all);

/*
 * Fills items, nodes, counts and functions of `out`, whose thread, t0, t1 and thresholds are set,
 * from the range of these. Blocks and wider spans of calls that an expression takes in as a whole
 * are taken in by their sums.
 */
int lode_regtime_walk(struct lode_regtime_thread *out, struct lode_call_cursor *cursor,
		      const struct lode_regtime_range *range, const lode_border_vec *borders,
		      const struct lode_regtime_options *options);
