/*
 * Own times of kept calls: without their callees, kept or in expressions.
 */
#pragma once

#include "engine/regtime/regtime.h"

/* Of a call that begins before its window or ends behind it: not all its callees are there. */
#define LODE_OWN_UNKNOWN INT64_MIN

/* Sets out[i] for each item of the thread that is a call, and leaves the others 0. Exact. */
void lode_regtime_own(int64_t *out, const struct lode_regtime_thread *thread);
