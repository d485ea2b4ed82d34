/* Fields of clusters, as documents list them. */
#include "answers/clusters/cluster_rows.h"

/* ---- Lists inside of a cluster ---- */

static const struct lode_field waker_fields[] = {
	LODE_FIELD_OF("name", LODE_TYPE_NAME, struct lode_cluster_waker, name, NULL),
	LODE_FIELD(struct lode_cluster_waker, cost_ns, NULL),
};
LODE_RECORD(waker, struct lode_cluster_waker);

static const struct lode_field runner_fields[] = {
	LODE_FIELD_OF("name", LODE_TYPE_NAME, struct lode_digest_runner, name,
		      "of threads, as in links; [idle]: nobody; [unrecorded]: not known"),
	LODE_FIELD(struct lode_digest_runner, cost_ns, NULL),
};
const struct lode_record lode_runner_record =
	LODE_RECORD_OF("runner", runner_fields, struct lode_digest_runner, .is_shared = true);

static const struct lode_field pattern_fields[] = {
	LODE_FIELD(struct lode_mined_pattern, round, NULL, .least = 1),
	LODE_FRAMES("functions", struct lode_mined_pattern, frames, n_frames,
		    "module!function, root first; [module] without a symbol, → comm between "
		    "threads"),
	LODE_FIELD(struct lode_mined_pattern, cost_ns, "cost of all stacks that contain it"),
	LODE_FIELD(struct lode_mined_pattern, own_ns, "cost of the stacks that it explains"),
	LODE_FIELD_AS("events", struct lode_mined_pattern, n_events, NULL),
	LODE_FIELD_AS("streams", struct lode_mined_pattern, n_streams, NULL),
};
LODE_RECORD(pattern, struct lode_mined_pattern);

/* A symptom with its stream, and what the cluster costs there. */
struct worst_row {
	const struct lode_digest_stream *stream;
	const struct lode_digest_symptom *symptom;
	const struct lode_cluster_worst *worst;
	const struct lode_digest_row *row;
};

static void make_worst_row(void *row, const void *cluster_row, size_t i)
{
	const struct lode_cluster_row *of = cluster_row;
	const struct lode_cluster_worst *worst = &of->cluster->worst[i];
	const struct lode_digest_symptom *symptom = &of->digest->symptoms.at[worst->symptom];

	*(struct worst_row *)row =
		(struct worst_row){&of->digest->streams.at[symptom->stream], symptom, worst,
				   &of->digest->rows.at[worst->row]};
}

static const struct lode_field worst_stream_fields[] = {
	LODE_FIELD_OF("stream", LODE_TYPE_NAME, struct lode_digest_stream, path,
		      "path of the recording"),
	LODE_FIELD_ID("stream_id", struct lode_digest_stream, content_hash, NULL),
};
LODE_RECORD(worst_stream, struct lode_digest_stream);

static const struct lode_field worst_thread_fields[] = {
	LODE_FIELD(struct lode_digest_symptom, pid, NULL),
	LODE_FIELD(struct lode_digest_symptom, tid, NULL),
	LODE_FIELD_OF("comm", LODE_TYPE_NAME, struct lode_digest_symptom, comm, NULL),
};
LODE_RECORD(worst_thread, struct lode_digest_symptom);

static const struct lode_field worst_start_fields[] = {
	LODE_FIELD_AS("t0_ns", struct lode_digest_row, worst_t0_ns,
		      "start of the costliest event there"),
};
LODE_RECORD(worst_start, struct lode_digest_row);

static const struct lode_field worst_cost_fields[] = {
	LODE_FIELD_AS("cost_ns", struct lode_cluster_worst, symptom_cost_ns,
		      "cost of the cluster in this symptom"),
};
LODE_RECORD(worst_cost, struct lode_cluster_worst);

static const struct lode_field worst_event_fields[] = {
	LODE_FIELD_AS("event_ns", struct lode_digest_row, worst_cost_ns,
		      "cost of the costliest event"),
};
LODE_RECORD(worst_event, struct lode_digest_row);

static const struct lode_field worst_span_fields[] = {
	LODE_FIELD_AS("symptom_t0_ns", struct lode_digest_symptom, t0_ns, NULL),
	LODE_FIELD_AS("symptom_t1_ns", struct lode_digest_symptom, t1_ns, NULL),
};
LODE_RECORD(worst_span, struct lode_digest_symptom);

