#include <string.h>

#include "job/cluster_signatures.h"
#include "model/signature.h"
#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/mine_detail_json.h"
#include "reports/mine_report.h"

static size_t shown(const struct lode_mine_report *report, size_t n)
{
	return report->top && report->top < n ? report->top : n;
}

/* The same for lists inside of a cluster: of a thousand clusters, the last ones are rarely read. */
static size_t shown_inside(const struct lode_mine_report *report, const struct lode_cluster *c,
			   size_t n)
{
	const uint32_t n_first = 30;
	size_t top = report->top_inside;
	if (!top)
		return shown(report, n);
	if (c->rank > n_first)
		top = (top + 4) / 5;
	return top < n ? top : n;
}

static void put_split(struct lode_json *json, const int64_t *kind_ns)
{
	lode_json_int(json, "wait_ns", kind_ns[LODE_EVENT_WAITING]);
	lode_json_int(json, "run_ns", kind_ns[LODE_EVENT_RUNNING]);
	lode_json_int(json, "ready_ns", kind_ns[LODE_EVENT_READY]);
}

static void put_frames(struct lode_json *json, const char *key, const struct lode_calltree *tree,
		       const uint32_t *frames, size_t n)
{
	char name[4096];

	lode_json_array(json, key);
	for (size_t i = 0; i < n; i++)
		lode_json_text(json, NULL,
			       lode_frame_full_name(tree, frames[i], name, sizeof(name)));
	lode_json_end_array(json);
}

static const char *string_at(const struct lode_digest *digest, uint32_t id)
{
	return digest->tree.strings.text.at[id];
}

/* ---- What was read ---- */

static void put_options(struct lode_json *json, const struct lode_mine_report *report)
{
	lode_json_object(json, "options");
	lode_json_text(json, "symptoms", report->job->symptom_text);
	lode_json_text(json, "scope", report->scope);
	lode_json_text(json, "stacks", report->stacks);
	lode_json_text(json, "rank", report->rank);
	lode_json_text(json, "lambda", report->lambda);
	lode_json_bool(json, "classic", report->is_classic);
	lode_json_end_object(json);
}

/* What can be asked of it, and what changed. */
static void put_served(struct lode_json *json, const struct lode_mine_served *served)
{
	static const char *const questions[] = {"cluster", "streams", "symptoms",
						"path",	   "trend",   "signatures"};
	static const char *const changes[] = {"sign", "edit", "retire", "activate", "delete"};
	size_t n = sizeof(questions) / sizeof(*questions);

	if (!served)
		return;
	lode_json_object(json, "served");
	if (served->repo) {
		lode_json_text(json, "repo", served->repo);
		lode_json_text(json, "where", served->where ? served->where : "");
	}
	lode_json_array(json, "questions");
	for (size_t i = 0; i < (served->repo ? n : n - 1); i++)
		lode_json_text(json, NULL, questions[i]);
	lode_json_end_array(json);
	lode_json_array(json, "changes");
	for (size_t i = 0; served->repo && i < sizeof(changes) / sizeof(*changes); i++)
		lode_json_text(json, NULL, changes[i]);
	lode_json_end_array(json);
	lode_json_end_object(json);
}

