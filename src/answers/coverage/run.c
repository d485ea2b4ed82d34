/* From a request to an answer: streams are held against signatures, and what comes of it listed. */
#include "answers/clusters/cluster_brief.h"
#include "answers/coverage/coverage.h"
#include "answers/input_fields.h"
#include "base/sorted.h"

struct lode_coverage_state {
	struct lode_coverage_answer answer; /* what the caller holds */
	struct lode_coverage_job job;
	struct lode_mined *rest; /* NULL: there is none, or it could not be mined */
	enum lode_coverage_rank rank;
	struct lode_arena arena;
};

/* ---- Order ---- */

static int64_t rank_value(const struct lode_signature_cost *cost, enum lode_coverage_rank rank)
{
	switch (rank) {
	case LODE_COVERAGE_BY_EXCLUSIVE:
		return cost->exclusive_ns;
	case LODE_COVERAGE_BY_STREAMS:
		return cost->n_streams;
	case LODE_COVERAGE_BY_NAME:
		return 0;
	case LODE_COVERAGE_BY_TOTAL:
		break;
	}
	return cost->total_ns;
}

static int best_first(const void *a, const void *b, void *context)
{
	const struct lode_coverage_state *state = context;
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	const struct lode_signature *s = state->job.signatures->list.at;
	const struct lode_signature_cost *cost = state->job.coverage.signatures;
	int64_t x = rank_value(&cost[p], state->rank), y = rank_value(&cost[q], state->rank);

	if (s[p].is_retired != s[q].is_retired)
		return s[p].is_retired ? 1 : -1;
	return LODE_ORDER(y, x) ?: strcmp(s[p].name, s[q].name);
}

/* Numbers of the signatures. */
static uint32_t *make_order(struct lode_coverage_state *s)
{
	size_t n = s->job.coverage.n_signatures;
	uint32_t *order = lode_arena_array(&s->arena, uint32_t, n + 1);

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	lode_sort_r(order, n, best_first, s);
	return order;
}

/* ---- Signatures ---- */

static const char *string_at(const struct lode_digest *digest, uint32_t id)
{
	return digest->tree.strings.text.at[id];
}

static const struct lode_coverage_worst *worst_of(struct lode_coverage_state *s,
						  const struct lode_signature_cost *cost)
{
	const struct lode_digest *digest = s->job.streams.job.digest;
	const struct lode_digest_symptom *symptom;
	struct lode_coverage_worst *worst;

	if (cost->worst_symptom == LODE_NONE)
		return NULL;
	symptom = &digest->symptoms.at[cost->worst_symptom];
	worst = lode_arena_array(&s->arena, struct lode_coverage_worst, 1);
	*worst = (struct lode_coverage_worst){
		.stream = string_at(digest, digest->streams.at[symptom->stream].path),
		.comm = string_at(digest, symptom->comm),
		.stream_id = digest->streams.at[symptom->stream].content_hash,
		.pid = symptom->pid,
		.tid = symptom->tid,
		.t0_ns = cost->worst_t0_ns,
		.cost_ns = cost->worst_ns,
	};
	return worst;
}

static void list_cells(struct lode_coverage_state *s, struct lode_coverage_signature *out,
		       uint32_t signature)
{
	const struct lode_signature_trend *trend = &s->job.trend;

	out->in_groups = lode_trend_cell(trend, signature, 0);
	out->cells = lode_arena_array(&s->arena, struct lode_coverage_cell, trend->n_groups + 1);
	for (size_t g = 0; g < trend->n_groups; g++) {
		const struct lode_trend_cell *cell = &out->in_groups[g];

		if (cell->n_streams)
			out->cells[out->n_cells++] = (struct lode_coverage_cell){
				s->job.groups[g], cell->n_streams, cell->total_ns,
				cell->exclusive_ns,
				lode_ratio(cell->total_ns, trend->groups[g].symptom_ns)};
	}
}

/* Retired ones are listed when they have returned. */
static void count_told(struct lode_coverage_state *s, const uint32_t *order)
{
	const struct lode_coverage_job *job = &s->job;
	struct lode_coverage_answer *out = &s->answer;
	size_t n = 0;

	while (n < job->coverage.n_signatures && (!job->signatures->list.at[order[n]].is_retired ||
						  job->coverage.signatures[order[n]].total_ns))
		n++;
	out->n_quiet = job->coverage.n_signatures - n;
	out->n_told = n < out->n_signatures ? n : out->n_signatures;
	out->n_told_more = n - out->n_told;
	for (size_t i = 0; i < job->signatures->list.n; i++)
		out->n_active += !job->signatures->list.at[i].is_retired;
}

static void list_signatures(struct lode_coverage_state *s, size_t top)
{
	const struct lode_coverage_job *job = &s->job;
	struct lode_coverage_answer *out = &s->answer;
	const uint32_t *order = make_order(s);
	size_t n = job->coverage.n_signatures;

	out->n_signatures = lode_listed(top, n);
	out->n_more = n - out->n_signatures;
	out->signatures =
		lode_arena_array(&s->arena, struct lode_coverage_signature, out->n_signatures + 1);
	for (size_t i = 0; i < out->n_signatures; i++) {
		const struct lode_signature *signature = &job->signatures->list.at[order[i]];
		const struct lode_signature_cost *cost = &job->coverage.signatures[order[i]];

		out->signatures[i] = (struct lode_coverage_signature){
			.name = signature->name,
			.owner = signature->owner,
			.bug = signature->bug,
			.is_retired = signature->is_retired,
			.cost = cost,
			.share = lode_ratio(cost->total_ns, job->coverage.all.symptom_ns),
			.average_ns = cost->n_events ? cost->total_ns / (int64_t)cost->n_events
						     : LODE_NO_INT,
			.worst = worst_of(s, cost),
		};
		if (job->by)
			list_cells(s, &out->signatures[i], order[i]);
	}
	count_told(s, order);
}

