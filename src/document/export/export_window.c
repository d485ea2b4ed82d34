/* Exports what lies in a window of time as trace events. */
#include "document/export/export_stacks.h"
#include "document/export/export_trace.h"

#include "base/sorted.h"

/* Beyond the largest pid of Linux (2^22): a process of its own for the path, the first one shown.
 */
static const struct lode_trace_track path_track = {(1 << 22) + 1, (1 << 22) + 1};

struct writer {
	const struct lode_export_window *window;
	const struct lode_lanes *lanes;
	struct lode_json *json;
	lode_export_path path;
};

static struct lode_trace_track track_of(const struct lode_thread_lane *lane)
{
	return (struct lode_trace_track){lane->pid, lane->tid};
}

static const char *comm_of(const struct writer *w, uint32_t lane)
{
	return lane == LODE_NONE ? "a thread without a track"
				 : w->lanes->tree.strings.text.at[w->lanes->lanes.at[lane].comm];
}

/* ---- Who is who ---- */

static bool is_first_of_process(const struct lode_lanes *lanes, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (lanes->lanes.at[k].pid == lanes->lanes.at[i].pid)
			return false;
	return true;
}

/* A process has the name of its main thread, if the path passes through that. */
static uint32_t process_name(const struct lode_lanes *lanes, int32_t pid, size_t first)
{
	for (size_t i = first; i < lanes->lanes.n; i++)
		if (lanes->lanes.at[i].pid == pid && lanes->lanes.at[i].tid == pid)
			return (uint32_t)i;
	return (uint32_t)first;
}

static void put_names(struct writer *w)
{
	const struct lode_lanes *lanes = w->lanes;

	lode_trace_name(w->json, "process_name", path_track, "critical path");
	lode_trace_sort(w->json, "process_sort_index", path_track, -1);
	lode_trace_name(w->json, "thread_name", path_track,
			lanes->lanes.n ? comm_of(w, 0) : "critical path");
	for (size_t i = 0; i < lanes->lanes.n; i++) {
		struct lode_trace_track track = track_of(&lanes->lanes.at[i]);

		if (is_first_of_process(lanes, i)) {
			lode_trace_name(w->json, "process_name", track,
					comm_of(w, process_name(lanes, track.pid, i)));
			lode_trace_sort(w->json, "process_sort_index", track, (int64_t)i);
		}
		lode_trace_name(w->json, "thread_name", track, comm_of(w, (uint32_t)i));
		lode_trace_sort(w->json, "thread_sort_index", track, (int64_t)i);
	}
}

/* ---- Slices ---- */

/* "run", "ready", "wait lock" */
static const char *state_name(char *buffer, size_t size, unsigned kind, unsigned reason)
{
	const char *name = lode_event_kind_name((enum lode_event_kind)kind);

	if (kind != LODE_EVENT_WAITING)
		return name;
	snprintf(buffer, size, "%s %s", name, lode_wait_reason_name((enum lode_wait_reason)reason));
	return buffer;
}

/* Colours that chrome://tracing has for this; others choose their own. */
static const char *colour(unsigned kind, unsigned reason)
{
	if (kind == LODE_EVENT_RUNNING)
		return "thread_state_running";
	if (kind == LODE_EVENT_READY)
		return "thread_state_runnable";
	return reason == LODE_REASON_DISK || reason == LODE_REASON_FAULT ? "thread_state_iowait"
									 : "thread_state_sleeping";
}

static void put_stack(struct writer *w, uint32_t stack)
{
	char name[LODE_EXPORT_NAME_BYTES];

	if (!stack)
		return;
	lode_export_path_of(&w->path, &w->lanes->tree, stack);
	lode_json_array(w->json, "stack");
	for (size_t i = 0; i < w->path.n; i++)
		lode_json_text(w->json, NULL,
			       lode_export_name(name, &w->lanes->tree, w->path.at[i]));
	lode_json_end_array(w->json);
}

static void put_span(struct writer *w, const struct lode_lane_span *span)
{
	char state[32], comm[LODE_EXPORT_NAME_BYTES], name[LODE_EXPORT_NAME_BYTES + 40];

	lode_export_text(comm, comm_of(w, span->lane));
	snprintf(name, sizeof(name), "%s: %s", comm,
		 state_name(state, sizeof(state), span->kind, span->reason));
	lode_trace_event(w->json, "X", name, path_track, span->start_ns - w->lanes->t0_ns);
	lode_json_microseconds(w->json, "dur", span->end_ns - span->start_ns);
	lode_json_text(w->json, "cat", "critical path");
	lode_json_text(w->json, "cname", colour(span->kind, span->reason));
	lode_json_object(w->json, "args");
	lode_json_text(w->json, "thread", comm);
	if (span->lane != LODE_NONE)
		lode_json_int(w->json, "tid", w->lanes->lanes.at[span->lane].tid);
	if (span->device)
		lode_json_text(w->json, "device", lode_device_name((enum lode_device)span->device));
	if (span->merged > 1)
		lode_json_int(w->json, "merged", span->merged);
	put_stack(w, span->stack);
	lode_json_end_object(w->json);
	lode_json_end_object(w->json);
}

