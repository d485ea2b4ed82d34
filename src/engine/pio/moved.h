/*
 * Which counter moved most in a slow period that the model does not explain: its deviation from
 * all other time, as in shifts.h, is the largest. That is no diagnosis, but where to look first.
 */
#pragma once

#include "engine/pio/analyse.h"

struct lode_pio_moved {
	uint32_t counter;      /* of the model; LODE_NONE: none by half of its range */
	double before, within; /* medians */
	double deviation;
};

/* One for each of the analysis' `unexplained`. Counters that drifted in training do not count. Of
   many intervals some are looked at, evenly spread: O(counters * (intervals + periods)). */
void lode_pio_find_moved(struct lode_pio_moved *out, const struct lode_pio_analysis *analysis);
