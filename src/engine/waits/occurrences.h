/*
 * Occurrences: the runs on the CPU, and the stays off it, of a symptom's thread, numbered.
 *
 *   thread       |run|run|~ wait ~|ready|run|~ wait ~|ready|      time -->
 *   occurrence   |   0   |      1       | 2 |      3       |
 *
 * All that happened meanwhile, in whichever threads, is a part of the occurrence. Waits that were
 * taken up again after a time-out are one stay (model/rearmed.h); the runs between them, in which
 * the thread looked for what it waited for, are runs.
 */
#pragma once

#include "model/stream.h"

struct lode_occurrences {
	/* Set by lode_occurrences_enter: number of the occurrence at hand, from 0; LODE_NONE before
	   the first one. */
	uint32_t at;

	uint32_t n;
	bool is_running;
	const struct lode_events *events; /* of the symptom's thread */
	/* The last wait that was to be taken up again, and its number; LODE_NONE: there is none. */
	uint32_t rearmed, rearmed_number;
};

void lode_occurrences_start(struct lode_occurrences *o, const struct lode_events *events);
/* The thread goes on with an event, or with more of the same; LODE_NONE: with time of which it has
   none, which is off the CPU. In order of time. */
void lode_occurrences_enter(struct lode_occurrences *o, uint32_t event);