static void put_lane_event(struct writer *w, struct lode_trace_track track,
			   const struct lode_lane_event *event)
{
	char state[32];

	lode_trace_event(w->json, "X", state_name(state, sizeof(state), event->kind, event->reason),
			 track, event->start_ns - w->lanes->t0_ns);
	lode_json_microseconds(w->json, "dur", event->end_ns - event->start_ns);
	lode_json_text(w->json, "cat", lode_event_kind_name((enum lode_event_kind)event->kind));
	lode_json_text(w->json, "cname", colour(event->kind, event->reason));
	if (event->stack) {
		lode_json_object(w->json, "args");
		put_stack(w, event->stack);
		lode_json_end_object(w->json);
	}
	lode_json_end_object(w->json);
}

/* ---- Who woke whom ---- */

static bool ends_before(const void *event, const void *t_ns)
{
	return ((const struct lode_lane_event *)event)->end_ns <= *(const int64_t *)t_ns;
}

/* An arrow needs a slice at both of its ends: where one was not recorded, the wake is a mark. */
static bool has_slice(const struct lode_thread_lane *lane, int64_t t_ns)
{
	size_t i = lode_sorted_before(lane->events.at, lane->events.n, sizeof(*lane->events.at),
				      &t_ns, ends_before);

	return i < lane->events.n && lane->events.at[i].start_ns <= t_ns;
}

static void put_mark(struct writer *w, const struct lode_lane_wake *wake)
{
	const struct lode_thread_lane *to = &w->lanes->lanes.at[wake->to];
	char comm[LODE_EXPORT_NAME_BYTES], name[LODE_EXPORT_NAME_BYTES + 40];

	if (wake->from == LODE_NONE)
		snprintf(name, sizeof(name), "woken by a device");
	else
		snprintf(name, sizeof(name), "woken by %s",
			 lode_export_text(comm, comm_of(w, wake->from)));
	lode_trace_event(w->json, "i", name, track_of(to), wake->t_ns - w->lanes->t0_ns);
	lode_json_text(w->json, "cat", "wake");
	lode_json_text(w->json, "s", "t");
	lode_json_end_object(w->json);
}

static void put_arrow(struct writer *w, const struct lode_lane_wake *wake, int64_t id)
{
	const struct lode_thread_lane *from = &w->lanes->lanes.at[wake->from];
	const struct lode_thread_lane *to = &w->lanes->lanes.at[wake->to];
	int64_t t_ns = wake->t_ns - w->lanes->t0_ns;

	lode_trace_event(w->json, "s", "wake", track_of(from), t_ns);
	lode_json_text(w->json, "cat", "wake");
	lode_json_int(w->json, "id", id);
	lode_json_end_object(w->json);
	lode_trace_event(w->json, "f", "wake", track_of(to), t_ns);
	lode_json_text(w->json, "cat", "wake");
	lode_json_int(w->json, "id", id);
	lode_json_text(w->json, "bp", "e"); /* ends at the slice it is in, not at the next one */
	lode_json_end_object(w->json);
}

static void put_wakes(struct writer *w)
{
	const struct lode_lanes *lanes = w->lanes;

	for (size_t i = 0; i < lanes->wakes.n; i++) {
		const struct lode_lane_wake *wake = &lanes->wakes.at[i];

		if (wake->from != LODE_NONE &&
		    has_slice(&lanes->lanes.at[wake->from], wake->t_ns) &&
		    has_slice(&lanes->lanes.at[wake->to], wake->t_ns))
			put_arrow(w, wake, (int64_t)i + 1);
		else
			put_mark(w, wake);
	}
}

/* ---- The file ---- */

static void put_about(struct writer *w)
{
	const struct lode_export_window *window = w->window;
	char text[LODE_EXPORT_NAME_BYTES];

	lode_json_text(w->json, "exporter", "lode");
	lode_json_text(w->json, "title", window->title);
	lode_json_text(w->json, "stream", lode_export_text(text, window->stream));
	lode_json_id(w->json, "cluster", window->cluster_id);
	lode_json_int(w->json, "pid", window->pid);
	lode_json_int(w->json, "tid", window->tid);
	/* As texts: more digits than a double has. */
	snprintf(text, sizeof(text), "%lld", (long long)w->lanes->t0_ns);
	lode_json_text(w->json, "t0_ns", text);
	snprintf(text, sizeof(text), "%lld", (long long)w->lanes->t1_ns);
	lode_json_text(w->json, "t1_ns", text);
	lode_json_int(w->json, "threads", (int64_t)w->lanes->n_threads);
}

int lode_export_window(FILE *out, const void *what, struct lode_error *err)
{
	const struct lode_export_window *window = what;
	struct writer w = {.window = window, .lanes = window->lanes, .json = lode_trace_open(out)};

	(void)err;
	put_about(&w);
	lode_trace_events(w.json);
	put_names(&w);
	for (size_t i = 0; i < w.lanes->spans.n; i++)
		put_span(&w, &w.lanes->spans.at[i]);
	for (size_t i = 0; i < w.lanes->lanes.n; i++) {
		const struct lode_thread_lane *lane = &w.lanes->lanes.at[i];

		for (size_t k = 0; k < lane->events.n; k++)
			put_lane_event(&w, track_of(lane), &lane->events.at[k]);
	}
	put_wakes(&w);
	lode_trace_close(w.json);
	lode_vec_release(&w.path);
	return LODE_OK;
}
