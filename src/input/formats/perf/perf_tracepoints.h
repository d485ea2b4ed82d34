/*
 * The tracepoint formats that a recording carries (its "tracing data"): name and payload offsets
 * of its tracepoint events. libtraceevent reads the format texts; the samples never meet it.
 */
#pragma once

#include "base/error.h"
#include "input/formats/perf/perf_event.h"

/*
 * Sets `tracepoint` and `payload` of the events whose formats are in `data`. Formats that cannot be
 * read leave their events without a name. Fails when the container itself is damaged; what was
 * found before the damage holds.
 */
int lode_perf_tracepoints_read(struct lode_perf_events *events, struct lode_bytes data,
			       const char *path, struct lode_error *err);
