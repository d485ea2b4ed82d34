#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "reports/info_report.h"
#include "reports/json_parts.h"

/* One text for each line. */
static void put_lacks(struct lode_json *json, const char *lacks)
{
	char *lines = lode_strdup(lacks ? lacks : ""), *rest = lines, *line;

	lode_json_array(json, "bundle_lacks");
	while ((line = strsep(&rest, "\n")))
		if (*line)
			lode_json_text(json, NULL, line);
	lode_json_end_array(json);
	free(lines);
}

static void put_origin(struct lode_json *json, const struct lode_info_report *report)
{
	const struct lode_stream *s = report->stream;

	lode_json_text(json, "path", s->path);
	lode_json_id(json, "id", s->content_hash);
	lode_json_text(json, "format", s->format);
	lode_json_text(json, "unit", s->unit);
	lode_json_text(json, "host", s->host);
	lode_json_text(json, "kernel", s->kernel);
	lode_json_text(json, "arch", s->arch);
	lode_json_int(json, "cpus", s->n_cpus);
	lode_json_text(json, "command", s->command);
	lode_json_int(json, "t0_ns", s->t0_ns);
	lode_json_int(json, "t1_ns", s->t1_ns);
	lode_json_bool(json, "has_wall_clock", s->has_wall_clock);
	lode_json_int(json, "wall_offset_ns", s->has_wall_clock ? s->wall_offset_ns : 0);
	lode_json_int(json, "samples", (int64_t)s->n_samples);
	put_lacks(json, report->lacks);
}

static void put_events(struct lode_json *json, const struct lode_stream *s)
{
	lode_json_object(json, "events");
	for (size_t i = 0; i < s->event_counts.n; i++)
		lode_json_int(json, s->event_counts.at[i].name, (int64_t)s->event_counts.at[i].n);
	lode_json_end_object(json);
	lode_json_array(json, "event_details");
	for (size_t i = 0; i < s->event_counts.n; i++) {
		const struct lode_event_count *e = &s->event_counts.at[i];

		lode_json_object(json, NULL);
		lode_json_text(json, "name", e->name);
		lode_json_int(json, "records", (int64_t)e->n);
		lode_json_int(json, "period", (int64_t)e->period);
		lode_json_int(json, "frequency_hz", (int64_t)e->frequency);
		lode_json_bool(json, "tracepoint", e->is_tracepoint);
		lode_json_bool(json, "callchain", e->has_callchain);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_cost(struct lode_json *json, const struct lode_quality *q)
{
	lode_json_int(json, "threads", (int64_t)q->n_threads);
	lode_json_int(json, "command_threads", (int64_t)q->n_command_threads);
	lode_json_object(json, "cost");
	lode_json_int(json, "wait_ns", q->machine.kind_ns[LODE_EVENT_WAITING]);
	lode_json_int(json, "run_ns", q->machine.kind_ns[LODE_EVENT_RUNNING]);
	lode_json_int(json, "ready_ns", q->machine.kind_ns[LODE_EVENT_READY]);
	lode_json_end_object(json);
}

static void put_losses(struct lode_json *json, const struct lode_losses *losses)
{
	int64_t records = 0;

	for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++) {
		if (k == LODE_LOSS_BAD_RECORD || k == LODE_LOSS_UNDECODABLE)
			records += (int64_t)losses->by_kind[k].count;
	}
	lode_json_object(json, "lost");
	lode_json_int(json, "records", records);
	lode_json_int(json, "events", (int64_t)losses->by_kind[LODE_LOSS_EVENTS].count);
	lode_json_end_object(json);
	lode_json_losses(json, losses, "first", true);
}

static void put_flaws(struct lode_json *json, const struct lode_flaws *f)
{
	lode_json_number(json, "no_stack_pct", lode_part_pct(f->no_stack));
	lode_json_number(json, "unrooted_pct", lode_part_pct(f->unrooted));
	lode_json_number(json, "truncated_pct", lode_part_pct(f->truncated));
	lode_json_number(json, "kernel_only_pct", lode_part_pct(f->kernel_only));
	lode_json_number(json, "unknown_pct", lode_part_pct(f->unknown));
	lode_json_number(json, "leaf_unknown_pct", lode_part_pct(f->leaf_unknown));
	lode_json_number(json, "no_waker_pct", lode_part_pct(f->no_waker));
	lode_json_number(json, "inferred_pct", lode_part_pct(f->inferred));
	lode_json_number(json, "unsampled_pct", lode_part_pct(f->unsampled));
}

static void put_quality(struct lode_json *json, const struct lode_info_report *report)
{
	const struct lode_quality *q = report->quality;
	const struct lode_stream *s = report->stream;
	size_t n = report->top && report->top < s->modules.n ? report->top : s->modules.n;

	lode_json_object(json, "quality");
	put_flaws(json, &q->machine);
	if (q->has_command) {
		lode_json_object(json, "command");
		put_flaws(json, &q->command);
		lode_json_end_object(json);
	}
	lode_json_int(json, "idle_switches_missing",
		      (int64_t)s->losses.by_kind[LODE_LOSS_IDLE_GAP].count);
	lode_json_array(json, "modules");
	for (size_t i = 0; i < n; i++) {
		const struct lode_module_quality *m = &s->modules.at[i];

		lode_json_object(json, NULL);
		lode_json_text(json, "module", m->name);
		lode_json_text(json, "build_id", m->build_id);
		lode_json_text(json, "symbols", m->symbols ? m->symbols : "");
		lode_json_number(json, "unknown_pct",
				 lode_part_pct((struct lode_part){m->unknown_ns, m->cost_ns}));
		lode_json_int(json, "cost_ns", m->cost_ns);
		lode_json_int(json, "addresses", (int64_t)m->n_frames);
		lode_json_int(json, "unknown_addresses", (int64_t)m->n_unknown);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	if (n < s->modules.n)
		lode_json_int(json, "modules_more", (int64_t)(s->modules.n - n));
	lode_json_end_object(json);
}

void lode_info_report_json(struct lode_json *json, const struct lode_info_report *report)
{
	const struct lode_quality *q = report->quality;

	put_origin(json, report);
	put_events(json, report->stream);
	put_cost(json, q);
	put_losses(json, &report->stream->losses);
	put_quality(json, report);
	lode_json_object(json, "serves");
	for (unsigned a = 0; a < LODE_N_ANALYSES; a++)
		lode_json_text(json, lode_analysis_name((enum lode_analysis)a),
			       lode_service_name(q->serves[a].service));
	lode_json_end_object(json);
	lode_json_object(json, "serves_because");
	for (unsigned a = 0; a < LODE_N_ANALYSES; a++)
		lode_json_text(json, lode_analysis_name((enum lode_analysis)a),
			       q->serves[a].reason);
	lode_json_end_object(json);
	lode_json_array(json, "advice");
	for (size_t i = 0; i < q->advice.n; i++)
		lode_json_text(json, NULL, q->advice.at[i].text);
	if (q->record_line) {
		char text[700];

		snprintf(text, sizeof(text), "Record with: %s", q->record_line);
		lode_json_text(json, NULL, text);
	}
	lode_json_end_array(json);
	if (q->record_line)
		lode_json_text(json, "record", q->record_line);
}