static const struct lode_field worst_fields[] = {
	LODE_FIELDS_AT(struct worst_row, stream, &worst_stream_record),
	LODE_FIELDS_AT(struct worst_row, symptom, &worst_thread_record),
	LODE_FIELDS_AT(struct worst_row, row, &worst_start_record),
	LODE_FIELDS_AT(struct worst_row, worst, &worst_cost_record),
	LODE_FIELDS_AT(struct worst_row, row, &worst_event_record),
	LODE_FIELDS_AT(struct worst_row, symptom, &worst_span_record),
};
LODE_RECORD(worst, struct worst_row);

static const struct lode_field reason_fields[] = {
	LODE_FIELD(struct lode_reason_cost, name, NULL),
	LODE_FIELD(struct lode_reason_cost, cost_ns, NULL),
};
LODE_RECORD(reason, struct lode_reason_cost);

static const struct lode_field part_fields[] = {
	LODE_FIELD(struct lode_cluster_part, name,
		   "ready: a thread of the chain had no CPU; cpu: the waiting thread itself ran; "
		   "else the reason of its wait"),
	LODE_FIELD(struct lode_cluster_part, cost_ns, NULL, .is_positive = true),
};
LODE_RECORD(part, struct lode_cluster_part);

static const struct lode_field signature_fields[] = {
	LODE_FIELD(struct lode_cluster_signature_row, kind,
		   "kinds of events, joined by commas; empty: any"),
	LODE_COLUMN("patterns", struct lode_cluster_signature_row, patterns, n_patterns,
		    "as lode sign takes them"),
	LODE_FIELD(struct lode_cluster_signature_row, total_ns,
		   "what it matches of these recordings"),
};
LODE_RECORD(signature, struct lode_cluster_signature_row);

/* ---- What pages are drawn of ---- */

static const struct lode_field brief_fields[] = {
	LODE_FIELD(struct lode_cluster_brief, why,
		   "the largest of `parts` with its share, and the second if it is a third"),
	LODE_COLUMN(
		"brief", struct lode_cluster_brief, lines, n_lines,
		"the most distinctive functions, a line per thread, made harmless for terminals"),
	LODE_FIELD_AS("brief_variants", struct lode_cluster_brief, variants,
		      "the most distinctive variants, in a line; empty when there are none"),
};
const struct lode_record lode_cluster_brief_record =
	LODE_RECORD_OF("brief", brief_fields, struct lode_cluster_brief);

static const struct lode_field variant_fields[] = {
	LODE_FIELD(struct lode_variant, own_ns, "own cost of the patterns that have it"),
	LODE_FRAMES("functions", struct lode_variant, frames, n, "empty: nothing is there"),
};
LODE_RECORD(variant, struct lode_variant);

static const struct lode_field gap_fields[] = {
	LODE_FIELD(struct lode_gap_row, before, "index into common; its length: behind the last"),
	LODE_LIST("variants", struct lode_gap_row, variants, n_variants, &variant_record,
		  "the costliest first"),
	LODE_FIELD_AS("more", struct lode_gap_row, n_more, NULL, .absent = "none is left out"),
	LODE_FIELD(struct lode_gap_row, more_ns, NULL, .absent = "none is left out"),
};
LODE_RECORD(gap, struct lode_gap_row);

static const struct lode_field by_stream_fields[] = {
	LODE_COLUMN_OF("stream", struct lode_cluster_detail, by_stream, n_by_stream,
		       struct lode_cluster_stream, stream,
		       "index of the recording in `inputs` (which `top` may cut)"),
	LODE_COLUMN_OF(
		"cost_ns", struct lode_cluster_detail, by_stream, n_by_stream,
		struct lode_cluster_stream, cost_ns,
		"of the recording at the same place; they sum to own_ns (to total_ns when that "
		"is 0)"),
};
LODE_RECORD(by_stream, struct lode_cluster_detail);

static const struct lode_field detail_fields[] = {
	LODE_LIST("gap_variants", struct lode_cluster_detail, gaps, n_gaps, &gap_record,
		  "what stands between the common functions, where anything does"),
	LODE_RECORD_HERE("by_stream", &by_stream_record, "own cost in each recording that has any"),
};
const struct lode_record lode_cluster_detail_record =
	LODE_RECORD_OF("detail", detail_fields, struct lode_cluster_detail);

#define NODES(key, type, part, text)                                                               \
	LODE_MEMBERS_OF(key, type, struct lode_flame_rows, nodes, n_nodes, struct lode_flame_node, \
			part, text)

