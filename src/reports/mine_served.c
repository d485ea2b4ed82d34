#include "reports/mine_served.h"

#include "reports/cluster_rows.h"
#include "reports/input_fields.h"
#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/mine_paths_json.h"
#include "reports/signature_report.h"

/* Of lists inside of one cluster's document. */
enum { TOP_INSIDE = 50 };

static const char *string_at(const struct lode_digest *digest, uint32_t id)
{
	return digest->tree.strings.text.at[id];
}

/* Of one alone, there is room for a large picture. */
enum { ROOM_OF_ONE = 30 };

static const struct lode_field frames_fields[] = {
	LODE_FRAMES("frames", struct lode_cluster_rows, frames, n_frames, NULL),
	LODE_FIELDS_END,
};
static const struct lode_record frames_record = {"frames", frames_fields,
						 sizeof(struct lode_cluster_rows)};

void lode_mine_cluster_json(FILE *out, const struct lode_mine_report *report,
			    const struct lode_cluster *cluster)
{
	struct lode_json *json = lode_json_open(out, "lode/mine-cluster/1");
	struct lode_names names = lode_tree_names(&report->mined->digest->tree);
	struct lode_cluster_rows_options options = {.top = TOP_INSIDE,
						    .has_detail = true,
						    .signatures = report->signatures,
						    .n_sharing = ROOM_OF_ONE};
	struct lode_cluster_rows rows;

	lode_cluster_rows_build(&rows, report->mined, cluster, &options);
	lode_json_text(json, "unit", report->mined->digest->unit);
	lode_json_int(json, "symptom_ns", report->mined->symptom_ns);
	lode_record_put(json, "cluster", &lode_cluster_row_record, rows.at, &names);
	lode_fields_put(json, &frames_record, &rows, &names);
	lode_json_close(json);
	lode_cluster_rows_release(&rows);
}

/* ---- Streams and symptoms ---- */

static void put_symptom(struct lode_json *json, const struct lode_drill *drill,
			const struct lode_cluster_worst *worst)
{
	const struct lode_digest *digest = drill->mined->digest;
	const struct lode_digest_symptom *s = &digest->symptoms.at[worst->symptom];

	lode_json_object(json, NULL);
	lode_json_int(json, "symptom", drill->number[worst->symptom]);
	lode_json_int(json, "pid", s->pid);
	lode_json_int(json, "tid", s->tid);
	lode_json_text(json, "comm", string_at(digest, s->comm));
	lode_json_int(json, "t0_ns", s->t0_ns);
	lode_json_int(json, "t1_ns", s->t1_ns);
	lode_json_int(json, "cost_ns", worst->symptom_cost_ns);
	lode_json_number(json, "share", lode_ratio(worst->symptom_cost_ns, s->t1_ns - s->t0_ns));
	lode_json_int(json, "event_t0_ns", worst->t0_ns);
	lode_json_int(json, "event_ns", worst->cost_ns);
	lode_json_end_object(json);
}

static void put_time(struct lode_json *json, const struct lode_stream_set *set, uint32_t stream)
{
	const struct lode_digest_stream *s = &set->job.digest->streams.at[stream];
	char text[LODE_SIGNATURE_TIME_BYTES] = "";
	int64_t time_ns = 0;

	if (stream < set->described.list.n)
		time_ns = set->described.list.at[stream].time_ns;
	else if (!s->has_wall_clock ||
		 __builtin_add_overflow(s->t0_ns, s->wall_offset_ns, &time_ns))
		time_ns = 0;
	if (time_ns > 0)
		lode_signature_time_text(text, time_ns / 1000000000);
	if (*text)
		lode_json_text(json, "time", text);
	else
		lode_json_null(json, "time");
}

static void put_labels(struct lode_json *json, const struct lode_stream_set *set, uint32_t stream)
{
	lode_json_object(json, "labels");
	if (stream < set->described.list.n) {
		const struct lode_repo_stream *s = &set->described.list.at[stream];

		for (size_t i = 0; i < s->n_labels; i++)
			lode_json_text(json, s->labels[i].key, s->labels[i].value);
	}
	lode_json_end_object(json);
}

