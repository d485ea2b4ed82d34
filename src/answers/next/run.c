/* From a request to an answer: opens what is asked for, orders it, lays the answer out. */
#include <math.h>

#include "answers/next/known.h"
#include "answers/next/next.h"
#include "engine/aliases/aliases.h"
#include "streams/shape.h"
#include "answers/sign/signature_store.h"
#include "streams/stream_set.h"
#include "answers/clusters/cluster_brief.h"
#include "answers/input_fields.h"

struct lode_next_state {
	struct lode_next_answer answer; /* what the caller holds */
	struct lode_repo *repo;
	struct lode_signature_store store;
	struct lode_stream_set set;
	struct lode_known_streams known;
	struct lode_arena arena;
};

/* ---- Signatures and clusters ---- */

static struct lode_next_known known_at(const struct lode_next_state *s, uint32_t number)
{
	const struct lode_known_streams *known = &s->known;

	if (number == LODE_NONE)
		return (struct lode_next_known){0};
	if (known->signatures)
		return (struct lode_next_known){
			.signature = known->signatures->list.at[known->which[number]].name};
	return (struct lode_next_known){.cluster = &known->mined->clusters[known->which[number]]};
}

static void list_known(struct lode_next_state *s)
{
	size_t n = s->known.n_which;
	struct lode_next_known *list = lode_arena_array(&s->arena, struct lode_next_known, n + 1);

	for (uint32_t i = 0; i < n; i++) {
		const struct lode_cluster_brief *brief;

		list[i] = known_at(s, i);
		if (!list[i].cluster)
			continue;
		brief = lode_cluster_brief_of(s->known.mined, list[i].cluster, &s->arena);
		list[i].why = brief->why;
		list[i].brief = brief->lines;
		list[i].n_brief = brief->n_lines;
		list[i].brief_variants = brief->variants;
	}
	s->answer.known = list;
	s->answer.n_known_listed = n;
}

/* ---- The order ---- */

/* What is in the streams that were opened is seen. */
static bool *seen_before(struct lode_next_state *s)
{
	const struct lode_order_input *input = &s->known.input;
	bool *is_seen = lode_arena_array(&s->arena, bool, input->n_signatures + 1);

	memset(is_seen, 0, input->n_signatures + 1);
	for (size_t i = 0; i < input->n_streams; i++)
		for (size_t k = input->sight_start[i];
		     input->streams[i].is_opened && k < input->sight_start[i + 1]; k++)
			is_seen[input->sights[k].signature] = true;
	return is_seen;
}

static const struct lode_next_sights *sights_of(struct lode_next_state *s, uint32_t stream,
						bool *is_seen)
{
	const struct lode_order_input *input = &s->known.input;
	const struct lode_order_sight *sights = &input->sights[input->sight_start[stream]];
	struct lode_next_sights *out = lode_arena_array(&s->arena, struct lode_next_sights, 1);
	size_t n = input->sight_start[stream + 1] - input->sight_start[stream];
	int64_t *columns = lode_arena_array(&s->arena, int64_t, 2 * n + 1);

	*out = (struct lode_next_sights){columns, columns + n,
					 lode_arena_array(&s->arena, uint8_t, n + 1), n};
	for (size_t i = 0; i < n; i++) {
		out->known[i] = sights[i].signature;
		out->cost_ns[i] = sights[i].cost_ns;
		out->is_new[i] = !is_seen[sights[i].signature];
		is_seen[sights[i].signature] = true;
	}
	return out;
}

static void list_steps(struct lode_next_state *s, size_t top, bool wants_detail)
{
	const struct lode_stream_order *order = &s->known.order;
	const struct lode_digest *digest = s->known.digest;
	bool *is_seen = wants_detail ? seen_before(s) : NULL;
	int64_t before_ns = order->start_ns;
	size_t n = lode_listed(top, order->steps.n);
	struct lode_next_step *steps = lode_arena_array(&s->arena, struct lode_next_step, n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct lode_order_step *step = &order->steps.at[i];
		const struct lode_order_stream *cost = &s->known.input.streams[step->stream];
		const struct lode_digest_stream *stream = &digest->streams.at[step->stream];

		steps[i] = (struct lode_next_step){
			.stream = digest->tree.strings.text.at[stream->path],
			.stream_id = stream->content_hash,
			.opened_for = known_at(s, step->signature),
			.n_new = step->n_new,
			.adds_ns = step->covered_ns - before_ns,
			.covered_ns = step->covered_ns,
			.symptom_ns = cost->symptom_ns,
			.unexplained_ns = cost->symptom_ns - cost->covered_ns,
			.sights = wants_detail ? sights_of(s, step->stream, is_seen) : NULL,
		};
		before_ns = step->covered_ns;
	}
	s->answer.steps = steps;
	s->answer.n_steps = n;
	s->answer.n_more = order->steps.n - n;
	while (s->answer.n_enough < order->steps.n &&
	       order->steps.at[s->answer.n_enough].signature != LODE_NONE)
		s->answer.n_enough++;
}

/* ---- What is left ---- */

static void find_rest(struct lode_next_state *s)
{
	const struct lode_order_input *input = &s->known.input;
	struct lode_next_rest *most = lode_arena_array(&s->arena, struct lode_next_rest, 1);

	*most = (struct lode_next_rest){0};
	for (size_t i = 0; i < input->n_streams; i++) {
		const struct lode_order_stream *cost = &input->streams[i];
		const struct lode_digest_stream *stream = &s->known.digest->streams.at[i];

		if (cost->is_opened || cost->symptom_ns - cost->covered_ns <= most->unexplained_ns)
			continue;
		*most = (struct lode_next_rest){
			.stream = s->known.digest->tree.strings.text.at[stream->path],
			.stream_id = stream->content_hash,
			.unexplained_ns = cost->symptom_ns - cost->covered_ns,
		};
	}
	s->answer.unexplained_ns = s->answer.symptom_ns - s->answer.explained_ns;
	s->answer.rest = most->stream ? most : NULL;
}

