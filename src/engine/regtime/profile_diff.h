/*
 * The profiles of two traces, function by function: where the time differs, and whether the calls
 * themselves take longer.
 *
 *   this trace   lock  12 calls, self 30 ms       other   lock  12 calls, self 4 ms     + 26 ms
 *                read   9 calls, self  2 ms               read  90 calls, self 20 ms    - 18 ms
 *
 * Whether calls take longer is a test of ranks (Mann and Whitney): of all pairs of a call here and
 * a call there, the share in which the one here takes longer; half of those that are equal counts.
 * Durations are compared in buckets of 1/32 of an octave (model/call_spread.h): what differs by
 * less is equal. Functions are the same if their full names are.
 */
#pragma once

#include "engine/regtime/profile.h"

enum { LODE_PROFILE_TESTED = 8 }; /* calls that a test needs on each side */

struct lode_profile_change {
	const struct lode_profile_row *here, *there; /* NULL: not called */
	int64_t self_ns;			     /* here, less there */
	double longer; /* share of pairs; NaN: too few calls, or not called on one side */
	double log_p;  /* of such a share by chance, either way; NaN as above */
};

struct lode_profile_diff {
	/* By difference of self time, largest first; then by name. */
	LODE_VEC(struct lode_profile_change) rows;
};

struct lode_profile_side {
	struct lode_call_trace *trace;
	const struct lode_profile *profile; /* of the whole trace */
};

int lode_profile_diff_make(struct lode_profile_diff *out, const struct lode_profile_side *here,
			   const struct lode_profile_side *there, struct lode_error *err);
void lode_profile_diff_release(struct lode_profile_diff *diff);
