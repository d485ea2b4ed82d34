/* Lays critical paths out as columns, and describes them. */
#include "answers/mine/paths.h"

/* ---- Laying out ---- */

static int64_t *path_column(struct lode_arena *arena, size_t n)
{
	return lode_arena_array(arena, int64_t, n + 1);
}

static struct lode_path_lane lane_of(const struct lode_lanes *lanes,
				     const struct lode_thread_lane *lane, struct lode_arena *arena)
{
	size_t n = lane->events.n;
	struct lode_path_lane out = {lane->pid,
				     lane->tid,
				     lanes->tree.strings.text.at[lane->comm],
				     lane->path_ns,
				     path_column(arena, n),
				     path_column(arena, n),
				     lane->events.at,
				     n};

	for (size_t i = 0; i < n; i++) {
		out.start_ns[i] = lane->events.at[i].start_ns - lanes->t0_ns;
		out.duration_ns[i] = lane->events.at[i].end_ns - lane->events.at[i].start_ns;
	}
	return out;
}

static struct lode_path_spans spans_of(const struct lode_lanes *lanes, struct lode_arena *arena)
{
	size_t n = lanes->spans.n;
	struct lode_path_spans out = {path_column(arena, n), path_column(arena, n), lanes->spans.at,
				      n};

	for (size_t i = 0; i < n; i++) {
		out.start_ns[i] = lanes->spans.at[i].start_ns - lanes->t0_ns;
		out.duration_ns[i] = lanes->spans.at[i].end_ns - lanes->spans.at[i].start_ns;
	}
	return out;
}

static struct lode_path_wakes wakes_of(const struct lode_lanes *lanes, struct lode_arena *arena)
{
	size_t n = lanes->wakes.n;
	struct lode_path_wakes out = {path_column(arena, n), lanes->wakes.at, n};

	for (size_t i = 0; i < n; i++)
		out.t_ns[i] = lanes->wakes.at[i].t_ns - lanes->t0_ns;
	return out;
}

/* Functions stand in the list once each, in order of first use. */
static struct lode_path_stacks stacks_of(const struct lode_calltree *tree, struct lode_arena *arena)
{
	size_t n = tree->nodes.n;
	struct lode_path_stacks out = {lode_arena_array(arena, uint32_t, n + 1),
				       lode_arena_array(arena, uint32_t, n + 1), n,
				       lode_arena_array(arena, const char *, n + 1), 0};
	struct lode_map place_of = {0};
	char name[4096];

	for (size_t i = 0; i < n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];
		uint32_t *place = i ? lode_map_slot(&place_of, node->frame) : NULL;

		if (place && *place == LODE_NONE) {
			*place = (uint32_t)out.n_functions;
			lode_frame_full_name(tree, node->frame, name, sizeof(name));
			out.functions[out.n_functions++] = lode_arena_strdup(arena, name);
		}
		out.parent[i] = i ? node->parent : LODE_NONE;
		out.function[i] = place ? *place : LODE_NONE;
	}
	lode_map_release(&place_of);
	return out;
}

static const struct lode_path_picture *picture_of(const struct lode_lanes *lanes,
						  struct lode_arena *arena)
{
	struct lode_path_picture *out = lode_arena_array(arena, struct lode_path_picture, 1);

	*out = (struct lode_path_picture){
		.n_threads = lanes->n_threads,
		.lanes = lode_arena_array(arena, struct lode_path_lane, lanes->lanes.n + 1),
		.n_lanes = lanes->lanes.n,
		.spans = spans_of(lanes, arena),
		.wakes = wakes_of(lanes, arena),
		.stacks = stacks_of(&lanes->tree, arena),
	};
	for (size_t i = 0; i < lanes->lanes.n; i++)
		out->lanes[i] = lane_of(lanes, &lanes->lanes.at[i], arena);
	return out;
}

