/*
 * Metrics of the critical path: what a symptom's time was spent on, stretch by stretch.
 *
 *   critical:running    somebody ran        critical:preempted   ready, without a CPU
 *   critical:blocked    nobody ran: waited for a device, a timer, or what was not recorded
 *
 * The stack is that of the thread in which the path then was (engine/waits/critpath.h).
 */
#pragma once

#include "engine/suspects/collect.h"
#include "model/stream.h"
#include "model/symptom.h"

/* Appends them to the collector's stream, which `stream` is. Without switches there are none. */
void lode_suspects_critical(struct lode_collect *collect, const struct lode_stream *stream,
			    const struct lode_symptom *symptoms, size_t n_symptoms);
