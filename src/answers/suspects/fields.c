/* Fields of the document of lode suspects. */
#include "answers/suspects/suspects.h"
#include "answers/input_fields.h"

/* ---- Values and their histogram ---- */

static const struct lode_field bucket_fields[] = {
	LODE_FIELD(struct lode_suspects_bucket, from,
		   "smallest value of the bucket; a bucket is at most 25 % wide",
		   .is_positive = true),
	LODE_FIELD(struct lode_suspects_bucket, to, "smallest value above the bucket"),
	LODE_FIELD(struct lode_suspects_bucket, n, NULL, .least = 1),
};
LODE_RECORD(bucket, struct lode_suspects_bucket);

#define VALUE(key, member, text) \
	LODE_FIELD_AS(key, struct lode_suspects_values, member, text, .is_positive = true)

static const struct lode_field values_fields[] = {
	LODE_FIELD(struct lode_suspects_values, n, NULL),
	VALUE("mean_ns", mean, "in the metric's unit, as all *_ns of a metric are"),
	VALUE("std_ns", std, "population standard deviation"),
	VALUE("min_ns", least, NULL),
	VALUE("max_ns", largest, NULL),
	VALUE("total_ns", total, NULL),
};
LODE_RECORD(values, struct lode_suspects_values);

static const struct lode_field spread_fields[] = {
	LODE_FIELDS_HERE(&values_record),
	LODE_LIST("histogram", struct lode_suspects_values, buckets, n_buckets, &bucket_record,
		  NULL),
};
LODE_RECORD(spread, struct lode_suspects_values);

/* ---- Metrics ---- */

#define LOSS(key, which) LODE_FIELD_AS(key, struct lode_tally_metric, losses[which], NULL)

static const struct lode_field loss_fields[] = {
	LOSS("no_start", LODE_EXECUTION_NO_START),     LOSS("no_end", LODE_EXECUTION_NO_END),
	LOSS("mismatched", LODE_EXECUTION_MISMATCHED), LOSS("died", LODE_EXECUTION_DIED),
	LOSS("doubtful", LODE_EXECUTION_DOUBTFUL),     LOSS("unrooted", LODE_EXECUTION_UNROOTED),
	LOSS("no_stack", LODE_EXECUTION_NO_STACK),
};
LODE_RECORD(loss, struct lode_tally_metric);

#define METRIC(key, member, text) LODE_FIELD_AS(key, struct lode_suspects_metric, of.member, text)
#define LABELLED(key, label)	  METRIC(key, n[LODE_SIDE_SUBJECT][label], NULL)

static const struct lode_field metric_fields[] = {
	METRIC("metric", name, NULL),
	METRIC("unit", unit, "ns, or the unit of a queue's length"),
	LODE_FIELDS_OF(struct lode_suspects_metric, values, &values_record),
	METRIC("labelled", is_labelled,
	       "false: no data to set thresholds, so its executions are not counted"),
	METRIC("prune_ns", thresholds.prune, "largest pruned value: mean - 2σ, rounded down"),
	METRIC("success_ns", thresholds.success, "largest value labelled succeeded: mean + σ"),
	METRIC("failed_ns", thresholds.failed,
	       "values above it are labelled slow (failed): mean + 2σ"),
	LABELLED("succeeded", LODE_LABEL_SUCCEEDED),
	LABELLED("failed", LODE_LABEL_FAILED),
	LODE_FIELD_AS("ignored", struct lode_suspects_metric, n_ignored,
		      "neither: pruned + ambiguous"),
	LABELLED("pruned", LODE_LABEL_PRUNED),
	LABELLED("ambiguous", LODE_LABEL_AMBIGUOUS),
	LODE_FIELD_AS("failed_total_ns", struct lode_suspects_metric, failed_total,
		      "sum of the slow (failed) values", .is_positive = true),
	LODE_LIST("histogram", struct lode_suspects_metric, values.buckets, values.n_buckets,
		  &bucket_record, NULL),
	LODE_FIELD_POINTER("other", struct lode_suspects_metric, other, &spread_record,
			   "of the baseline, or of the fast recordings",
			   .absent = "neither is given"),
	LODE_FIELD_RECORD("losses", struct lode_suspects_metric, of, &loss_record,
			  "executions not measured, or measured without a complete stack"),
};
LODE_RECORD(metric, struct lode_suspects_metric, .is_shared = true);

/* ---- Functions ---- */