static const struct lode_field flame_tree_fields[] = {
	NODES("parent", LODE_TYPE_INDEX, parent, "index of the caller's node, -1 for roots"),
	NODES("frame", LODE_TYPE_UINT32, frame, "index into the document's `frames`"),
	LODE_FIELD_AS("left_out", struct lode_flame_rows, n_left_out,
		      "nodes that were left out for want of room"),
	LODE_FIELD(struct lode_flame_rows, left_out_ns,
		   "their own cost, which is counted in their callers"),
};
const struct lode_record lode_flame_tree_record =
	LODE_RECORD_OF("tree", flame_tree_fields, struct lode_flame_rows);

static const struct lode_field flame_fields[] = {
	LODE_FIELDS_HERE(&lode_flame_tree_record),
	NODES("own_ns", LODE_TYPE_INT64, own_ns,
	      "cost of stacks that end here; they add up to the cost in by_stream"),
	NODES("wait_ns", LODE_TYPE_INT64, wait_ns, "of own_ns: waiting"),
	NODES("ready_ns", LODE_TYPE_INT64, ready_ns,
	      "of own_ns: ready, without a CPU; the rest of it ran"),
};
const struct lode_record lode_flame_record =
	LODE_RECORD_OF("flame", flame_fields, struct lode_flame_rows);

static const struct lode_field picture_fields[] = {
	LODE_FIELDS_HERE(&lode_cluster_detail_record),
	LODE_FIELD_RECORD("flame", struct lode_cluster_detail, flame, &lode_flame_record,
			  "the cluster's stacks as one tree; its nodes' columns, callers before "
			  "what they call"),
};
LODE_RECORD(picture, struct lode_cluster_detail);

/* ---- One cluster ---- */

static const struct lode_field id_fields[] = {
	LODE_FIELD_ID("id", struct lode_cluster, id,
		      "hash of its patterns' functions: the same in every run that finds the same "
		      "patterns"),
	LODE_FIELD(struct lode_cluster, rank, NULL, .least = 1),
};
LODE_RECORD(id, struct lode_cluster);

#define SPLIT(key, kind) \
	LODE_FIELD_OF(key, LODE_TYPE_INT64, struct lode_cluster, split_ns[kind], NULL)

static const struct lode_field kind_fields[] = {
	SPLIT("wait_ns", LODE_EVENT_WAITING),
	SPLIT("run_ns", LODE_EVENT_RUNNING),
	SPLIT("ready_ns", LODE_EVENT_READY),
};
LODE_RECORD(kind, struct lode_cluster);

static const struct lode_field split_fields[] = {
	LODE_RECORD_HERE("split", &kind_record, "own cost by kind of event"),
	LODE_FIELD(
		struct lode_cluster, unsampled_ns,
		"of own_ns: time on a CPU in which no sample was taken; samples of like runs say "
		"where it went"),
	LODE_FIELD_AS("own_least_ns", struct lode_cluster, least_ns, "own_ns without that time"),
	LODE_FIELD_AS(
		"own_most_ns", struct lode_cluster, most_ns,
		"if all such time of the same threads, at the same places of their chains, were "
		"the cluster's"),
	LODE_LIST("ran_instead", struct lode_cluster, ran_instead, n_ran_instead,
		  &lode_runner_record, "who had the CPU in its ready time, by cost"),
};
LODE_RECORD(split, struct lode_cluster);

static const struct lode_field cost_fields[] = {
	LODE_FIELD(struct lode_cluster, own_ns, "cost that no other cluster counts",
		   .label = "own"),
	LODE_FIELD(
		struct lode_cluster, total_ns,
		"cost of all stacks that contain one of its patterns, shared with other clusters",
		.label = "total", .drop = 2),
	LODE_FIELD(struct lode_cluster, average_ns, "total_ns per event", .label = "avg",
		   .drop = 1),
	LODE_FIELD_AS("events", struct lode_cluster, n_events, NULL),
	LODE_FIELD_AS("streams", struct lode_cluster, n_streams, "recordings that have it",
		      .label = "recs", .drop = 3),
	LODE_FIELD_AS("symptoms", struct lode_cluster, n_symptoms, NULL),
};
const struct lode_record lode_cluster_cost_record =
	LODE_RECORD_OF("cost", cost_fields, struct lode_cluster);

static const struct lode_field common_fields[] = {
	LODE_FIELD(struct lode_cluster, min_similarity,
		   "its spread: lowest similarity of two of its patterns", .is_positive = true,
		   .most = 1),
	LODE_FRAMES("common", struct lode_cluster, common, n_common,
		    "functions that all of its patterns have, in order"),
};
LODE_RECORD(common, struct lode_cluster);