static void put_streams(struct lode_json *json, const struct lode_mine_report *report)
{
	const struct lode_digest *digest = report->mined->digest;
	size_t n = shown(report, digest->streams.n);

	lode_json_array(json, "inputs");
	for (size_t i = 0; i < n; i++) {
		const struct lode_digest_stream *s = &digest->streams.at[i];

		lode_json_object(json, NULL);
		lode_json_id(json, "id", s->content_hash);
		lode_json_text(json, "path", string_at(digest, s->path));
		lode_json_text(json, "host", string_at(digest, s->host));
		lode_json_text(json, "kernel", string_at(digest, s->kernel));
		lode_json_int(json, "t0_ns", s->t0_ns);
		lode_json_int(json, "t1_ns", s->t1_ns);
		lode_json_int(json, "no_waker_ns", s->lost_cost_ns);
		lode_json_losses(json, &s->losses, "first", false);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_more(json, "inputs_more", digest->streams.n, n);
}

/* ---- Clusters ---- */

static void put_patterns(struct lode_json *json, const struct lode_mine_report *report,
			 const struct lode_cluster *c)
{
	size_t n = report->served ? 0 : shown_inside(report, c, c->n_patterns);

	lode_json_array(json, "patterns");
	for (size_t i = 0; i < n; i++) {
		const struct lode_mined_pattern *p = &c->patterns[i];

		lode_json_object(json, NULL);
		lode_json_int(json, "round", p->round);
		put_frames(json, "functions", &report->mined->digest->tree, p->frames, p->n_frames);
		lode_json_int(json, "cost_ns", p->cost_ns);
		lode_json_int(json, "own_ns", p->own_ns);
		lode_json_int(json, "events", (int64_t)p->n_events);
		lode_json_int(json, "streams", p->n_streams);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_more(json, "patterns_more", c->n_patterns, n);
}

static void put_worst(struct lode_json *json, const struct lode_mine_report *report,
		      const struct lode_cluster *c)
{
	const struct lode_digest *digest = report->mined->digest;
	size_t n = report->served ? 0 : shown_inside(report, c, c->n_worst);

	lode_json_array(json, "worst");
	for (size_t i = 0; i < n; i++) {
		const struct lode_cluster_worst *w = &c->worst[i];
		const struct lode_digest_symptom *s = &digest->symptoms.at[w->symptom];
		const struct lode_digest_stream *stream = &digest->streams.at[s->stream];

		lode_json_object(json, NULL);
		lode_json_text(json, "stream", string_at(digest, stream->path));
		lode_json_id(json, "stream_id", stream->content_hash);
		lode_json_int(json, "pid", s->pid);
		lode_json_int(json, "tid", s->tid);
		lode_json_text(json, "comm", string_at(digest, s->comm));
		lode_json_int(json, "t0_ns", w->t0_ns);
		lode_json_int(json, "cost_ns", w->symptom_cost_ns);
		lode_json_int(json, "event_ns", w->cost_ns);
		lode_json_int(json, "symptom_t0_ns", s->t0_ns);
		lode_json_int(json, "symptom_t1_ns", s->t1_ns);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_more(json, "worst_more", c->n_worst, n);
}

static void put_reasons(struct lode_json *json, const struct lode_cluster *c)
{
	char key[32];

	lode_json_object(json, "reasons");
	for (unsigned r = LODE_REASON_NONE + 1; r < LODE_N_REASONS; r++) {
		snprintf(key, sizeof(key), "%s_ns",
			 lode_wait_reason_name((enum lode_wait_reason)r));
		if (c->reason_ns[r])
			lode_json_int(json, key, c->reason_ns[r]);
	}
	lode_json_end_object(json);
}

static void put_wakers(struct lode_json *json, const struct lode_mine_report *report,
		       const struct lode_cluster *c)
{
	size_t n = shown_inside(report, c, c->n_wakers);

	lode_json_array(json, "wakers");
	for (size_t i = 0; i < n; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "name", string_at(report->mined->digest, c->wakers[i].name));
		lode_json_int(json, "cost_ns", c->wakers[i].cost_ns);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_more(json, "wakers_more", c->n_wakers, n);
}

/* What `lode sign --cluster` takes from the document. */
static void put_signature(struct lode_json *json, const struct lode_cluster_signature *s,
			  bool is_light)
{
	char kinds[LODE_SIGNATURE_BITS_BYTES];

	lode_json_object(json, "signature");
	lode_json_text(json, "kind",
		       lode_signature_bits_text(kinds, LODE_SIGNATURE_KINDS, s->kinds));
	lode_json_array(json, "patterns");
	for (size_t i = 0; i < s->n_patterns && !is_light; i++)
		lode_json_text(json, NULL, s->patterns[i]);
	lode_json_end_array(json);
	lode_json_int(json, "total_ns", s->total_ns);
	lode_json_end_object(json);
}

static void put_cluster(struct lode_json *json, const struct lode_mine_report *report,
			const struct lode_cluster *c, const struct lode_cluster_signature *s,
			size_t n_clusters, const char *key, struct lode_mine_names *names)
{
	const struct lode_mined *m = report->mined;

	lode_json_object(json, key);
	lode_json_id(json, "id", c->id);
	lode_json_int(json, "rank", c->rank);
	lode_json_text(json, "kind", lode_event_kind_name(lode_cluster_kind(c)));
	lode_json_text(json, "reason", lode_wait_reason_name(lode_cluster_reason(c)));
	lode_json_object(json, "split");
	put_split(json, c->split_ns);
	lode_json_end_object(json);
	put_reasons(json, c);
	lode_json_int(json, "own_ns", c->own_ns);
	lode_json_int(json, "total_ns", c->total_ns);
	lode_json_int(json, "average_ns", c->average_ns);
	lode_json_int(json, "events", (int64_t)c->n_events);
	lode_json_int(json, "streams", c->n_streams);
	lode_json_int(json, "symptoms", c->n_symptoms);
	lode_json_number(json, "coverage",
			 m->symptom_ns > 0 ? (double)c->own_ns / (double)m->symptom_ns : 0);
	lode_json_number(json, "min_similarity", c->min_similarity);
	put_frames(json, "common", &m->digest->tree, c->common, c->n_common);
	lode_json_array(json, "gaps");
	for (size_t i = 0; i < c->n_common; i++) {
		if (c->gap_before[i])
			lode_json_int(json, NULL, (int64_t)i);
	}
	lode_json_end_array(json);
	put_wakers(json, report, c);
	put_patterns(json, report, c);
	put_signature(json, s, report->served != NULL);
	put_worst(json, report, c);
	if (report->served)
		lode_mine_detail_brief(json, m->digest, c);
	else if (report->has_detail)
		lode_mine_detail_cluster(json, report, c, n_clusters, names);
	lode_json_end_object(json);
}

/* Of some of the report's clusters. Those that were made before are of all. */
static const struct lode_cluster_signature *signatures_of(struct lode_cluster_signatures *made,
							  const struct lode_mine_report *report,
							  const struct lode_cluster *clusters,
							  size_t n)
{
	memset(made, 0, sizeof(*made));
	if (report->signatures)
		return &report->signatures->at[clusters - report->mined->clusters];
	lode_cluster_signatures_build(made, report->mined, clusters, n);
	return made->at;
}

/* Of one alone, there is room for a large picture. */
enum { ROOM_OF_ONE = 30 };

void lode_mine_json_cluster(struct lode_json *json, const struct lode_mine_report *report,
			    const struct lode_cluster *cluster, const char *key,
			    struct lode_mine_names *names)
{
	struct lode_cluster_signatures made;
	const struct lode_cluster_signature *s = signatures_of(&made, report, cluster, 1);

	put_cluster(json, report, cluster, s, ROOM_OF_ONE, key, names);
	lode_cluster_signatures_release(&made);
}

static void put_clusters(struct lode_json *json, const struct lode_mine_report *report,
			 const struct lode_cluster *only, struct lode_mine_names *names)
{
	const struct lode_mined *m = report->mined;
	size_t n = only ? 1 : shown(report, m->n_clusters);
	const struct lode_cluster *clusters = only ? only : m->clusters;
	struct lode_cluster_signatures made;
	const struct lode_cluster_signature *s = signatures_of(&made, report, clusters, n);

	lode_json_array(json, "clusters");
	for (size_t i = 0; i < n; i++)
		put_cluster(json, report, &clusters[i], &s[i], n, NULL, names);
	lode_json_end_array(json);
	lode_cluster_signatures_release(&made);
	lode_json_more(json, "more", m->n_clusters, n);
}

void lode_mine_json_clusters(struct lode_json *json, const struct lode_mine_report *report)
{
	struct lode_mine_names names = {0};

	put_clusters(json, report, NULL, &names);
	if (report->has_detail)
		lode_mine_detail_names(json, &report->mined->digest->tree, &names);
}

void lode_mine_report_json(FILE *out, const struct lode_mine_report *report,
			   const struct lode_cluster *only)
{
	const struct lode_mined *m = report->mined;
	struct lode_json *json = lode_json_open(out, "lode/mine/1");
	struct lode_mine_names names = {0};

	lode_json_text(json, "unit", m->digest->unit);
	lode_json_int(json, "streams", (int64_t)m->digest->streams.n);
	lode_json_int(json, "symptoms", (int64_t)m->digest->symptoms.n);
	lode_json_int(json, "symptom_ns", m->symptom_ns);
	lode_json_object(json, "aoi");
	lode_json_int(json, "events", (int64_t)m->n_aoi_events);
	lode_json_int(json, "stacks", (int64_t)m->n_aoi_stacks);
	put_split(json, m->aoi_kind_ns);
	lode_json_end_object(json);
	lode_json_int(json, "lambda_ns", m->min_cost);
	lode_json_int(json, "rounds", m->n_rounds);
	lode_json_int(json, "patterns", (int64_t)m->n_patterns);
	if (m->n_not_compared)
		lode_json_int(json, "patterns_not_compared", (int64_t)m->n_not_compared);
	lode_json_int(json, "other_ns", m->other_ns);
	put_options(json, report);
	put_served(json, report->served);
	put_clusters(json, report, only, &names);
	if (report->has_detail && !report->served)
		lode_mine_detail_names(json, &m->digest->tree, &names);
	lode_mine_paths_json(json, report);
	put_streams(json, report);
	lode_json_job_inputs(json, report->job);
	lode_json_close(json);
}