static void list_groups(struct lode_coverage_state *s)
{
	const struct lode_signature_trend *trend = &s->job.trend;
	struct lode_coverage_answer *out = &s->answer;

	out->by = s->job.by;
	out->n_groups = trend->n_groups;
	out->groups = lode_arena_array(&s->arena, struct lode_coverage_group, trend->n_groups + 1);
	for (size_t g = 0; g < trend->n_groups; g++)
		out->groups[g] = (struct lode_coverage_group){s->job.groups[g], trend->n_streams[g],
							      lode_cover_of(&trend->groups[g])};
}

/* ---- The rest ---- */

LODE_COMPARE_AT(larger_first, struct lode_cluster,
		LODE_ORDER(b->own_ns, a->own_ns) ?: LODE_ORDER(a->rank, b->rank))

/* What the rest is. That it cannot be mined is no failure, but is said. */
static void list_rest(struct lode_coverage_state *s, const struct lode_coverage_request *request)
{
	struct lode_coverage_answer *out = &s->answer;
	const struct lode_cluster **order;
	struct lode_error err;
	char text[sizeof(err.message) + 64];
	size_t n;

	lode_rest_keep(&s->job);
	if (lode_rest_mine(&s->rest, &s->job, &request->mining, out->all.symptom_ns, &err) < 0)
		out->not_mined = lode_finding_text(&s->arena, "%s",
						   lode_error_text(&err, text, sizeof(text)));
	if (!s->rest)
		return;
	out->rest_other_ns = s->rest->other_ns;
	n = s->rest->n_clusters;
	order = lode_arena_array(&s->arena, const struct lode_cluster *, n + 1);
	for (size_t i = 0; i < n; i++)
		order[i] = &s->rest->clusters[i];
	lode_sort(order, n, larger_first);
	out->n_rest = lode_listed(request->top, n);
	out->n_rest_more = n - out->n_rest;
	out->rest = lode_arena_array(&s->arena, struct lode_coverage_rest, out->n_rest + 1);
	out->mined = s->rest;
	for (size_t i = 0; i < out->n_rest; i++) {
		struct lode_headline_hop *hops;
		size_t n_hops = lode_headline_hops(&hops, s->rest, order[i], &s->arena);

		out->rest[i] = (struct lode_coverage_rest){
			.cluster = order[i],
			.function = lode_finding_known_by(&s->arena, s->rest, order[i]),
			.why = lode_finding_why(&s->arena, order[i]),
			.own_ns = order[i]->own_ns,
			.n_streams = order[i]->n_streams,
			.headline = hops,
			.n_headline = n_hops,
		};
	}
}

/* ---- The whole ---- */

static int say_nothing(const struct lode_coverage_request *request, bool has_digest,
		       struct lode_error *err)
{
	return lode_fail(err, LODE_ERR_EMPTY, NULL, -1, "%s",
			 has_digest		  ? "no symptoms in the recordings"
			 : request->streams.where ? "no recording in the repository matches"
						  : "no usable recording");
}

int lode_coverage_run(struct lode_coverage_answer **out,
		      const struct lode_coverage_request *request, struct lode_error *err)
{
	struct lode_coverage_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_coverage_answer *answer = &s->answer;
	const struct lode_digest *digest;
	int rc;

	answer->state = s;
	*out = answer;
	s->rank = request->rank;
	rc = lode_coverage_job_run(
		&s->job, request->signatures, &request->streams, request->by,
		request->no_mining ? LODE_COVERAGE_WITHOUT_STACKS : LODE_COVERAGE_STACKS, err);
	answer->read = &s->job.streams.job;
	digest = s->job.streams.job.digest;
	if (rc < 0)
		return rc;
	if (!digest || !digest->symptoms.n)
		return say_nothing(request, digest != NULL, err);
	answer->unit = digest->unit;
	answer->n_streams = digest->streams.n;
	answer->n_symptoms = digest->symptoms.n;
	answer->all = lode_cover_of(&s->job.coverage.all);
	list_signatures(s, request->top);
	if (s->job.by)
		list_groups(s);
	answer->rest_other_ns = LODE_NO_INT;
	if (!request->no_mining)
		list_rest(s, request);
	answer->opening = lode_coverage_opening(answer, s->rest, request, &s->arena);
	return 0;
}

struct lode_names lode_coverage_names(const void *of)
{
	const struct lode_coverage_answer *answer = of;

	return lode_tree_names(&answer->state->job.streams.job.digest->tree);
}

void lode_coverage_free(struct lode_coverage_answer *answer)
{
	struct lode_coverage_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_mined_free(s->rest);
	lode_coverage_job_release(&s->job);
	lode_arena_release(&s->arena);
	free(s);
}
