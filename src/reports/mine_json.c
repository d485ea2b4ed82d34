#include "reports/cluster_rows.h"
#include "reports/input_fields.h"
#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/mine_paths_json.h"
#include "reports/mine_report.h"

static size_t shown(const struct lode_mine_report *report, size_t n)
{
	return report->top && report->top < n ? report->top : n;
}

static void put_split(struct lode_json *json, const int64_t *kind_ns)
{
	lode_json_int(json, "wait_ns", kind_ns[LODE_EVENT_WAITING]);
	lode_json_int(json, "run_ns", kind_ns[LODE_EVENT_RUNNING]);
	lode_json_int(json, "ready_ns", kind_ns[LODE_EVENT_READY]);
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

static struct lode_cluster_rows_options rows_options(const struct lode_mine_report *report)
{
	return (struct lode_cluster_rows_options){
		.top = report->top,
		.top_inside = report->top_inside,
		.has_detail = report->has_detail && !report->served,
		.is_light = report->served != NULL,
		.signatures = report->signatures,
	};
}

static void put_clusters(struct lode_json *json, const struct lode_mine_report *report,
			 const struct lode_cluster *only)
{
	struct lode_names names = lode_tree_names(&report->mined->digest->tree);
	struct lode_cluster_rows_options options = rows_options(report);
	struct lode_cluster_rows rows;

	lode_cluster_rows_build(&rows, report->mined, only, &options);
	lode_fields_put(json, &lode_cluster_rows_record, &rows, &names);
	lode_cluster_rows_release(&rows);
}

void lode_mine_json_clusters(struct lode_json *json, const struct lode_mine_report *report)
{
	put_clusters(json, report, NULL);
}

void lode_mine_report_json(FILE *out, const struct lode_mine_report *report,
			   const struct lode_cluster *only)
{
	const struct lode_mined *m = report->mined;
	struct lode_json *json = lode_json_open(out, "lode/mine/1");

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
	put_clusters(json, report, only);
	lode_mine_paths_json(json, report);
	put_streams(json, report);
	lode_json_job_inputs(json, report->job);
	lode_json_close(json);
}