/* A function and its module as two members; `...` is `.absent`, where there may be none. */
#define FUNCTION(struct_, frame, ...)                                                  \
	LODE_FIELD_OF("function", LODE_TYPE_LABEL, struct_, frame, NULL, __VA_ARGS__), \
		LODE_FIELD_OF("module", LODE_TYPE_MODULE, struct_, frame, NULL, __VA_ARGS__)

#define SHARE .is_positive = true, .most = 1
#define LOG(key, member) \
	LODE_FIELD_AS(key, struct lode_suspects_chance, member, NULL, .is_negative = true)

static const struct lode_field chance_fields[] = {
	LODE_FIELD(struct lode_suspects_chance, p, "Fisher's exact test", SHARE),
	LOG("log10_p", log10_p),
	LODE_FIELD(struct lode_suspects_chance, q, "p corrected for all tests", SHARE),
	LOG("log10_q", log10_q),
};
LODE_RECORD(chance, struct lode_suspects_chance);

/* Quotients of counts, which are the same everywhere. */
#define QUOTIENT(key, member, ...)                                                                 \
	LODE_FIELD_OF(key, LODE_TYPE_EXACT, struct lode_suspects_function, of.scores.member, NULL, \
		      __VA_ARGS__)
#define SCORE(key, member, ...) \
	LODE_FIELD_AS(key, struct lode_suspects_function, of.scores.member, NULL, __VA_ARGS__)
