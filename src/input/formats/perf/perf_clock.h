/*
 * Impossible times of a recording, repaired batch by batch, in order of the file, before records
 * are merged by time (model/clock_guard.h). perf copies one CPU's buffer after the other, so times
 * jump back within a round; by a day they never do.
 */
#pragma once

#include "model/clock_guard.h"
#include "input/formats/perf/perf_batch.h"

/* `{ 0 }` before the first batch. */
struct lode_perf_clock {
	struct lode_clock_guard guard;
	LODE_VEC(struct lode_perf_segment) segments; /* scratch */
};

/*
 * Repairs the batch's times, its segments with them; each wrong one, and where the clock was set,
 * is counted in its losses (LODE_LOSS_CLOCK_JUMP), with the place of the block. Looks at the ends
 * of stretches alone where nothing is odd. The first batch's middle time says what the clock is.
 */
void lode_perf_clock_mend(struct lode_perf_clock *clock, struct lode_perf_batch *batch);
void lode_perf_clock_release(struct lode_perf_clock *clock);
