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
		      "thread name, as in links; [idle]: the CPU was idle; [unrecorded]: unknown; "
		      "[no wake-ups]: none were recorded"),
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
	LODE_FIELD(struct lode_mined_pattern, own_ns, "cost of the stacks assigned to it"),
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
	LODE_FIELD_AS("t0_ns", struct lode_digest_row, worst_t0_ns, "start of its costliest event"),
};
LODE_RECORD(worst_start, struct lode_digest_row);

static const struct lode_field worst_cost_fields[] = {
	LODE_FIELD_AS("cost_ns", struct lode_cluster_worst, symptom_cost_ns,
		      "cost of the cluster in this symptom"),
};
LODE_RECORD(worst_cost, struct lode_cluster_worst);

static const struct lode_field worst_event_fields[] = {
	LODE_FIELD_AS("event_ns", struct lode_digest_row, worst_cost_ns,
		      "cost of its costliest event"),
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
		   "ready: a thread of the chain waited for a CPU; cpu: the waiting thread itself "
		   "ran; otherwise the wait reason"),
	LODE_FIELD(struct lode_cluster_part, cost_ns, NULL, .is_positive = true),
};
LODE_RECORD(part, struct lode_cluster_part);

static const struct lode_field end_fields[] = {
	LODE_FIELD(struct lode_cluster_part, name,
		   "cpu; ready: others had the CPU; CPU limit; unknown; otherwise a wait reason"),
	LODE_FIELD(struct lode_cluster_part, cost_ns, NULL, .is_positive = true),
};
LODE_RECORD(end, struct lode_cluster_part);

static const struct lode_field signature_fields[] = {
	LODE_FIELD(struct lode_cluster_signature_row, kind,
		   "kinds of events, joined by commas; empty: any"),
	LODE_COLUMN("patterns", struct lode_cluster_signature_row, patterns, n_patterns,
		    "in the syntax of lode sign"),
	LODE_FIELD(struct lode_cluster_signature_row, total_ns,
		   "what it matches in these recordings"),
};
LODE_RECORD(signature, struct lode_cluster_signature_row);

/* ---- What pages are drawn of ---- */

static const struct lode_field brief_fields[] = {
	LODE_FIELD(struct lode_cluster_brief, why,
		   "the largest of `ends` with its share, and the second largest if it is at least "
		   "a third, each after what the first thread waited in"),
	LODE_COLUMN("brief", struct lode_cluster_brief, lines, n_lines,
		    "the most distinctive functions, one line per thread, escaped for terminals"),
	LODE_FIELD_AS("brief_variants", struct lode_cluster_brief, variants,
		      "the most distinctive variants, on one line; empty if there are none"),
};
const struct lode_record lode_cluster_brief_record =
	LODE_RECORD_OF("brief", brief_fields, struct lode_cluster_brief);

static const struct lode_field variant_fields[] = {
	LODE_FIELD(struct lode_variant, own_ns, "own cost of the patterns with this variant"),
	LODE_FRAMES("functions", struct lode_variant, frames, n,
		    "empty: the stack continues directly"),
};
LODE_RECORD(variant, struct lode_variant);

static const struct lode_field gap_fields[] = {
	LODE_FIELD(struct lode_gap_row, before,
		   "the variants precede this index of `common`; its length: they follow the last "
		   "function"),
	LODE_LIST("variants", struct lode_gap_row, variants, n_variants, &variant_record,
		  "costliest first"),
	LODE_FIELD_AS("more", struct lode_gap_row, n_more, NULL, .absent = "none are left out"),
	LODE_FIELD(struct lode_gap_row, more_ns, NULL, .absent = "none are left out"),
};
LODE_RECORD(gap, struct lode_gap_row);

static const struct lode_field by_stream_fields[] = {
	LODE_COLUMN_OF("stream", struct lode_cluster_detail, by_stream, n_by_stream,
		       struct lode_cluster_stream, stream,
		       "index of the recording in `inputs` (which `top` may truncate)"),
	LODE_COLUMN_OF("cost_ns", struct lode_cluster_detail, by_stream, n_by_stream,
		       struct lode_cluster_stream, cost_ns,
		       "cost in the recording at the same index; sums to own_ns (to total_ns if "
		       "own_ns is 0)"),
};
LODE_RECORD(by_stream, struct lode_cluster_detail);

static const struct lode_field detail_fields[] = {
	LODE_LIST("gap_variants", struct lode_cluster_detail, gaps, n_gaps, &gap_record,
		  "variants between the common functions"),
	LODE_RECORD_HERE("by_stream", &by_stream_record,
			 "own cost by recording, where there is any"),
};
const struct lode_record lode_cluster_detail_record =
	LODE_RECORD_OF("detail", detail_fields, struct lode_cluster_detail);

#define NODES(key, type, part, text)                                                               \
	LODE_MEMBERS_OF(key, type, struct lode_flame_rows, nodes, n_nodes, struct lode_flame_node, \
			part, text)

