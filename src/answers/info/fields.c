/* Fields of the document of lode info. */
#include "answers/info/info.h"

/* ---- What was recorded, where ---- */

static const char *const formats[] = {"perf.data", "perf script", "folded", NULL};

static const struct lode_field origin_fields[] = {
	LODE_FIELD(struct lode_info_stream, path, NULL),
	LODE_FIELD_ID("id", struct lode_info_stream, id, NULL),
	LODE_FIELD(struct lode_info_stream, format, NULL, .choices = formats),
	LODE_FIELD(struct lode_info_stream, unit, NULL),
	LODE_FIELD(struct lode_info_stream, host, NULL),
	LODE_FIELD(struct lode_info_stream, kernel, NULL),
	LODE_FIELD(struct lode_info_stream, arch, NULL),
	LODE_FIELD_AS("cpus", struct lode_info_stream, n_cpus, NULL),
	LODE_FIELD(struct lode_info_stream, command, NULL),
	LODE_FIELD(struct lode_info_stream, t0_ns, NULL),
	LODE_FIELD(struct lode_info_stream, t1_ns, NULL),
	LODE_FIELD(struct lode_info_stream, has_wall_clock, NULL),
	LODE_FIELD(struct lode_info_stream, wall_offset_ns, NULL),
	LODE_FIELD_AS("samples", struct lode_info_stream, n_samples, NULL),
	LODE_COLUMN("bundle_lacks", struct lode_info_stream, lacks, n_lacks,
		    "what is missing from the recording's bundle; empty: nothing, or there is no "
		    "bundle"),
};
LODE_RECORD(origin, struct lode_info_stream);

static const struct lode_field count_fields[] = {
	LODE_FIELD(struct lode_event_count, name, NULL),
	LODE_FIELD_AS("records", struct lode_event_count, n, NULL),
};
LODE_RECORD(count, struct lode_event_count);

static const struct lode_field event_fields[] = {
	LODE_FIELDS_HERE(&count_record),
	LODE_FIELD(struct lode_event_count, period,
		   "sampling period in events; 0: sampled by frequency"),
	LODE_FIELD_AS("frequency_hz", struct lode_event_count, frequency, NULL),
	LODE_FIELD_AS("tracepoint", struct lode_event_count, is_tracepoint, NULL),
	LODE_FIELD_AS("callchain", struct lode_event_count, has_callchain, NULL),
};
LODE_RECORD(event, struct lode_event_count);

static const struct lode_field cost_fields[] = {
	LODE_FIELD_AS("wait_ns", struct lode_quality, machine.kind_ns[LODE_EVENT_WAITING], NULL),
	LODE_FIELD_AS("run_ns", struct lode_quality, machine.kind_ns[LODE_EVENT_RUNNING], NULL),
	LODE_FIELD_AS("ready_ns", struct lode_quality, machine.kind_ns[LODE_EVENT_READY], NULL),
};
LODE_RECORD(cost, struct lode_quality);

/* ---- What it lacks ---- */

static const struct lode_field lost_fields[] = {
	LODE_FIELD_AS("records", struct lode_info_stream, n_lost_records,
		      "records that could not be read"),
	LODE_FIELD_AS("events", struct lode_info_stream, n_lost_events,
		      "events that the recorder reports as dropped"),
	LODE_FIELD_AS("share_pct", struct lode_info_stream, lost_pct,
		      "of these, in them and the records that were read", .is_positive = true,
		      .most = 100),
};
LODE_RECORD(lost, struct lode_info_stream);

static const struct lode_field loss_fields[] = {
	LODE_FIELD(struct lode_loss_row, kind, NULL),
	LODE_FIELD(struct lode_loss_row, count, NULL, .least = 1),
	LODE_FIELD(struct lode_loss_row, offset, NULL),
	LODE_FIELD_AS("first", struct lode_loss_row, detail, NULL),
};
LODE_RECORD(loss, struct lode_loss_row);

#define FLAW(member) \
	LODE_FIELD(struct lode_info_flaws, member, NULL, .is_positive = true, .most = 100)

static const struct lode_field flaw_fields[] = {
	FLAW(no_stack_pct),
	FLAW(unrooted_pct),
	FLAW(truncated_pct),
	LODE_FIELD(struct lode_info_flaws, skips_caller_pct,
		   "lacks the caller of the innermost user function, which keeps no frame pointer",
		   .is_positive = true, .most = 100),
	FLAW(kernel_only_pct),
	FLAW(unknown_pct),
	FLAW(leaf_unknown_pct),
	FLAW(no_waker_pct),
	FLAW(inferred_pct),
	FLAW(unsampled_pct),
};
LODE_RECORD(flaw, struct lode_info_flaws);

