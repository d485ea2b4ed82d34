/*
 * Trace events: the JSON that Perfetto, chrome://tracing and lode itself read (docs/exports.md,
 * docs/formats/chrome-trace.md).
 *
 *   {"displayTimeUnit": "ns", "otherData": {...}, "traceEvents": [
 *   {"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "worker"}},
 *   {"ph": "X", "name": "run", "pid": 1, "tid": 7, "ts": 0.125, "dur": 3.000, ...},
 *   ... ]}
 *
 * An event a line, written as they come. Times are microseconds with all three decimals, counted
 * from where the window begins: those of a clock would not fit into the doubles that readers use.
 * otherData tells when that was.
 */
#pragma once

#include "engine/waits/lanes.h"
#include "model/call_trace.h"
#include "base/json.h"

/* Starts the file; the caller puts members of "otherData", then calls lode_trace_events. */
struct lode_json *lode_trace_open(FILE *out);
void lode_trace_events(struct lode_json *json);
void lode_trace_close(struct lode_json *json);

/* Where an event is shown. */
struct lode_trace_track {
	int32_t pid, tid;
};

/* An untrusted name, made harmless. `what` is "process_name" or "thread_name". */
void lode_trace_name(struct lode_json *json, const char *what, struct lode_trace_track track,
		     const char *name);
/* `what` is "process_sort_index" or "thread_sort_index". */
void lode_trace_sort(struct lode_json *json, const char *what, struct lode_trace_track track,
		     int64_t index);

/*
 * Begins an event of phase `ph`, with its name (harmless; NULL: none) and time; the caller may put
 * members and must end the object.
 */
void lode_trace_event(struct lode_json *json, const char *ph, const char *name,
		      struct lode_trace_track track, int64_t t_ns);

/* ---- The files; both are lode_export_put (export_file.h) ---- */

/*
 * The symptom that a cluster costs most: its critical path, then the threads that it passes
 * through, with what they did, who woke whom, and their stacks.
 */
struct lode_export_window {
	const struct lode_lanes *lanes; /* made with `has_stacks` */
	const char *title;		/* harmless */
	const char *stream;
	uint64_t cluster_id;
	int32_t pid, tid; /* whose symptom it is */
};
int lode_export_window(FILE *out, const void *window, struct lode_error *err);

/* The calls of a function trace that overlap [t0_ns, t1_ns), whole. */
struct lode_export_calls {
	struct lode_call_trace *trace;
	const struct lode_call_thread *only; /* NULL: all threads */
	int64_t t0_ns, t1_ns;
};
int lode_export_calls(FILE *out, const void *calls, struct lode_error *err);