static const struct lode_field flame_tree_fields[] = {
	NODES("parent", LODE_TYPE_INDEX, parent, "index of the caller's node, -1 for roots"),
	NODES("frame", LODE_TYPE_UINT32, frame, "index into the document's `frames`"),
	LODE_FIELD_AS("left_out", struct lode_flame_rows, n_left_out, "small nodes omitted"),
	LODE_FIELD(struct lode_flame_rows, left_out_ns,
		   "their cost, which is counted in their callers"),
};
const struct lode_record lode_flame_tree_record =
	LODE_RECORD_OF("tree", flame_tree_fields, struct lode_flame_rows);

static const struct lode_field flame_fields[] = {
	LODE_FIELDS_HERE(&lode_flame_tree_record),
	NODES("own_ns", LODE_TYPE_INT64, own_ns,
	      "exclusive cost: of stacks that end here; sums to the cost in by_stream"),
	NODES("wait_ns", LODE_TYPE_INT64, wait_ns, "of own_ns: waiting"),
	NODES("ready_ns", LODE_TYPE_INT64, ready_ns,
	      "of own_ns: ready, waiting for a CPU; the rest was running"),
};
const struct lode_record lode_flame_record =
	LODE_RECORD_OF("flame", flame_fields, struct lode_flame_rows);

static const struct lode_field picture_fields[] = {
	LODE_FIELDS_HERE(&lode_cluster_detail_record),
	LODE_FIELD_RECORD("flame", struct lode_cluster_detail, flame, &lode_flame_record,
			  "the cluster's stacks as one call tree, in columns by node; callers "
			  "precede callees"),
};
LODE_RECORD(picture, struct lode_cluster_detail);

/* ---- One cluster ---- */

static const struct lode_field id_fields[] = {
	LODE_FIELD_ID("id", struct lode_cluster, id,
		      "hash of the functions of its patterns: stable across runs that find the "
		      "same patterns"),
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
	LODE_FIELD(struct lode_cluster, ready_unknown_ns,
		   "part of split.ready_ns in which no other thread is known to have had the CPU"),
	LODE_FIELD(struct lode_cluster, unsampled_ns,
		   "of own_ns: running time without a CPU sample, attributed by samples of similar "
		   "runs"),
	LODE_FIELD_AS("own_least_ns", struct lode_cluster, least_ns,
		      "lower bound of own_ns: without that time"),
	LODE_FIELD_AS("own_most_ns", struct lode_cluster, most_ns,
		      "upper bound of own_ns: with all such time of the same threads at the same "
		      "points of their chains"),
	LODE_LIST("ran_instead", struct lode_cluster, ran_instead, n_ran_instead,
		  &lode_runner_record, "what had the CPU during its ready time, by cost"),
};
LODE_RECORD(split, struct lode_cluster);

static const struct lode_field cost_fields[] = {
	LODE_FIELD(struct lode_cluster, own_ns,
		   "own cost: each stack counts in one cluster only, so own costs add up",
		   .label = "own"),
	LODE_FIELD(struct lode_cluster, total_ns,
		   "total (inclusive) cost: of all stacks that contain one of its patterns or "
		   "belong to it, even if another cluster owns them",
		   .label = "total", .drop = 1),
	LODE_FIELD_AS("occurrences", struct lode_cluster, n_occurrences,
		      "runs on the CPU, and stays off it, of the symptoms' threads that own_ns is "
		      "of, however many events each consists of; of samples: their number",
		      .absent = "their number is not known, as of digests of older versions, or "
				"own_ns is 0",
		      .label = "times", .drop = 2),
	LODE_FIELD(struct lode_cluster, mean_ns, "own_ns / occurrences",
		   .absent = "there are no occurrences", .label = "mean", .drop = 2),
	LODE_FIELD(struct lode_cluster, average_ns, "total_ns per event"),
	LODE_FIELD_AS("events", struct lode_cluster, n_events, NULL),
	LODE_FIELD_AS("streams", struct lode_cluster, n_streams, "recordings in which it occurs",
		      .label = "recs", .drop = 3),
	LODE_FIELD_AS("symptoms", struct lode_cluster, n_symptoms, NULL),
};
const struct lode_record lode_cluster_cost_record =
	LODE_RECORD_OF("cost", cost_fields, struct lode_cluster);

static const struct lode_field common_fields[] = {
	LODE_FIELD(struct lode_cluster, min_similarity,
		   "lowest similarity of any two of its patterns", .is_positive = true, .most = 1),
	LODE_FRAMES("common", struct lode_cluster, common, n_common,
		    "shared call path: the functions that all of its patterns have, in order"),
};
LODE_RECORD(common, struct lode_cluster);

static const struct lode_field way_fields[] = {
	LODE_FIELD(struct lode_headline_way, name, "of the function, or of the program"),
	LODE_FIELD(struct lode_headline_way, is_thread, NULL),
	LODE_FIELD(struct lode_headline_way, share, "of the cost", .is_positive = true, .most = 1),
};
LODE_RECORD(way, struct lode_headline_way);

