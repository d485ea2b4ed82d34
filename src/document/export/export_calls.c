/* Exports the calls of a trace as trace events. */
#include "model/call_cursor.h"
#include "document/export/export_stacks.h"
#include "document/export/export_trace.h"

struct writer {
	const struct lode_export_calls *calls;
	struct lode_json *json;
	struct lode_call_cursor cursor;
};

static struct lode_trace_track track_of(const struct lode_call_thread *thread)
{
	return (struct lode_trace_track){thread->pid, thread->tid};
}

static void put_call(struct writer *w, const struct lode_call_thread *thread,
		     const struct lode_call *call)
{
	const struct lode_call_trace *trace = w->calls->trace;
	uint32_t function = lode_call_function(thread, call->stack);
	const char *module = lode_frame_module(&trace->functions, function);
	char name[LODE_EXPORT_NAME_BYTES];

	lode_trace_event(w->json, "X", lode_export_name(name, &trace->functions, function),
			 track_of(thread),
			 lode_call_recorded_ns(trace, thread, call->start_ns) - trace->first_ns);
	lode_json_microseconds(w->json, "dur", call->duration_ns);
	if (*module)
		lode_json_text(w->json, "cat", lode_export_text(name, module));
	lode_json_end_object(w->json);
}

/* What is open when the window begins, then what begins in it. */
static int put_thread(struct writer *w, const struct lode_call_thread *thread)
{
	const struct lode_export_calls *calls = w->calls;
	lode_call_vec open = {0};
	struct lode_call_run run;
	uint64_t at;
	int rc;

	lode_call_cursor_move(&w->cursor, thread);
	at = lode_call_find(&w->cursor, calls->t0_ns);
	rc = lode_call_open_at(&open, &w->cursor, at, calls->t0_ns);
	for (size_t i = 0; i < open.n && rc == LODE_OK; i++)
		put_call(w, thread, &open.at[i]);
	lode_vec_release(&open);
	while ((rc = lode_call_cursor_next(&run, &w->cursor, &at, thread->n_calls)) > 0)
		for (size_t i = 0; i < run.n; i++) {
			if (run.at[i].start_ns >= calls->t1_ns)
				return LODE_OK;
			put_call(w, thread, &run.at[i]);
		}
	return rc;
}

static void put_about(struct writer *w)
{
	const struct lode_call_trace *trace = w->calls->trace;
	char text[LODE_EXPORT_NAME_BYTES];

	lode_json_text(w->json, "exporter", "lode");
	lode_json_text(w->json, "trace", lode_export_text(text, trace->path));
	/* As a text: more digits than a double has. */
	snprintf(text, sizeof(text), "%lld", (long long)trace->first_ns);
	lode_json_text(w->json, "t0_ns", text);
}

int lode_export_calls(FILE *out, const void *what, struct lode_error *err)
{
	const struct lode_export_calls *calls = what;
	struct lode_call_trace *trace = calls->trace;
	struct writer w = {.calls = calls, .json = lode_trace_open(out)};
	int rc = LODE_OK;

	put_about(&w);
	lode_trace_events(w.json);
	lode_call_cursor_init(&w.cursor, trace, NULL);
	for (size_t i = 0; i < trace->threads.n && rc == LODE_OK; i++) {
		const struct lode_call_thread *thread = trace->threads.at[i];

		if (calls->only && calls->only != thread)
			continue;
		if (*lode_call_thread_name(trace, thread))
			lode_trace_name(w.json, "thread_name", track_of(thread),
					lode_call_thread_name(trace, thread));
		rc = put_thread(&w, thread);
	}
	if (rc < 0 && err)
		*err = w.cursor.err;
	lode_call_cursor_release(&w.cursor);
	lode_trace_close(w.json);
	return rc;
}
