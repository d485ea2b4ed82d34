#include <stdlib.h>

#include "reports/coverage_report.h"
#include "reports/json.h"
#include "reports/json_parts.h"

static size_t shown(const struct lode_coverage_report *report, size_t n)
{
	return report->top && report->top < n ? report->top : n;
}

static void put_cover(struct lode_json *json, const struct lode_stream_cover *cover)
{
	lode_json_int(json, "symptom_ns", cover->symptom_ns);
	lode_json_int(json, "aoi_ns", cover->aoi_ns);
	lode_json_int(json, "covered_ns", cover->covered_ns);
	lode_json_int(json, "returned_ns", cover->returned_ns);
	lode_json_number(json, "coverage", lode_ratio(cover->covered_ns, cover->symptom_ns));
}

static const struct lode_digest *digest_of(const struct lode_coverage_report *report)
{
	return report->job->streams.job.digest;
}

static const char *string_at(const struct lode_digest *digest, uint32_t id)
{
	return digest->tree.strings.text.at[id];
}

static void put_worst(struct lode_json *json, const struct lode_digest *digest,
		      const struct lode_signature_cost *cost)
{
	const struct lode_digest_symptom *s;

	if (cost->worst_symptom == LODE_NONE)
		return;
	s = &digest->symptoms.at[cost->worst_symptom];
	lode_json_object(json, "worst");
	lode_json_text(json, "stream", string_at(digest, digest->streams.at[s->stream].path));
	lode_json_id(json, "stream_id", digest->streams.at[s->stream].content_hash);
	lode_json_int(json, "pid", s->pid);
	lode_json_int(json, "tid", s->tid);
	lode_json_text(json, "comm", string_at(digest, s->comm));
	lode_json_int(json, "t0_ns", cost->worst_t0_ns);
	lode_json_int(json, "cost_ns", cost->worst_ns);
	lode_json_end_object(json);
}

/* Of one signature, group by group: those where it is. */
static void put_trend(struct lode_json *json, const struct lode_coverage_report *report,
		      uint32_t signature)
{
	const struct lode_signature_trend *trend = &report->job->trend;

	if (!report->job->by)
		return;
	lode_json_array(json, "groups");
	for (size_t g = 0; g < trend->n_groups; g++) {
		const struct lode_trend_cell *cell = lode_trend_cell(trend, signature, g);

		if (!cell->n_streams)
			continue;
		lode_json_object(json, NULL);
		lode_json_text(json, "name", report->job->groups[g]);
		lode_json_int(json, "streams", cell->n_streams);
		lode_json_int(json, "total_ns", cell->total_ns);
		lode_json_int(json, "exclusive_ns", cell->exclusive_ns);
		lode_json_number(json, "share",
				 lode_ratio(cell->total_ns, trend->groups[g].symptom_ns));
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_signature(struct lode_json *json, const struct lode_coverage_report *report,
			  uint32_t signature)
{
	const struct lode_signature *s = &report->job->signatures->list.at[signature];
	const struct lode_signature_cost *cost = &report->job->coverage.signatures[signature];

	lode_json_object(json, NULL);
	lode_json_text(json, "name", s->name);
	lode_json_text(json, "state", s->is_retired ? "retired" : "active");
	lode_json_text(json, "owner", s->owner);
	lode_json_text(json, "bug", s->bug);
	lode_json_int(json, "total_ns", cost->total_ns);
	lode_json_int(json, "exclusive_ns", cost->exclusive_ns);
	lode_json_number(json, "share",
			 lode_ratio(cost->total_ns, report->job->coverage.all.symptom_ns));
	lode_json_object(json, "split");
	lode_json_int(json, "wait_ns", cost->split_ns[LODE_EVENT_WAITING]);
	lode_json_int(json, "run_ns", cost->split_ns[LODE_EVENT_RUNNING]);
	lode_json_int(json, "ready_ns", cost->split_ns[LODE_EVENT_READY]);
	lode_json_end_object(json);
	lode_json_int(json, "events", (int64_t)cost->n_events);
	lode_json_int(json, "streams", cost->n_streams);
	lode_json_int(json, "symptoms", cost->n_symptoms);
	put_worst(json, digest_of(report), cost);
	put_trend(json, report, signature);
	lode_json_end_object(json);
}

static void put_groups(struct lode_json *json, const struct lode_coverage_report *report)
{
	const struct lode_signature_trend *trend = &report->job->trend;

	if (!report->job->by)
		return;
	lode_json_text(json, "by", report->job->by);
	lode_json_array(json, "groups");
	for (size_t g = 0; g < trend->n_groups; g++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "name", report->job->groups[g]);
		lode_json_int(json, "streams", trend->n_streams[g]);
		put_cover(json, &trend->groups[g]);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

void lode_coverage_report_json(FILE *out, const struct lode_coverage_report *report)
{
	const struct lode_coverage_job *job = report->job;
	const struct lode_digest *digest = digest_of(report);
	struct lode_json *json = lode_json_open(out, "lode/coverage/1");
	uint32_t *order = lode_coverage_order(report);
	size_t n = shown(report, job->coverage.n_signatures);

	lode_json_text(json, "unit", digest->unit);
	lode_json_int(json, "streams", (int64_t)digest->streams.n);
	lode_json_int(json, "symptoms", (int64_t)digest->symptoms.n);
	put_cover(json, &job->coverage.all);
	lode_json_array(json, "signatures");
	for (size_t i = 0; i < n; i++)
		put_signature(json, report, order[i]);
	lode_json_end_array(json);
	lode_json_more(json, "more", job->coverage.n_signatures, n);
	put_groups(json, report);
	lode_json_job_inputs(json, &job->streams.job);
	lode_json_close(json);
	free(order);
}