static void put_stream(struct lode_json *json, const struct lode_stream_set *set,
		       const struct lode_drill *drill, const struct lode_cluster *cluster,
		       const struct lode_drill_stream *at)
{
	const struct lode_digest *digest = drill->mined->digest;
	const struct lode_digest_stream *s = &digest->streams.at[at->stream];
	int64_t symptom_ns = drill->symptom_ns[at->stream];

	lode_json_object(json, NULL);
	lode_json_int(json, "stream", at->stream);
	lode_json_id(json, "id", s->content_hash);
	lode_json_text(json, "path", string_at(digest, s->path));
	lode_json_text(json, "host", string_at(digest, s->host));
	lode_json_text(json, "kernel", string_at(digest, s->kernel));
	put_time(json, set, at->stream);
	put_labels(json, set, at->stream);
	lode_json_int(json, "symptoms", at->n_symptoms);
	lode_json_int(json, "symptom_ns", symptom_ns);
	lode_json_int(json, "cost_ns", at->cost_ns);
	lode_json_number(json, "share", lode_ratio(at->cost_ns, symptom_ns));
	lode_json_array(json, "worst");
	for (uint32_t i = 0; i < at->n_symptoms && i < LODE_DRILL_WORST; i++)
		put_symptom(json, drill, &cluster->worst[at->worst[i]]);
	lode_json_end_array(json);
	lode_json_end_object(json);
}

void lode_mine_streams_json(FILE *out, struct lode_stream_set *set, const struct lode_drill *drill,
			    const struct lode_cluster *cluster, const lode_drill_streams *streams,
			    size_t top)
{
	struct lode_json *json = lode_json_open(out, "lode/mine-streams/1");
	size_t n = streams->n < top ? streams->n : top;
	size_t n_shared = cluster->n_streams > streams->n ? cluster->n_streams - streams->n : 0;

	lode_json_text(json, "unit", set->job.digest->unit);
	lode_json_id(json, "cluster", cluster->id);
	lode_json_int(json, "own_ns", cluster->own_ns);
	lode_json_int(json, "total_ns", cluster->total_ns);
	lode_json_array(json, "streams");
	for (size_t i = 0; i < n; i++)
		put_stream(json, set, drill, cluster, &streams->at[i]);
	lode_json_end_array(json);
	if (n < streams->n)
		lode_json_int(json, "more", (int64_t)(streams->n - n));
	lode_json_int(json, "shared", (int64_t)n_shared);
	lode_json_close(json);
}

void lode_mine_symptoms_json(FILE *out, struct lode_stream_set *set, const struct lode_drill *drill,
			     const struct lode_cluster *cluster, uint32_t stream,
			     const lode_drill_symptoms *symptoms, size_t top)
{
	struct lode_json *json = lode_json_open(out, "lode/mine-symptoms/1");
	const struct lode_digest *digest = set->job.digest;
	const struct lode_digest_stream *s = &digest->streams.at[stream];
	size_t n = symptoms->n < top ? symptoms->n : top;

	lode_json_text(json, "unit", digest->unit);
	lode_json_id(json, "cluster", cluster->id);
	lode_json_int(json, "stream", stream);
	lode_json_id(json, "id", s->content_hash);
	lode_json_text(json, "path", string_at(digest, s->path));
	lode_json_array(json, "symptoms");
	for (size_t i = 0; i < n; i++)
		put_symptom(json, drill, &cluster->worst[symptoms->at[i]]);
	lode_json_end_array(json);
	if (n < symptoms->n)
		lode_json_int(json, "more", (int64_t)(symptoms->n - n));
	lode_json_close(json);
}

void lode_mine_one_path_json(FILE *out, const struct lode_mine_report *report,
			     const struct lode_cluster_path *path)
{
	struct lode_json *json = lode_json_open(out, "lode/mine-path/1");

	lode_mine_path_words_json(json);
	lode_mine_path_json(json, "path", report, path);
	lode_json_close(json);
}

/* ---- Signatures ---- */

static const char *state_of(const struct lode_signature *s)
{
	return s->is_retired ? "retired" : "active";
}