static void list_clusters(struct lode_path_row *row, const struct lode_mined *mined,
			  uint32_t symptom, struct lode_arena *arena)
{
	LODE_VEC(uint64_t) ids = {0};

	for (size_t i = 0; i < mined->n_clusters; i++)
		if (mined->clusters[i].n_worst && mined->clusters[i].worst[0].symptom == symptom)
			lode_vec_append(&ids, mined->clusters[i].id);
	row->clusters = lode_arena_array(arena, uint64_t, ids.n + 1);
	row->n_clusters = ids.n;
	for (size_t i = 0; i < ids.n; i++)
		row->clusters[i] = ids.at[i];
	lode_vec_release(&ids);
}

void lode_path_rows_make(struct lode_path_rows *out, const struct lode_mined *mined,
			 const struct lode_cluster_path *paths, size_t n, struct lode_arena *arena)
{
	struct lode_path_row *rows = lode_arena_array(arena, struct lode_path_row, n + 1);
	const struct lode_digest *digest = mined->digest;

	for (size_t i = 0; i < n; i++) {
		const struct lode_cluster_path *path = &paths[i];
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[path->symptom];

		rows[i] = (struct lode_path_row){
			.stream = &digest->streams.at[symptom->stream],
			.symptom = symptom,
			.missing = path->missing,
			.picture = path->missing ? NULL : picture_of(&path->lanes, arena),
		};
		list_clusters(&rows[i], mined, path->symptom, arena);
	}
	*out = (struct lode_path_rows){
		lode_wait_reason_names, lode_device_names, LODE_N_REASONS, LODE_N_DEVICES, rows, n};
}

/* ---- Fields ---- */

static const char kind_numbers[] = "0 running, 1 waiting, 2 ready";
static const char of_reasons[] = "index into `reasons`";

#define LANE_PART(key, part, text) \
	LODE_COLUMN_OF(key, struct lode_path_lane, events, n, struct lode_lane_event, part, text)

static const struct lode_field lane_fields[] = {
	LODE_FIELD(struct lode_path_lane, pid, NULL),
	LODE_FIELD(struct lode_path_lane, tid, NULL),
	LODE_FIELD(struct lode_path_lane, comm, NULL),
	LODE_FIELD(struct lode_path_lane, path_ns, "duration of the path in this thread"),
	LODE_COLUMN("start_ns", struct lode_path_lane, start_ns, n,
		    "what the thread did, on the path or not; relative to the symptom's start"),
	LODE_COLUMN("duration_ns", struct lode_path_lane, duration_ns, n,
		    "spans too short to draw are merged with their neighbours"),
	LANE_PART("kind", kind, kind_numbers),
	LANE_PART("reason", reason, of_reasons),
};
LODE_RECORD(lane, struct lode_path_lane);

#define SPAN_PART(key, type, part, text)                                                          \
	LODE_MEMBERS_OF(key, type, struct lode_path_spans, spans, n, struct lode_lane_span, part, \
			text)

static const struct lode_field span_fields[] = {
	LODE_COLUMN("start_ns", struct lode_path_spans, start_ns, n,
		    "relative to the symptom's start"),
	LODE_COLUMN("duration_ns", struct lode_path_spans, duration_ns, n,
		    "they sum to t1_ns - t0_ns"),
	SPAN_PART("lane", LODE_TYPE_INDEX, lane, "index into `lanes`; -1: a thread without a lane"),
	SPAN_PART("kind", LODE_TYPE_UINT8, kind, kind_numbers),
	SPAN_PART("reason", LODE_TYPE_UINT8, reason, of_reasons),
	SPAN_PART("device", LODE_TYPE_UINT8, device,
		  "index into `devices`: the device that ended the wait"),
	SPAN_PART("stack", LODE_TYPE_UINT32, stack,
		  "index into `stacks`; 0: no stack was recorded"),
	SPAN_PART("merged", LODE_TYPE_UINT32, merged, "number of spans merged into it"),
};
LODE_RECORD(span, struct lode_path_spans);

#define WAKE_PART(key, part, text)                                              \
	LODE_MEMBERS_OF(key, LODE_TYPE_INDEX, struct lode_path_wakes, wakes, n, \
			struct lode_lane_wake, part, text)

static const struct lode_field wake_fields[] = {
	LODE_COLUMN("t_ns", struct lode_path_wakes, t_ns, n, "relative to the symptom's start"),
	WAKE_PART("from", from, "index into `lanes`; -1: a device"),
	WAKE_PART("to", to, "index into `lanes`"),
};
LODE_RECORD(wake, struct lode_path_wakes);