#define EVIDENCE(member) \
	LODE_FIELD_AS(#member, struct lode_suspects_function, evidence.member, NULL)

static const struct lode_field excess_fields[] = {
	LODE_FIELD_AS("excess", struct lode_suspects_excess, of.low,
		      "lower bound of the share that fast recordings do not have", .least = -1,
		      .most = 1),
	LODE_FIELD_AS("excess_calls", struct lode_suspects_excess, of.calls, NULL),
	LODE_FIELD_AS("excess_time", struct lode_suspects_excess, of.time, NULL),
	LODE_FIELD(struct lode_suspects_excess, slow_calls, NULL),
	LODE_FIELD(struct lode_suspects_excess, fast_calls, NULL),
	LODE_FIELD_AS("slow_total_ns", struct lode_suspects_excess, slow_total, NULL,
		      .is_positive = true),
	LODE_FIELD_AS("fast_total_ns", struct lode_suspects_excess, fast_total, NULL,
		      .is_positive = true),
};
LODE_RECORD(excess, struct lode_suspects_excess);

static const struct lode_field function_fields[] = {
	LODE_FIELD_AS("rank", struct lode_suspects_function, of.rank, NULL, .least = 1),
	FUNCTION(struct lode_suspects_function, frame),
	EVIDENCE(d_success),
	EVIDENCE(d_failed),
	EVIDENCE(o_success),
	EVIDENCE(o_failed),
	QUOTIENT("failure", failure, SHARE),
	QUOTIENT("context", context, SHARE),
	QUOTIENT("increase", increase, .least = -1, .most = 1),
	SCORE("increase_low", increase_ci.low),
	SCORE("increase_high", increase_ci.high),
	SCORE("ochiai", ochiai, SHARE),
	SCORE("tarantula", tarantula, SHARE),
	SCORE("dstar", dstar, .is_positive = true,
	      .absent = "it is infinite: the function is in all slow calls and in no others"),
	SCORE("importance", importance, SHARE),
	SCORE("importance_low", importance_ci.low, SHARE),
	SCORE("importance_high", importance_ci.high, SHARE),
	LODE_FIELDS_OF(struct lode_suspects_function, chance, &chance_record),
	LODE_FIELDS_AT(struct lode_suspects_function, excess, &excess_record,
		       .absent = "--versus is not given"),
	LODE_FIELDS_OF(struct lode_suspects_function, values, &values_record),
	LODE_FIELD_AS("group", struct lode_suspects_function, of.group,
		      "rank of the first function of its group, which always occur together",
		      .least = 1),
	LODE_FIELD_AS("suspect", struct lode_suspects_function, is_suspect, "true: within `cut`"),
	LODE_FIELD(struct lode_suspects_function, extra_share, "of extra_total_ns"),
	LODE_FIELD(struct lode_suspects_function, extra_ns,
		   "the part of extra_total_ns that goes with it"),
};
LODE_RECORD(function, struct lode_suspects_function, .is_shared = true);

/* ---- Contrasts ---- */

static const struct lode_field outcome_fields[] = {
	LODE_FIELD_AS("failed", struct lode_suspects_part, n_failed, NULL),
	LODE_FIELD_AS("succeeded", struct lode_suspects_part, n_succeeded, NULL),
	LODE_FIELD(struct lode_suspects_part, n, NULL),
};
LODE_RECORD(outcome, struct lode_suspects_part);

static const struct lode_field half_fields[] = {
	LODE_FIELDS_HERE(&outcome_record),
	LODE_FIELD_AS("mean_ns", struct lode_suspects_part, mean, NULL, .is_positive = true),
};
LODE_RECORD(half, struct lode_suspects_part);

static const struct lode_field contrast_fields[] = {
	FUNCTION(struct lode_suspects_contrast, leaf),
	LODE_FIELD(struct lode_suspects_contrast, metric, NULL, .absent = "--versus is given"),
	LODE_FRAMES("callers", struct lode_suspects_contrast, callers, n_callers,
		    "caller, or group of callers that always occur together, outermost first"),
	LODE_FIELD_RECORD("with", struct lode_suspects_contrast, with, &half_record, NULL),
	LODE_FIELD_RECORD("without", struct lode_suspects_contrast, without, &half_record, NULL),
	LODE_FIELDS_OF(struct lode_suspects_contrast, chance, &chance_record),
};
LODE_RECORD(contrast, struct lode_suspects_contrast, .is_shared = true);

/* ---- One function in full ---- */

static const struct lode_field explained_half_fields[] = {
	LODE_FIELD_AS("failed", struct lode_suspects_explained_half, outcome.failed, NULL),
	LODE_FIELD_AS("succeeded", struct lode_suspects_explained_half, outcome.succeeded, NULL),
	LODE_FIELDS_OF(struct lode_suspects_explained_half, values, &spread_record),
};
LODE_RECORD(explained_half, struct lode_suspects_explained_half);

static const struct lode_field explained_metric_fields[] = {
	LODE_FIELD(struct lode_suspects_explained_metric, metric, NULL),
	LODE_FIELD_RECORD("with", struct lode_suspects_explained_metric, with,
			  &explained_half_record, NULL),
	LODE_FIELD_RECORD("without", struct lode_suspects_explained_metric, without,
			  &explained_half_record, NULL),
};
LODE_RECORD(explained_metric, struct lode_suspects_explained_metric);

static const struct lode_field neighbour_fields[] = {
	FUNCTION(struct lode_suspects_part, frame,
		 .absent = "there is none: the function is the outermost or the last"),
	LODE_FIELDS_HERE(&outcome_record),
	LODE_FIELD_AS("total_ns", struct lode_suspects_part, total, NULL, .is_positive = true),
};
LODE_RECORD(neighbour, struct lode_suspects_part);

static const struct lode_field worst_fields[] = {
	LODE_FIELD(struct lode_suspects_worst, metric, NULL),
	LODE_FIELD(struct lode_suspects_worst, stream, NULL),
	LODE_FIELD(struct lode_suspects_worst, tid, NULL),
	LODE_FIELD_AS("t0_ns", struct lode_suspects_worst, start_ns, NULL),
	LODE_FIELD_AS("value_ns", struct lode_suspects_worst, value, NULL, .is_positive = true),
	LODE_FRAMES("stack", struct lode_suspects_worst, frames, n_frames, NULL),
};
LODE_RECORD(worst, struct lode_suspects_worst);

static const struct lode_field explained_fields[] = {
	LODE_FIELD_AS("rank", struct lode_suspects_explained, of.rank, NULL),
	FUNCTION(struct lode_suspects_explained, frame),
	LODE_LIST("metrics", struct lode_suspects_explained, metrics, n_metrics_listed,
		  &explained_metric_record, NULL),
	LODE_LIST("callers", struct lode_suspects_explained, callers, n_callers_listed,
		  &neighbour_record, NULL),
	LODE_LIST("callees", struct lode_suspects_explained, callees, n_callees_listed,
		  &neighbour_record, NULL),
	LODE_LIST("worst", struct lode_suspects_explained, worst, n_worst, &worst_record, NULL),
};
LODE_RECORD(explained, struct lode_suspects_explained, .is_shared = true);

/* ---- The document ---- */

static const char *const evidence_names[] = {"labels", "sets", NULL};

static const struct lode_field option_fields[] = {
	LODE_FIELD_CHOICE("evidence", struct lode_suspects_answer, is_versus, evidence_names, NULL),
	LODE_FIELD(struct lode_suspects_answer, thresholds, NULL),
	LODE_FIELD_AS("sort", struct lode_suspects_answer, order, NULL),
	LODE_FIELD(struct lode_suspects_answer, correction, NULL),
	LODE_FIELD_AS("pooled", struct lode_suspects_answer, is_pooled, NULL),
	LODE_FIELD_AS("symptoms", struct lode_suspects_answer,
		      sides[LODE_SIDE_SUBJECT].job.symptom_text, NULL,
		      .absent = "each recording counts as a whole"),
};
LODE_RECORD(option, struct lode_suspects_answer);

static const struct lode_field note_fields[] = {
	LODE_FIELD(struct lode_metric_note, path, NULL),
	LODE_FIELD(struct lode_metric_note, text, NULL),
};
LODE_RECORD(note, struct lode_metric_note);

static const struct lode_field other_streams_fields[] = {
	LODE_COLUMN("other_streams", struct lode_suspects_side, streams, n_streams,
		    "the baseline, or the fast recordings"),
};
LODE_RECORD(other_streams, struct lode_suspects_side);

static const struct lode_field other_executions_fields[] = {
	LODE_FIELD_AS("other_executions", struct lode_suspects_side, n_executions, NULL),
};
LODE_RECORD(other_executions, struct lode_suspects_side);

#define OTHER(record) \
	LODE_FIELDS_AT(struct lode_suspects_answer, other, record, .absent = "neither is given")
#define SUBJECT(member) sides[LODE_SIDE_SUBJECT].member
#define MORE(key, member) \
	LODE_FIELD_AS(key, struct lode_suspects_answer, member, "left out", .absent = "none were")

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_suspects_answer, opening, &lode_opening_record),
	LODE_COLUMN("streams", struct lode_suspects_answer, SUBJECT(streams), SUBJECT(n_streams),
		    "the recordings analysed"),
	OTHER(&other_streams_record),
	LODE_FIELD_AS("events", struct lode_suspects_answer, n_events, "records in all of these"),
	LODE_FIELD_AS("lost_events", struct lode_suspects_answer, n_lost, NULL),
	LODE_FIELD_AS("executions", struct lode_suspects_answer, SUBJECT(n_executions), NULL),
	OTHER(&other_executions_record),
	LODE_FIELD_AS("failed", struct lode_suspects_answer, all.failed, NULL),
	LODE_FIELD_AS("succeeded", struct lode_suspects_answer, all.succeeded, NULL),
	LODE_RECORD_HERE("options", &option_record, NULL),
	LODE_LIST("metrics", struct lode_suspects_answer, metrics, n_metrics_listed, &metric_record,
		  "by time in slow calls (failed executions), largest first"),
	MORE("metrics_more", n_metrics_more),
	LODE_FIELD_AS("functions_total", struct lode_suspects_answer, n_functions, NULL),
	LODE_FIELD_AS("groups", struct lode_suspects_answer, n_groups, NULL),
	LODE_FIELD(struct lode_suspects_answer, cut,
		   "number of functions reported as suspects: significant ones (q < 0.05)"),
	LODE_ROWS("functions", struct lode_suspects_answer, n_listed, lode_suspects_function_at,
		  &function_record, NULL),
	MORE("more", n_more),
	LODE_FIELD_AS("contrast_tests", struct lode_suspects_answer, n_contrast_tests, NULL),
	LODE_FIELD_AS(
		"extra_total_ns", struct lode_suspects_answer, extra_ns,
		"the slow time, or what slow recordings take longer, in system calls if these "
		"were measured, else in waits"),
	LODE_ROWS("contrasts", struct lode_suspects_answer, n_contrasts_listed,
		  lode_suspects_contrast_at, &contrast_record, NULL),
	MORE("contrasts_more", n_contrasts_more),
	LODE_FIELD_POINTER("explain", struct lode_suspects_answer, explained, &explained_record,
			   NULL, .absent = "--explain is not given"),
	LODE_LIST("details", struct lode_suspects_answer, details, n_details, &explained_record,
		  "functions in full: those ranked first, and those that separate slow calls from "
		  "fast ones",
		  .absent = "--detail is not given"),
	LODE_LIST("notes", struct lode_suspects_answer, notes, n_notes, &note_record, NULL),
	LODE_LIST("skipped", struct lode_suspects_answer, skipped, n_skipped, &lode_skipped_record,
		  "unusable inputs"),
	LODE_LIST("incomplete", struct lode_suspects_answer, incomplete, n_incomplete,
		  &lode_skipped_record,
		  "truncated or damaged inputs: only the intact part was used"),
};
LODE_RECORD(answer, struct lode_suspects_answer);

const struct lode_document lode_suspects_document = {
	.schema = "lode/suspects/1",
	.file = "suspects",
	.title = "lode suspects --json",
	.record = &answer_record,
	.names = lode_suspects_names,
	.find = lode_suspects_findings,
};
