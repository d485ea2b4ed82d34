/* Writes trace events for Perfetto and chrome://tracing. */
#include "document/export/export_trace.h"

#include "document/export/export_stacks.h"

struct lode_json *lode_trace_open(FILE *out)
{
	struct lode_json *json = lode_json_open_plain(out);

	lode_json_text(json, "displayTimeUnit", "ns");
	lode_json_object(json, "otherData");
	return json;
}

void lode_trace_events(struct lode_json *json)
{
	lode_json_end_object(json);
	lode_json_array(json, "traceEvents");
}

void lode_trace_close(struct lode_json *json)
{
	lode_json_end_array(json);
	lode_json_close(json);
}

static void begin_export_trace(struct lode_json *json, const char *ph, const char *name,
			       struct lode_trace_track track)
{
	lode_json_break(json);
	lode_json_object(json, NULL);
	lode_json_text(json, "ph", ph);
	if (name)
		lode_json_text(json, "name", name);
	lode_json_int(json, "pid", track.pid);
	lode_json_int(json, "tid", track.tid);
}

void lode_trace_event(struct lode_json *json, const char *ph, const char *name,
		      struct lode_trace_track track, int64_t t_ns)
{
	begin_export_trace(json, ph, name, track);
	lode_json_microseconds(json, "ts", t_ns);
}

void lode_trace_name(struct lode_json *json, const char *what, struct lode_trace_track track,
		     const char *name)
{
	char text[LODE_EXPORT_NAME_BYTES];

	begin_export_trace(json, "M", what, track);
	lode_json_object(json, "args");
	lode_json_text(json, "name", lode_export_text(text, name));
	lode_json_end_object(json);
	lode_json_end_object(json);
}

void lode_trace_sort(struct lode_json *json, const char *what, struct lode_trace_track track,
		     int64_t index)
{
	begin_export_trace(json, "M", what, track);
	lode_json_object(json, "args");
	lode_json_int(json, "sort_index", index);
	lode_json_end_object(json);
	lode_json_end_object(json);
}