static const struct lode_field hop_fields[] = {
	LODE_FIELD(struct lode_headline_hop, thread,
		   "its name, without the numbers of threads of a pool; empty: several, or none"),
	LODE_FRAMES("functions", struct lode_headline_hop, frames, n,
		    "its most distinctive functions, at most six"),
	LODE_FRAMES(
		"branch", struct lode_headline_hop, branch, n_branch,
		"of the last thread: the functions in which more than half of the cost goes on, "
		"one or two",
		.absent = "less than that goes on in any one, or nearly all of it does"),
	LODE_FIELD(struct lode_headline_hop, branch_share, "how much of the cost that is",
		   .is_positive = true, .most = 1, .absent = "without a main branch"),
};
const struct lode_record lode_headline_hop_record =
	LODE_RECORD_OF("hop", hop_fields, struct lode_headline_hop);

#define MORE(key, member) \
	LODE_FIELD_AS(key, struct lode_cluster_row, member, NULL, .absent = "none is left out")

static const struct lode_field row_fields[] = {
	LODE_FIELDS_AT(struct lode_cluster_row, cluster, &id_record),
	LODE_FIELD_CHOICE("kind", struct lode_cluster_row, kind, lode_event_kind_names,
			  "the kind of event that most of its own cost is"),
	LODE_FIELD_CHOICE("reason", struct lode_cluster_row, reason, lode_wait_reason_names,
			  "what most of its waits were for"),
	LODE_FIELDS_AT(struct lode_cluster_row, cluster, &split_record),
	LODE_MAP_FIELD("reasons", struct lode_cluster_row, reasons, n_reasons, &reason_record,
		       "own cost by wait reason", .choices = lode_reason_cost_names),
	LODE_LIST("parts", struct lode_cluster_row, parts, n_parts, &part_record,
		  "what its own cost is made of, the largest first; they sum to own_ns"),
	LODE_FIELDS_AT(struct lode_cluster_row, cluster, &lode_cluster_cost_record),
	LODE_FIELD(struct lode_cluster_row, coverage, "own_ns / symptom_ns", .is_positive = true),
	LODE_FIELDS_AT(struct lode_cluster_row, cluster, &common_record),
	LODE_COLUMN("gaps", struct lode_cluster_row, gaps, n_gaps,
		    "indices into common before which variants stand"),
	LODE_LIST("headline", struct lode_cluster_row, headline, n_headline,
		  &lode_headline_hop_record, LODE_HEADLINE_DOC),
	LODE_LIST("wakers", struct lode_cluster_row, wakers, n_wakers, &waker_record,
		  "threads and devices that ended its waits"),
	MORE("wakers_more", n_wakers_more),
	LODE_LIST("patterns", struct lode_cluster_row, patterns, n_patterns, &pattern_record,
		  "by cost"),
	MORE("patterns_more", n_patterns_more),
	LODE_FIELD_RECORD("signature", struct lode_cluster_row, signature, &signature_record,
			  "what `lode sign` makes of the cluster"),
	LODE_ROWS("worst", struct lode_cluster_row, n_worst, make_worst_row, &worst_record,
		  "symptoms by the cluster's cost in them"),
	MORE("worst_more", n_worst_more),
	LODE_FIELDS_AT(struct lode_cluster_row, brief, &lode_cluster_brief_record,
		       .absent = "without --detail"),
	LODE_FIELDS_AT(struct lode_cluster_row, detail, &picture_record,
		       .absent = "without --detail"),
};
const struct lode_record lode_cluster_row_record =
	LODE_RECORD_OF("cluster", row_fields, struct lode_cluster_row);

/* ---- All of them ---- */

static const struct lode_field function_fields[] = {
	LODE_FRAMES("frames", struct lode_flame_functions, frames.at, frames.n,
		    "the functions of all flame graphs"),
};
const struct lode_record lode_flame_functions_record =
	LODE_RECORD_OF("functions", function_fields, struct lode_flame_functions);

static const struct lode_field rows_fields[] = {
	LODE_ROWS("clusters", struct lode_cluster_rows, n, lode_cluster_row_make,
		  &lode_cluster_row_record, "in rank order"),
	LODE_FIELD_AS("more", struct lode_cluster_rows, n_more, "clusters left out by --top",
		      .absent = "none is left out"),
	LODE_FIELDS_AT(struct lode_cluster_rows, functions, &lode_flame_functions_record,
		       .absent = "without --detail"),
};
const struct lode_record lode_cluster_rows_record =
	LODE_RECORD_OF("clusters", rows_fields, struct lode_cluster_rows);
