#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/mine_report.h"
#include "reports/triage_report.h"

static size_t shown(const struct lode_triage_report *report, size_t n)
{
	return report->top && report->top < n ? report->top : n;
}

static const struct lode_digest *digest_of(const struct lode_triage_report *report)
{
	return report->job->coverage.streams.job.digest;
}

static const char *string_at(const struct lode_digest *digest, uint32_t id)
{
	return digest->tree.strings.text.at[id];
}

static void put_cover(struct lode_json *json, const struct lode_stream_cover *cover)
{
	lode_json_int(json, "symptom_ns", cover->symptom_ns);
	lode_json_int(json, "aoi_ns", cover->aoi_ns);
	lode_json_int(json, "covered_ns", cover->covered_ns);
	lode_json_int(json, "returned_ns", cover->returned_ns);
	lode_json_int(json, "unexplained_ns", cover->aoi_ns - cover->covered_ns);
	lode_json_number(json, "coverage", lode_ratio(cover->covered_ns, cover->symptom_ns));
}

static void put_known(struct lode_json *json, const struct lode_triage_report *report,
		      const struct lode_signature_in_stream *in)
{
	const struct lode_signature *s = &report->job->coverage.signatures->list.at[in->signature];

	lode_json_object(json, NULL);
	lode_json_text(json, "name", s->name);
	lode_json_text(json, "state", s->is_retired ? "retired" : "active");
	lode_json_text(json, "owner", s->owner);
	lode_json_text(json, "bug", s->bug);
	lode_json_int(json, "total_ns", in->total_ns);
	lode_json_int(json, "exclusive_ns", in->exclusive_ns);
	lode_json_int(json, "events", (int64_t)in->n_events);
	lode_json_end_object(json);
}

static void put_stream(struct lode_json *json, const struct lode_triage_report *report,
		       const struct lode_triage_stream *stream)
{
	const struct lode_triage_job *job = report->job;
	const struct lode_digest *digest = digest_of(report);
	const struct lode_digest_stream *s = &digest->streams.at[stream->stream];
	size_t from = job->known_start[stream->stream];
	size_t n = job->known_start[stream->stream + 1] - from, n_shown = shown(report, n);

	lode_json_object(json, NULL);
	lode_json_id(json, "id", s->content_hash);
	lode_json_text(json, "path", string_at(digest, s->path));
	lode_json_text(json, "host", string_at(digest, s->host));
	lode_json_text(json, "kernel", string_at(digest, s->kernel));
	put_cover(json, &job->coverage.coverage.streams[stream->stream]);
	lode_json_bool(json, "over", stream->is_over);
	lode_json_array(json, "signatures");
	for (size_t i = 0; i < n_shown; i++)
		put_known(json, report,
			  &job->coverage.coverage.in_streams.at[job->known[from + i]]);
	lode_json_end_array(json);
	lode_json_more(json, "signatures_more", n, n_shown);
	lode_json_end_object(json);
}

/* Retired signatures that match something. */
static void put_returned(struct lode_json *json, const struct lode_triage_report *report)
{
	const struct lode_coverage_job *coverage = &report->job->coverage;

	lode_json_array(json, "returned");
	for (size_t i = 0; i < coverage->signatures->list.n; i++) {
		const struct lode_signature *s = &coverage->signatures->list.at[i];
		const struct lode_signature_cost *cost = &coverage->coverage.signatures[i];

		if (!s->is_retired || !cost->total_ns)
			continue;
		lode_json_object(json, NULL);
		lode_json_text(json, "name", s->name);
		lode_json_text(json, "owner", s->owner);
		lode_json_text(json, "bug", s->bug);
		lode_json_int(json, "total_ns", cost->total_ns);
		lode_json_int(json, "events", (int64_t)cost->n_events);
		lode_json_int(json, "streams", cost->n_streams);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

/* In the order that "by_stream" of clusters counts. */
static void put_stream_ids(struct lode_json *json, const struct lode_triage_report *report)
{
	const struct lode_digest *digest = digest_of(report);

	lode_json_array(json, "inputs");
	for (size_t i = 0; i < digest->streams.n; i++) {
		lode_json_object(json, NULL);
		lode_json_id(json, "id", digest->streams.at[i].content_hash);
		lode_json_text(json, "path", string_at(digest, digest->streams.at[i].path));
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_rest(struct lode_json *json, const struct lode_triage_report *report)
{
	const struct lode_triage_job *job = report->job;
	struct lode_mine_report mined = {
		.mined = job->mined,
		.top = report->top,
		.top_inside = report->top_inside,
		.has_detail = report->has_detail,
	};

	if (job->not_mined)
		lode_json_text(json, "not_mined", job->not_mined);
	if (!job->mined)
		return;
	lode_json_int(json, "lambda_ns", job->mined->min_cost);
	lode_json_int(json, "other_ns", job->mined->other_ns);
	lode_mine_json_clusters(json, &mined);
	if (report->has_detail)
		put_stream_ids(json, report);
}

void lode_triage_report_json(FILE *out, const struct lode_triage_report *report)
{
	const struct lode_triage_job *job = report->job;
	const struct lode_digest_job *read = &job->coverage.streams.job;
	struct lode_json *json = lode_json_open(out, "lode/triage/1");
	size_t n = shown(report, job->n_streams);

	lode_json_text(json, "unit", digest_of(report)->unit);
	lode_json_int(json, "streams", (int64_t)job->n_streams);
	lode_json_int(json, "symptoms", (int64_t)digest_of(report)->symptoms.n);
	put_cover(json, &job->coverage.coverage.all);
	if (report->limit) {
		lode_json_text(json, "fail_over", report->limit);
		lode_json_int(json, "over", (int64_t)job->n_over);
	}
	lode_json_array(json, "triaged");
	for (size_t i = 0; i < n; i++)
		put_stream(json, report, &job->streams[i]);
	lode_json_end_array(json);
	lode_json_more(json, "triaged_more", job->n_streams, n);
	put_returned(json, report);
	put_rest(json, report);
	lode_json_job_inputs(json, read);
	lode_json_close(json);
}
