/*
 * What a recording holds of its own making: frames of tracers, and the threads that record.
 *
 *   switch   main > read > schedule > __schedule > __traceiter_sched_switch
 *            taken as main > read > schedule > __schedule
 *   sample   main > read > schedule > __schedule > perf_trace_sched_switch > memcpy
 *            taken as [recording]
 *
 * A tracepoint's stack ends in whatever calls the tracer: no function of the program or of the
 * kernel's own. CPU time in tracing code, and waits in it, are the recording's.
 */
#pragma once

#include "model/frame.h"

struct lode_stream;

/* Module of the one frame that stands for time spent on recording. */
#define LODE_RECORDING_MODULE "[recording]"

/* Per node of a call tree. */
struct lode_tracers {
	uint32_t *event;  /* its stack as that of an event: without tracers at the leaf */
	uint32_t *sample; /* and as that of a CPU sample: in tracing code, `[recording]` */
};

/* May add the node `[recording]` to `tree`. O(frames + nodes). */
void lode_tracers_find(struct lode_tracers *out, struct lode_calltree *tree);
void lode_tracers_release(struct lode_tracers *tracers);

/* The node of `[recording]`, LODE_NONE if the tree has none. O(nodes). */
uint32_t lode_tracers_recording(const struct lode_calltree *tree);

/*
 * Marks and names the threads of the recorder, perf and lode's own, which are none of the
 * recorded command: lode_thread.is_recorder. After commands and titles are known.
 */
void lode_tracers_name_recorder(struct lode_stream *stream);