static void put_signature(struct lode_json *json, const struct lode_mine_signatures *r, size_t i)
{
	const struct lode_signature_cost *cost = &r->coverage->signatures[i];

	lode_json_object(json, NULL);
	lode_signature_members_json(json, &r->signatures->list.at[i]);
	lode_json_int(json, "total_ns", cost->total_ns);
	lode_json_int(json, "exclusive_ns", cost->exclusive_ns);
	lode_json_number(json, "share", lode_ratio(cost->total_ns, r->coverage->all.symptom_ns));
	lode_json_int(json, "streams", cost->n_streams);
	lode_json_int(json, "symptoms", cost->n_symptoms);
	lode_json_end_object(json);
}

/* What a share of the cluster is a share of: its own cost, or what it matches if it owns nothing.
 */
static int64_t whole_of(const struct lode_cluster *cluster)
{
	int64_t whole = 0;

	for (size_t i = 0; i < cluster->n_stacks; i++)
		whole += cluster->stacks[i].cost_ns;
	return whole;
}

/* The matches of one cluster, from matches[i] on; gives where the next one's begin. */
static size_t put_matches(struct lode_json *json, const struct lode_mine_signatures *r, size_t i)
{
	uint32_t number = r->matches->at[i].cluster;
	const struct lode_cluster *cluster = &r->mined->clusters[number];
	int64_t whole = whole_of(cluster);

	lode_json_object(json, NULL);
	lode_json_id(json, "id", cluster->id);
	lode_json_array(json, "signatures");
	for (; i < r->matches->n && r->matches->at[i].cluster == number; i++) {
		const struct lode_cluster_match *m = &r->matches->at[i];
		const struct lode_signature *s = &r->signatures->list.at[m->signature];

		lode_json_object(json, NULL);
		lode_json_text(json, "name", s->name);
		lode_json_text(json, "state", state_of(s));
		lode_json_int(json, "matched_ns", m->matched_ns);
		lode_json_number(json, "share", lode_ratio(m->matched_ns, whole));
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_end_object(json);
	return i;
}

void lode_mine_signatures_json(FILE *out, const struct lode_mine_signatures *r)
{
	struct lode_json *json = lode_json_open(out, "lode/mine-signatures/1");
	const struct lode_stream_cover *all = &r->coverage->all;

	lode_json_text(json, "path", r->path);
	lode_json_text(json, "unit", r->mined->digest->unit);
	lode_json_int(json, "symptom_ns", all->symptom_ns);
	lode_json_int(json, "covered_ns", all->covered_ns);
	lode_json_int(json, "returned_ns", all->returned_ns);
	lode_json_number(json, "coverage", lode_ratio(all->covered_ns, all->symptom_ns));
	lode_json_array(json, "signatures");
	for (size_t i = 0; i < r->signatures->list.n; i++)
		put_signature(json, r, i);
	lode_json_end_array(json);
	lode_json_array(json, "clusters");
	for (size_t i = 0; i < r->matches->n;)
		i = put_matches(json, r, i);
	lode_json_end_array(json);
	lode_json_close(json);
}

/* ---- Trends ---- */

void lode_mine_trend_json(FILE *out, const struct lode_mine_trend *trend)
{
	struct lode_json *json = lode_json_open(out, "lode/mine-trend/1");

	lode_json_text(json, "unit", trend->unit);
	lode_json_text(json, "by", trend->by);
	lode_json_array(json, "keys");
	for (size_t i = 0; i < trend->keys->n; i++)
		lode_json_text(json, NULL, trend->keys->at[i]);
	lode_json_end_array(json);
	if (trend->cluster)
		lode_json_id(json, "cluster", trend->cluster->id);
	else
		lode_json_text(json, "signature", trend->signature);
	lode_json_array(json, "groups");
	for (size_t g = 0; g < trend->groups->n; g++) {
		const struct lode_group_cost *at = &trend->at[g];

		lode_json_object(json, NULL);
		lode_json_text(json, "value", trend->groups->names[g]);
		lode_json_int(json, "streams", at->n_streams);
		lode_json_int(json, "streams_with", at->n_with);
		lode_json_int(json, "symptom_ns", at->symptom_ns);
		lode_json_int(json, "matched_ns", at->cost_ns);
		lode_json_number(json, "share", lode_ratio(at->cost_ns, at->symptom_ns));
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_close(json);
}
