#include <math.h>
#include <stdlib.h>

#include "reports/json.h"
#include "reports/json_parts.h"
#include "reports/mine_detail_json.h"
#include "reports/next_report.h"

static void put_what(struct lode_json *json, const struct lode_next_job *next, uint32_t number)
{
	const struct lode_cluster *cluster;
	char name[4096];

	if (next->signatures) {
		lode_json_text(json, "signature",
			       next->signatures->list.at[next->which[number]].name);
		return;
	}
	cluster = &next->mined->clusters[next->which[number]];
	lode_json_object(json, "cluster");
	lode_json_id(json, "id", cluster->id);
	lode_json_int(json, "rank", cluster->rank);
	lode_json_array(json, "common");
	for (size_t i = 0; i < cluster->n_common; i++)
		lode_json_text(json, NULL,
			       lode_frame_full_name(&next->digest->tree, cluster->common[i], name,
						    sizeof(name)));
	lode_json_end_array(json);
	lode_json_end_object(json);
}

/* ---- What pages are drawn of ---- */

/* Signatures, or clusters, by the numbers that "sights" have. */
static void put_known(struct lode_json *json, const struct lode_next_job *next)
{
	lode_json_array(json, "known");
	for (uint32_t i = 0; i < next->n_which; i++) {
		lode_json_object(json, NULL);
		put_what(json, next, i);
		if (!next->signatures)
			lode_mine_detail_brief(json, next->digest,
					       &next->mined->clusters[next->which[i]]);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
}

static void put_sights(struct lode_json *json, const char *key, const struct lode_next_job *next,
		       uint32_t stream, bool *is_seen)
{
	const struct lode_order_input *input = &next->input;
	size_t from = input->sight_start[stream], to = input->sight_start[stream + 1];

	lode_json_object(json, key);
	lode_json_array(json, "known");
	for (size_t i = from; i < to; i++)
		lode_json_int(json, NULL, input->sights[i].signature);
	lode_json_end_array(json);
	lode_json_array(json, "cost_ns");
	for (size_t i = from; i < to; i++)
		lode_json_int(json, NULL, input->sights[i].cost_ns);
	lode_json_end_array(json);
	lode_json_array(json, "new");
	for (size_t i = from; i < to; i++) {
		lode_json_int(json, NULL, !is_seen[input->sights[i].signature]);
		is_seen[input->sights[i].signature] = true;
	}
	lode_json_end_array(json);
	lode_json_end_object(json);
}

/* What is in the streams that were opened is seen. */
static bool *seen_before(const struct lode_next_job *next)
{
	const struct lode_order_input *input = &next->input;
	bool *is_seen = lode_alloc0(input->n_signatures, sizeof(*is_seen));

	for (size_t s = 0; s < input->n_streams; s++)
		for (size_t i = input->sight_start[s];
		     input->streams[s].is_opened && i < input->sight_start[s + 1]; i++)
			is_seen[input->sights[i].signature] = true;
	return is_seen;
}

static void put_steps(struct lode_json *json, const struct lode_next_report *report)
{
	const struct lode_next_job *next = report->next;
	const struct lode_digest *digest = next->digest;
	size_t n_left = next->input.n_streams - next->n_opened;
	bool *is_seen = seen_before(next);

	lode_json_array(json, "order");
	for (size_t i = 0; i < next->order.steps.n; i++) {
		const struct lode_order_step *step = &next->order.steps.at[i];
		const struct lode_digest_stream *stream = &digest->streams.at[step->stream];
		int64_t before_ns =
			i ? next->order.steps.at[i - 1].covered_ns : next->order.start_ns;

		lode_json_object(json, NULL);
		lode_json_text(json, "stream", digest->tree.strings.text.at[stream->path]);
		lode_json_id(json, "stream_id", stream->content_hash);
		if (step->signature != LODE_NONE)
			put_what(json, next, step->signature);
		lode_json_int(json, "new", step->n_new);
		lode_json_int(json, "adds_ns", step->covered_ns - before_ns);
		lode_json_int(json, "covered_ns", step->covered_ns);
		lode_json_int(json, "symptom_ns", next->input.streams[step->stream].symptom_ns);
		lode_json_int(json, "unexplained_ns",
			      next->input.streams[step->stream].symptom_ns -
				      next->input.streams[step->stream].covered_ns);
		if (report->has_detail)
			put_sights(json, "sights", next, step->stream, is_seen);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	free(is_seen);
	if (next->order.steps.n < n_left)
		lode_json_int(json, "more", (int64_t)(n_left - next->order.steps.n));
}

static const unsigned curve_order[LODE_N_CURVES] = {LODE_ORDER_BEST, LODE_CURVE_RANDOM,
						    LODE_ORDER_TOTAL, LODE_ORDER_MAX};

/* Curves are figures to be drawn: whole, whatever --top says. */
static void put_curves(struct lode_json *json, const struct lode_order_curves *curves)
{
	lode_json_object(json, "compare");
	lode_json_object(json, "curves");
	for (unsigned c = 0; c < LODE_N_CURVES; c++) {
		lode_json_array(json, lode_curve_name(curve_order[c]));
		for (size_t k = 0; k <= curves->n; k++)
			lode_json_int(json, NULL, llround(curves->covered_ns[curve_order[c]][k]));
		lode_json_end_array(json);
	}
	lode_json_end_object(json);
	lode_json_array(json, "levels");
	for (size_t i = 0; i < curves->levels.n; i++) {
		const struct lode_curve_level *level = &curves->levels.at[i];

		lode_json_object(json, NULL);
		lode_json_exact(json, "coverage", level->share);
		for (unsigned c = 0; c < LODE_N_CURVES; c++)
			lode_json_int(json, lode_curve_name(curve_order[c]),
				      (int64_t)level->needed[curve_order[c]]);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_object(json, "best_share_of");
	for (unsigned c = 1; c < LODE_N_CURVES && curves->levels.n; c++)
		lode_json_number(json, lode_curve_name(curve_order[c]),
				 curves->best_share[curve_order[c]]);
	lode_json_end_object(json);
	lode_json_end_object(json);
}

void lode_next_report_json(FILE *out, const struct lode_next_report *report)
{
	const struct lode_next_job *next = report->next;
	struct lode_json *json = lode_json_open(out, "lode/next/1");

	lode_json_text(json, "unit", next->digest->unit);
	lode_json_int(json, "streams", (int64_t)next->digest->streams.n);
	lode_json_int(json, "opened", (int64_t)next->n_opened);
	lode_json_int(json, "symptom_ns", next->symptom_ns);
	lode_json_text(json, "of", next->signatures ? "signatures" : "clusters");
	lode_json_int(json, "signatures", (int64_t)next->n_which);
	lode_json_int(json, "seen", (int64_t)next->order.n_seen);
	lode_json_int(json, "explained_ns", next->covered_ns);
	lode_json_int(json, "start_ns", next->order.start_ns);
	put_steps(json, report);
	if (report->has_detail)
		put_known(json, next);
	if (report->has_curves)
		put_curves(json, &next->curves);
	lode_json_job_inputs(json, report->job);
	lode_json_close(json);
}