static const struct lode_field hop_fields[] = {
	LODE_FIELD(struct lode_headline_hop, thread,
		   "thread name without pool numbers; empty: several threads, or none"),
	LODE_FRAMES("functions", struct lode_headline_hop, frames, n,
		    "its most distinctive functions, at most six"),
	LODE_FRAMES("branch", struct lode_headline_hop, branch, n_branch,
		    "of the last thread: the one or two functions through which more than half of "
		    "the cost continues; of threads that only the branch has: their most "
		    "distinctive functions, at most six",
		    .absent = "no function has that much, or nearly all of it is in one"),
	LODE_FIELD(struct lode_headline_hop, branch_share,
		   "share of the cost that continues through the branch", .is_positive = true,
		   .most = 1, .absent = "there is no main branch"),
	LODE_LIST(
		"forks", struct lode_headline_hop, forks, n_forks, &way_record,
		"of the last thread: the two or three largest ways in which the cost continues",
		.absent =
			"one way has more than half of it, or a function of the program has nearly "
			"all of it"),
};
const struct lode_record lode_headline_hop_record =
	LODE_RECORD_OF("hop", hop_fields, struct lode_headline_hop);

#define MORE(key, member) \
	LODE_FIELD_AS(key, struct lode_cluster_row, member, NULL, .absent = "none are left out")

static const struct lode_field row_fields[] = {
	LODE_FIELDS_AT(struct lode_cluster_row, cluster, &id_record),
	LODE_FIELD_CHOICE("kind", struct lode_cluster_row, kind, lode_event_kind_names,
			  "the kind of event with the largest share of its own cost"),
	LODE_FIELD_CHOICE("reason", struct lode_cluster_row, reason, lode_wait_reason_names,
			  "the most frequent wait reason, by cost"),
	LODE_FIELDS_AT(struct lode_cluster_row, cluster, &split_record),
	LODE_MAP_FIELD("reasons", struct lode_cluster_row, reasons, n_reasons, &reason_record,
		       "own cost by wait reason", .choices = lode_reason_cost_names),
	LODE_LIST("parts", struct lode_cluster_row, parts, n_parts, &part_record,
		  "components of its own cost, largest first; they sum to own_ns"),
	LODE_LIST("ends", struct lode_cluster_row, ends, n_ends, &end_record,
		  "its own cost by what the last threads of chains did, largest first; they sum to "
		  "own_ns"),
	LODE_FIELDS_AT(struct lode_cluster_row, cluster, &lode_cluster_cost_record),
	LODE_FIELD(struct lode_cluster_row, coverage, "own_ns / symptom_ns", .is_positive = true),
	LODE_FIELDS_AT(struct lode_cluster_row, cluster, &common_record),
	LODE_COLUMN("gaps", struct lode_cluster_row, gaps, n_gaps,
		    "indices into `common` that variants precede"),
	LODE_LIST("headline", struct lode_cluster_row, headline, n_headline,
		  &lode_headline_hop_record, LODE_HEADLINE_DOC),
	LODE_LIST("wakers", struct lode_cluster_row, wakers, n_wakers, &waker_record,
		  "threads and devices that ended its waits"),
	MORE("wakers_more", n_wakers_more),
	LODE_LIST("patterns", struct lode_cluster_row, patterns, n_patterns, &pattern_record,
		  "by cost"),
	MORE("patterns_more", n_patterns_more),
	LODE_FIELD_RECORD("signature", struct lode_cluster_row, signature, &signature_record,
			  "the signature that `lode sign` creates for the cluster"),
	LODE_ROWS("worst", struct lode_cluster_row, n_worst, make_worst_row, &worst_record,
		  "symptoms, by the cluster's cost in them"),
	MORE("worst_more", n_worst_more),
	LODE_FIELDS_AT(struct lode_cluster_row, brief, &lode_cluster_brief_record,
		       .absent = "--detail is not given"),
	LODE_FIELDS_AT(struct lode_cluster_row, detail, &picture_record,
		       .absent = "--detail is not given"),
};
const struct lode_record lode_cluster_row_record =
	LODE_RECORD_OF("cluster", row_fields, struct lode_cluster_row);

/* ---- All of them ---- */

static const struct lode_field function_fields[] = {
	LODE_FRAMES("frames", struct lode_flame_functions, frames.at, frames.n,
		    "functions of all flame graphs"),
};
const struct lode_record lode_flame_functions_record =
	LODE_RECORD_OF("functions", function_fields, struct lode_flame_functions);

static const struct lode_field rows_fields[] = {
	LODE_ROWS("clusters", struct lode_cluster_rows, n, lode_cluster_row_make,
		  &lode_cluster_row_record, "in rank order"),
	LODE_FIELD_AS("more", struct lode_cluster_rows, n_more, "clusters left out by --top",
		      .absent = "none are left out"),
	LODE_FIELDS_AT(struct lode_cluster_rows, functions, &lode_flame_functions_record,
		       .absent = "--detail is not given"),
};
const struct lode_record lode_cluster_rows_record =
	LODE_RECORD_OF("clusters", rows_fields, struct lode_cluster_rows);