static const struct lode_field stack_fields[] = {
	LODE_LIST_OF("parent", LODE_TYPE_INDEX, struct lode_path_stacks, parent, n,
		     "index of the caller's node; node 0 is the empty stack"),
	LODE_LIST_OF("function", LODE_TYPE_INDEX, struct lode_path_stacks, function, n,
		     "index into `functions`"),
	LODE_COLUMN("functions", struct lode_path_stacks, functions, n_functions, NULL),
};
LODE_RECORD(stack, struct lode_path_stacks);

static const struct lode_field picture_fields[] = {
	LODE_FIELD_AS("threads", struct lode_path_picture, n_threads,
		      "threads on the path, including those without a lane"),
	LODE_LIST(
		"lanes", struct lode_path_picture, lanes, n_lanes, &lane_record,
		"threads in the order in which they join the path; the symptom's thread is first"),
	LODE_FIELD_RECORD("spans", struct lode_path_picture, spans, &span_record,
			  "the critical path"),
	LODE_FIELD_RECORD("wakes", struct lode_path_picture, wakes, &wake_record,
			  "threads that ended waits of the path, for the longest waits"),
	LODE_FIELD_RECORD("stacks", struct lode_path_picture, stacks, &stack_record, NULL),
};
LODE_RECORD(picture, struct lode_path_picture);

static const struct lode_field stream_fields[] = {
	LODE_FIELD_OF("stream", LODE_TYPE_NAME, struct lode_digest_stream, path, NULL),
	LODE_FIELD_ID("stream_id", struct lode_digest_stream, content_hash, NULL),
};
LODE_RECORD(stream, struct lode_digest_stream);

static const struct lode_field symptom_fields[] = {
	LODE_FIELD(struct lode_digest_symptom, pid, NULL),
	LODE_FIELD(struct lode_digest_symptom, tid, NULL),
	LODE_FIELD_OF("comm", LODE_TYPE_NAME, struct lode_digest_symptom, comm, NULL),
	LODE_FIELD(struct lode_digest_symptom, t0_ns, NULL),
	LODE_FIELD(struct lode_digest_symptom, t1_ns, NULL),
};
const struct lode_record lode_mine_symptom_record =
	LODE_RECORD_OF("symptom", symptom_fields, struct lode_digest_symptom);

static const struct lode_field head_fields[] = {
	LODE_FIELDS_AT(struct lode_path_row, stream, &stream_record),
	LODE_FIELDS_AT(struct lode_path_row, symptom, &lode_mine_symptom_record),
	LODE_LIST_OF("clusters", LODE_TYPE_ID, struct lode_path_row, clusters, n_clusters,
		     "ranks of the clusters whose worst symptom this is"),
};
LODE_RECORD(head, struct lode_path_row);

static const struct lode_field there_fields[] = {
	LODE_FIELDS_HERE(&head_record),
	LODE_FIELDS_AT(struct lode_path_row, picture, &picture_record),
};
const struct lode_record lode_path_there_record =
	LODE_RECORD_OF("path", there_fields, struct lode_path_row);

static const struct lode_field path_fields[] = {
	LODE_FIELDS_HERE(&head_record),
	LODE_FIELD(struct lode_path_row, missing,
		   "why there is no path; the other fields are then absent",
		   .absent = "there is one"),
	LODE_FIELDS_AT(struct lode_path_row, picture, &picture_record,
		       .absent = "the path is missing"),
};
const struct lode_record lode_path_record =
	LODE_RECORD_OF("path", path_fields, struct lode_path_row);

static const struct lode_field word_fields[] = {
	LODE_COLUMN("reasons", struct lode_path_rows, reasons, n_reasons,
		    "names of wait reasons, by number"),
	LODE_COLUMN("devices", struct lode_path_rows, devices, n_devices,
		    "names of devices, by number"),
};
const struct lode_record lode_path_words_record =
	LODE_RECORD_OF("words", word_fields, struct lode_path_rows);
