#include "model/reason.h"
#include "reports/mine_paths_json.h"

/* Functions of one path's stacks, each once: their places in "functions". */
struct functions {
	struct lode_map place_of;
	LODE_VEC(uint32_t) frames;
};

static uint32_t function_place(struct functions *functions, uint32_t frame)
{
	uint32_t *place = lode_map_slot(&functions->place_of, frame);

	if (*place == LODE_NONE) {
		*place = (uint32_t)functions->frames.n;
		lode_vec_append(&functions->frames, frame);
	}
	return *place;
}

#define PUT_COLUMN(json, key, vec, type, value)             \
	do {                                                \
		lode_json_array(json, key);                 \
		for (size_t i_ = 0; i_ < (vec).n; i_++) {   \
			const type *at = &(vec).at[i_];     \
                                                            \
			lode_json_int(json, NULL, (value)); \
		}                                           \
		lode_json_end_array(json);                  \
	} while (0)

static int64_t index_or_none(uint32_t index)
{
	return index == LODE_NONE ? -1 : (int64_t)index;
}

static void put_lanes(struct lode_json *json, const struct lode_lanes *l)
{
	lode_json_array(json, "lanes");
	for (size_t i = 0; i < l->lanes.n; i++) {
		const struct lode_thread_lane *lane = &l->lanes.at[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "pid", lane->pid);
		lode_json_int(json, "tid", lane->tid);
		lode_json_text(json, "comm", l->tree.strings.text.at[lane->comm]);
		lode_json_int(json, "path_ns", lane->path_ns);
		PUT_COLUMN(json, "start_ns", lane->events, struct lode_lane_event,
			   at->start_ns - l->t0_ns);
		PUT_COLUMN(json, "duration_ns", lane->events, struct lode_lane_event,
			   at->end_ns - at->start_ns);
		PUT_COLUMN(json, "kind", lane->events, struct lode_lane_event, at->kind);
		PUT_COLUMN(json, "reason", lane->events, struct lode_lane_event, at->reason);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_spans(struct lode_json *json, const struct lode_lanes *l)
{
	lode_json_object(json, "spans");
	PUT_COLUMN(json, "start_ns", l->spans, struct lode_lane_span, at->start_ns - l->t0_ns);
	PUT_COLUMN(json, "duration_ns", l->spans, struct lode_lane_span, at->end_ns - at->start_ns);
	PUT_COLUMN(json, "lane", l->spans, struct lode_lane_span, index_or_none(at->lane));
	PUT_COLUMN(json, "kind", l->spans, struct lode_lane_span, at->kind);
	PUT_COLUMN(json, "reason", l->spans, struct lode_lane_span, at->reason);
	PUT_COLUMN(json, "device", l->spans, struct lode_lane_span, at->device);
	PUT_COLUMN(json, "stack", l->spans, struct lode_lane_span, at->stack);
	PUT_COLUMN(json, "merged", l->spans, struct lode_lane_span, at->merged);
	lode_json_end_object(json);
	lode_json_object(json, "wakes");
	PUT_COLUMN(json, "t_ns", l->wakes, struct lode_lane_wake, at->t_ns - l->t0_ns);
	PUT_COLUMN(json, "from", l->wakes, struct lode_lane_wake, index_or_none(at->from));
	PUT_COLUMN(json, "to", l->wakes, struct lode_lane_wake, index_or_none(at->to));
	lode_json_end_object(json);
}

/* The tree of the spans' stacks: node 0 is the empty one. */
static void put_stacks(struct lode_json *json, const struct lode_lanes *l)
{
	struct functions functions = {0};
	char name[4096];

	lode_json_object(json, "stacks");
	lode_json_array(json, "parent");
	for (size_t i = 0; i < l->tree.nodes.n; i++)
		lode_json_int(json, NULL, i ? (int64_t)l->tree.nodes.at[i].parent : -1);
	lode_json_end_array(json);
	lode_json_array(json, "function");
	for (size_t i = 0; i < l->tree.nodes.n; i++)
		lode_json_int(json, NULL,
			      i ? (int64_t)function_place(&functions, l->tree.nodes.at[i].frame)
				: -1);
	lode_json_end_array(json);
	lode_json_array(json, "functions");
	for (size_t i = 0; i < functions.frames.n; i++)
		lode_json_text(json, NULL,
			       lode_frame_full_name(&l->tree, functions.frames.at[i], name,
						    sizeof(name)));
	lode_json_end_array(json);
	lode_json_end_object(json);
	lode_map_release(&functions.place_of);
	lode_vec_release(&functions.frames);
}

/* Whose worst symptom it is. */
static void put_clusters(struct lode_json *json, const struct lode_mined *m, uint32_t symptom)
{
	lode_json_array(json, "clusters");
	for (size_t c = 0; c < m->n_clusters; c++)
		if (m->clusters[c].n_worst && m->clusters[c].worst[0].symptom == symptom)
			lode_json_id(json, NULL, m->clusters[c].id);
	lode_json_end_array(json);
}

void lode_mine_path_json(struct lode_json *json, const char *key,
			 const struct lode_mine_report *report,
			 const struct lode_cluster_path *path)
{
	const struct lode_digest *digest = report->mined->digest;
	const struct lode_digest_symptom *s = &digest->symptoms.at[path->symptom];
	const struct lode_digest_stream *stream = &digest->streams.at[s->stream];

	lode_json_object(json, key);
	lode_json_text(json, "stream", digest->tree.strings.text.at[stream->path]);
	lode_json_id(json, "stream_id", stream->content_hash);
	lode_json_int(json, "pid", s->pid);
	lode_json_int(json, "tid", s->tid);
	lode_json_text(json, "comm", digest->tree.strings.text.at[s->comm]);
	lode_json_int(json, "t0_ns", s->t0_ns);
	lode_json_int(json, "t1_ns", s->t1_ns);
	put_clusters(json, report->mined, path->symptom);
	if (path->missing) {
		lode_json_text(json, "missing", path->missing);
	} else {
		lode_json_int(json, "threads", (int64_t)path->lanes.n_threads);
		put_lanes(json, &path->lanes);
		put_spans(json, &path->lanes);
		put_stacks(json, &path->lanes);
	}
	lode_json_end_object(json);
}

void lode_mine_path_words_json(struct lode_json *json)
{
	lode_json_array(json, "reasons");
	for (unsigned r = 0; r < LODE_N_REASONS; r++)
		lode_json_text(json, NULL, lode_wait_reason_name((enum lode_wait_reason)r));
	lode_json_end_array(json);
	lode_json_array(json, "devices");
	for (unsigned d = 0; d < LODE_N_DEVICES; d++)
		lode_json_text(json, NULL, lode_device_name((enum lode_device)d));
	lode_json_end_array(json);
}

void lode_mine_paths_json(struct lode_json *json, const struct lode_mine_report *report)
{
	if (!report->paths)
		return;
	lode_mine_path_words_json(json);
	lode_json_array(json, "paths");
	for (size_t i = 0; i < report->paths->at.n; i++)
		lode_mine_path_json(json, NULL, report, &report->paths->at.at[i]);
	lode_json_end_array(json);
}