/* ---- The curves ---- */

static const unsigned curve_of[LODE_N_NEXT_ORDERS] = {
	[LODE_NEXT_BEST] = LODE_ORDER_BEST,
	[LODE_NEXT_RANDOM] = LODE_CURVE_RANDOM,
	[LODE_NEXT_TOTAL] = LODE_ORDER_TOTAL,
	[LODE_NEXT_MAX] = LODE_ORDER_MAX,
};

static void list_levels(struct lode_next_state *s, struct lode_next_curves *out)
{
	const struct lode_order_curves *curves = &s->known.curves;

	out->n_levels = curves->levels.n;
	out->levels = lode_arena_array(&s->arena, struct lode_next_level, curves->levels.n + 1);
	for (size_t i = 0; i < curves->levels.n; i++) {
		out->levels[i].coverage = curves->levels.at[i].share;
		for (unsigned o = 0; o < LODE_N_NEXT_ORDERS; o++)
			out->levels[i].needed[o] = curves->levels.at[i].needed[curve_of[o]];
	}
}

static void list_curves(struct lode_next_state *s)
{
	const struct lode_order_curves *curves = &s->known.curves;
	struct lode_next_curves *out = lode_arena_array(&s->arena, struct lode_next_curves, 1);

	memset(out, 0, sizeof(*out));
	out->n_points = curves->n + 1;
	for (unsigned o = 0; o < LODE_N_NEXT_ORDERS; o++) {
		out->covered[o] = curves->covered_ns[curve_of[o]];
		out->covered_ns[o] = lode_arena_array(&s->arena, int64_t, out->n_points);
		for (size_t k = 0; k < out->n_points; k++)
			out->covered_ns[o][k] = llround(out->covered[o][k]);
		out->best_share_of[o] =
			curves->levels.n ? curves->best_share[curve_of[o]] : (double)NAN;
	}
	list_levels(s, out);
	s->answer.curves = out;
}

/* ---- The whole ---- */

static int read_all_next(struct lode_next_state *s, const struct lode_next_request *request,
			 struct lode_error *err)
{
	struct lode_stream_set_options streams = {
		.inputs = request->inputs,
		.n_inputs = request->n_inputs,
		.where = request->where,
		.job = request->reading,
	};
	int rc = 0;

	if (request->repo)
		rc = lode_repo_open(&s->repo, request->repo, LODE_REPO_READ, err);
	streams.repo = s->repo;
	if (rc == 0 && (request->repo || request->signatures))
		rc = lode_signature_store_open(&s->store, s->repo, request->signatures, false, err);
	if (rc == 0)
		rc = lode_stream_set_require(&s->set, &streams, err);
	s->answer.skipped = s->set.job.skipped.at;
	s->answer.n_skipped = s->set.job.skipped.n;
	s->answer.incomplete = s->set.job.incomplete.at;
	s->answer.n_incomplete = s->set.job.incomplete.n;
	s->answer.n_other = s->set.job.n_other;
	return rc;
}

static void lay_out(struct lode_next_state *s, const struct lode_next_request *request)
{
	struct lode_next_answer *answer = &s->answer;

	answer->digest = s->known.digest;
	answer->mined = s->known.mined;
	answer->unit = s->known.digest->unit;
	answer->n_streams = s->known.digest->streams.n;
	answer->n_opened = s->known.n_opened;
	answer->symptom_ns = s->known.symptom_ns;
	answer->is_of_clusters = !s->known.signatures;
	answer->n_known = s->known.n_which;
	answer->n_seen = s->known.order.n_seen;
	answer->explained_ns = s->known.covered_ns;
	answer->start_ns = s->known.order.start_ns;
	list_steps(s, request->top, request->wants_detail);
	find_rest(s);
	if (request->wants_detail)
		list_known(s);
	if (request->wants_curves)
		list_curves(s);
	answer->opening = lode_next_opening(answer, request->asked, &s->arena);
}

int lode_next_run(struct lode_next_answer **out, const struct lode_next_request *request,
		  struct lode_error *err)
{
	struct lode_next_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_known_options options = {
		.signatures = &s->store.signatures,
		.mine = request->mine,
		.opened = request->opened,
		.n_opened = request->n_opened,
		.wants_curves = request->wants_curves,
	};
	int rc;

	s->answer.state = s;
	*out = &s->answer;
	rc = read_all_next(s, request, err);
	if (rc < 0)
		return rc;
	options.mine.split_kinds = lode_shape_is(s->set.job.origin.shape, "--stacks", "own");
	if (!s->store.signatures.list.n) /* of clusters: known problems match as they are */
		lode_aliases_join(s->set.job.digest);
	rc = lode_known_streams_build(&s->known, s->set.job.digest, &options, err);
	if (rc == 0)
		lay_out(s, request);
	else if (rc == LODE_ERR_LIMIT)
		rc = err->status = LODE_ERR_ARG; /* too many patterns: another λ has fewer */
	return rc;
}

void lode_next_free(struct lode_next_answer *answer)
{
	struct lode_next_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_known_streams_release(&s->known);
	lode_stream_set_release(&s->set);
	lode_signature_store_release(&s->store);
	lode_repo_close(s->repo);
	lode_arena_release(&s->arena);
	free(s);
}

struct lode_names lode_next_names(const void *of)
{
	const struct lode_next_answer *answer = of;

	return lode_tree_names(&answer->digest->tree);
}