static const struct lode_field module_fields[] = {
	LODE_FIELD_AS("module", struct lode_info_module, name, NULL),
	LODE_FIELD(struct lode_info_module, build_id, NULL, .pattern = "^[0-9a-f]*$"),
	LODE_FIELD(struct lode_info_module, symbols,
		   "source of its symbols, or why there are none"),
	LODE_FIELD(struct lode_info_module, unknown_pct,
		   "share of the cost through this module that is in frames without a symbol",
		   .is_positive = true, .most = 100),
	LODE_FIELD(struct lode_info_module, cost_ns, NULL),
	LODE_FIELD_AS("addresses", struct lode_info_module, n_addresses, NULL),
	LODE_FIELD_AS("unknown_addresses", struct lode_info_module, n_unknown, NULL),
};
LODE_RECORD(module, struct lode_info_module);

static const struct lode_field quality_fields[] = {
	LODE_FIELDS_OF(struct lode_info_stream, machine, &flaw_record),
	LODE_FIELD_POINTER("command", struct lode_info_stream, of_command, &flaw_record,
			   "the same for the recorded command's threads only",
			   .absent = "the recorded command is not known"),
	LODE_FIELD_AS("idle_switches_missing", struct lode_info_stream, n_idle_gaps, NULL),
	LODE_LIST("modules", struct lode_info_stream, modules, n_modules, &module_record, NULL),
	LODE_FIELD_AS("modules_more", struct lode_info_stream, n_more_modules, "left out by --top",
		      .absent = "none were"),
};
LODE_RECORD(quality, struct lode_info_stream);

/* ---- What it serves ---- */

static const char *const services[] = {
	[LODE_SERVICE_YES] = "yes",
	[LODE_SERVICE_PARTLY] = "partly",
	[LODE_SERVICE_NO] = "no",
	NULL,
};

#define SERVES(name, analysis)                                                                 \
	LODE_FIELD_CHOICE(name, struct lode_quality, serves[LODE_ANALYSIS_##analysis].service, \
			  services, NULL)
#define BECAUSE(name, analysis) \
	LODE_FIELD_AS(name, struct lode_quality, serves[LODE_ANALYSIS_##analysis].reason, NULL)

static const struct lode_field service_fields[] = {
	SERVES("mine", MINE),
	SERVES("suspects", SUSPECTS),
	SERVES("timeline", TIMELINE),
	SERVES("pio", PIO),
};
LODE_RECORD(service, struct lode_quality);

static const struct lode_field reason_fields[] = {
	BECAUSE("mine", MINE),
	BECAUSE("suspects", SUSPECTS),
	BECAUSE("timeline", TIMELINE),
	BECAUSE("pio", PIO),
};
LODE_RECORD(reason, struct lode_quality);

/* ---- One recording, and the document ---- */

static const struct lode_field stream_fields[] = {
	LODE_FIELDS_OF(struct lode_info_stream, opening, &lode_opening_record),
	LODE_FIELDS_HERE(&origin_record),
	LODE_MAP_FIELD("events", struct lode_info_stream, events, n_events, &count_record,
		       "number of records by event name"),
	LODE_LIST("event_details", struct lode_info_stream, events, n_events, &event_record, NULL),
	LODE_FIELD_AS("threads", struct lode_info_stream, quality.n_threads, NULL),
	LODE_FIELD_AS("command_threads", struct lode_info_stream, quality.n_command_threads, NULL),
	LODE_FIELD_RECORD("cost", struct lode_info_stream, quality, &cost_record, NULL),
	LODE_RECORD_HERE("lost", &lost_record, NULL),
	LODE_LIST("losses", struct lode_info_stream, loss_rows, n_loss_rows, &loss_record, NULL),
	LODE_RECORD_HERE("quality", &quality_record, "shares of cost"),
	LODE_FIELD_RECORD("serves", struct lode_info_stream, quality, &service_record, NULL),
	LODE_FIELD_RECORD("serves_because", struct lode_info_stream, quality, &reason_record, NULL),
	LODE_COLUMN("advice", struct lode_info_stream, advice, n_advice, NULL),
	LODE_FIELD_AS("record", struct lode_info_stream, quality.record_line,
		      "the improved record command", .absent = "there is nothing to improve"),
};
LODE_RECORD(stream, struct lode_info_stream);

#define SKIPPED                                                                                 \
	LODE_LIST("skipped", struct lode_info_answer, skipped, n_skipped, &lode_skipped_record, \
		  "inputs that could not be read")

static const struct lode_field one_fields[] = {
	LODE_FIELDS_AT(struct lode_info_answer, streams, &stream_record),
	SKIPPED,
};
LODE_RECORD(one, struct lode_info_answer);

static const struct lode_field list_fields[] = {
	LODE_LIST("streams", struct lode_info_answer, streams, n_streams, &stream_record, NULL),
	SKIPPED,
};
LODE_RECORD(list, struct lode_info_answer);

static bool is_list(const void *answer)
{
	return ((const struct lode_info_answer *)answer)->is_list;
}

const struct lode_document lode_info_document = {
	.schema = "lode/info/1",
	.file = "info",
	.title = "lode info --json",
	.doc = "One recording: its members are beside `schema`. Several: a list `streams` of such "
	       "objects.",
	.record = &one_record,
	.other_record = &list_record,
	.is_other = is_list,
};
