/*
 * Names for the places of a recording, and nodes of the call tree for its raw stacks.
 *
 * Each distinct place is asked for once, per module, modules in parallel.
 */
#pragma once

#include "input/symbols/function_addresses.h"
#include "model/stream.h"
#include "input/formats/perf/perf_dsos.h"
#include "input/formats/perf/perf_stacks.h"

/*
 * Fills the stream's call tree, stack flags and modules (without their costs). Gives raw stack ->
 * node, from malloc, one entry per raw stack. `dsos` have been opened. `addresses`: the function to
 * take apart, or NULL.
 */
uint32_t *lode_perf_resolve(struct lode_stream *stream, const struct lode_perf_stacks *stacks,
			    const struct lode_perf_dsos *dsos,
			    struct lode_function_addresses *addresses, unsigned n_threads);

/* Shares the costs of the finished stream's events out to the modules of their stacks. */
void lode_perf_cost_modules(struct lode_stream *stream);
/* A loss, if much of the finished stream's cost lacks callers that frame pointers skipped. */
void lode_perf_note_skipped(struct lode_stream *stream);
