/* From a request to an answer: streams are held against signatures, and the rest is mined. */
#include "answers/triage/triage.h"
#include "answers/input_fields.h"
#include "document/units.h"
#include "base/sorted.h"

struct lode_triage_state {
	struct lode_triage_answer answer; /* what the caller holds */
	struct lode_coverage_job coverage;
	struct lode_mined *mined;
	struct lode_cluster_rows rows;
	char reason[512], limit[LODE_UNITS_BUFFER];
	struct lode_arena arena;
};

static const char *string_at(const struct lode_digest *digest, uint32_t id)
{
	return digest->tree.strings.text.at[id];
}

/* ---- What streams are known as ---- */

static int costliest_first(const void *a, const void *b, void *context)
{
	const struct lode_coverage *coverage = context;
	const struct lode_signature_in_stream *p = &coverage->in_streams.at[*(const uint32_t *)a];
	const struct lode_signature_in_stream *q = &coverage->in_streams.at[*(const uint32_t *)b];
	int order = LODE_ORDER(p->stream, q->stream) ?: LODE_ORDER(q->total_ns, p->total_ns);

	return order ?: LODE_ORDER(p->signature, q->signature);
}

/* The coverage lists streams by signature; here, signatures by stream. */
static uint32_t *order_known(struct lode_triage_state *s)
{
	struct lode_coverage *coverage = &s->coverage.coverage;
	uint32_t *order = lode_arena_array(&s->arena, uint32_t, coverage->in_streams.n + 1);

	for (size_t i = 0; i < coverage->in_streams.n; i++)
		order[i] = (uint32_t)i;
	lode_sort_r(order, coverage->in_streams.n, costliest_first, coverage);
	return order;
}

static void list_known(struct lode_triage_state *s, struct lode_triage_stream *out,
		       const uint32_t *order, size_t n, size_t n_listed)
{
	out->known = lode_arena_array(&s->arena, struct lode_triage_known, n + 1);
	out->n_known = n_listed;
	out->n_known_more = n - n_listed;
	for (size_t i = 0; i < n; i++) {
		const struct lode_signature_in_stream *in =
			&s->coverage.coverage.in_streams.at[order[i]];
		const struct lode_signature *signature =
			&s->coverage.signatures->list.at[in->signature];

		out->known[i] = (struct lode_triage_known){
			.name = signature->name,
			.owner = signature->owner,
			.bug = signature->bug,
			.is_retired = signature->is_retired,
			.total_ns = in->total_ns,
			.exclusive_ns = in->exclusive_ns,
			.n_events = in->n_events,
		};
	}
}

/* ---- Streams ---- */

/* A stream, and where it stands in the answer. */
struct triaged {
	uint32_t stream;
	int64_t unexplained_ns;
	const char *path;
	bool is_over;
};

LODE_COMPARE(least_explained_first, struct triaged,
	     LODE_ORDER(b->unexplained_ns, a->unexplained_ns) ?: strcmp(a->path, b->path)
	     ?: LODE_ORDER(a->stream, b->stream))

static bool is_over(const struct lode_triage_request *request,
		    const struct lode_stream_cover *cover, int64_t unexplained_ns)
{
	if (request->limit_share > 0)
		return (double)unexplained_ns > request->limit_share * (double)cover->symptom_ns;
	return request->limit > 0 && unexplained_ns > request->limit;
}

static struct triaged *judge_streams(struct lode_triage_state *s,
				     const struct lode_triage_request *request)
{
	const struct lode_digest *digest = s->coverage.streams.job.digest;
	const struct lode_coverage *coverage = &s->coverage.coverage;
	struct triaged *order =
		lode_arena_array(&s->arena, struct triaged, coverage->n_streams + 1);
	bool has_limit = request->limit > 0 || request->limit_share > 0;

	s->answer.n_over = has_limit ? 0 : LODE_NO_INT;
	for (size_t i = 0; i < coverage->n_streams; i++) {
		const struct lode_stream_cover *cover = &coverage->streams[i];

		order[i].stream = (uint32_t)i;
		order[i].unexplained_ns = cover->aoi_ns - cover->covered_ns;
		order[i].path = string_at(digest, digest->streams.at[i].path);
		order[i].is_over = is_over(request, cover, order[i].unexplained_ns);
		s->answer.n_over += order[i].is_over;
	}
	lode_sort(order, coverage->n_streams, least_explained_first);
	return order;
}

static void list_streams(struct lode_triage_state *s, const struct lode_triage_request *request)
{
	const struct lode_digest *digest = s->coverage.streams.job.digest;
	const struct lode_coverage *coverage = &s->coverage.coverage;
	const struct triaged *order = judge_streams(s, request);
	const uint32_t *known = order_known(s);
	size_t *start = lode_arena_array(&s->arena, size_t, coverage->n_streams + 1);
	struct lode_triage_answer *out = &s->answer;

	memset(start, 0, (coverage->n_streams + 1) * sizeof(*start));
	for (size_t i = 0; i < coverage->in_streams.n; i++)
		start[coverage->in_streams.at[i].stream + 1]++;
	for (size_t i = 0; i < coverage->n_streams; i++)
		start[i + 1] += start[i];
	out->n_listed = lode_listed(request->top, coverage->n_streams);
	out->n_more = coverage->n_streams - out->n_listed;
	out->streams = lode_arena_array(&s->arena, struct lode_triage_stream, out->n_listed + 1);
	for (size_t i = 0; i < out->n_listed; i++) {
		uint32_t k = order[i].stream;
		const struct lode_digest_stream *stream = &digest->streams.at[k];
		size_t n_known = start[k + 1] - start[k];

		out->streams[i] = (struct lode_triage_stream){
			.id = stream->content_hash,
			.path = order[i].path,
			.host = string_at(digest, stream->host),
			.kernel = string_at(digest, stream->kernel),
			.cover = lode_cover_of(&coverage->streams[k]),
			.is_over = order[i].is_over,
		};
		list_known(s, &out->streams[i], known + start[k], n_known,
			   lode_listed(request->top, n_known));
	}
}

static void list_returned(struct lode_triage_state *s)
{
	const struct lode_signatures *signatures = s->coverage.signatures;
	struct lode_triage_answer *out = &s->answer;

	out->returned =
		lode_arena_array(&s->arena, struct lode_triage_returned, signatures->list.n + 1);
	for (size_t i = 0; i < signatures->list.n; i++) {
		const struct lode_signature *signature = &signatures->list.at[i];
		const struct lode_signature_cost *cost = &s->coverage.coverage.signatures[i];

		out->n_active += !signature->is_retired;
		if (signature->is_retired && cost->total_ns)
			out->returned[out->n_returned++] =
				(struct lode_triage_returned){signature->name, signature->owner,
							      signature->bug,  cost->total_ns,
							      cost->n_events,  cost->n_streams};
	}
}

/* ---- The rest ---- */

static void mine_rest(struct lode_triage_state *s, const struct lode_triage_request *request)
{
	struct lode_error err;
	char text[sizeof(err.message) + 64];

	if (lode_rest_mine(&s->mined, &s->coverage, &request->mining, s->answer.all.symptom_ns,
			   &err) == 0)
		return;
	snprintf(s->reason, sizeof(s->reason), "%s", lode_error_text(&err, text, sizeof(text)));
	s->answer.not_mined = s->reason;
}

static void list_clusters(struct lode_triage_state *s, const struct lode_triage_request *request)
{
	const struct lode_digest *digest = s->coverage.streams.job.digest;
	struct lode_triage_answer *out = &s->answer;
	struct lode_cluster_rows_options options = {
		.top = request->top,
		.top_inside = request->top_inside,
		.has_detail = request->wants_detail,
	};

	out->mined = s->mined;
	out->lambda_ns = s->mined ? s->mined->min_cost : LODE_NO_INT;
	out->other_ns = s->mined ? s->mined->other_ns : LODE_NO_INT;
	if (!s->mined)
		return;
	out->n_clusters = lode_listed(request->top, s->mined->n_clusters);
	out->n_clusters_more = s->mined->n_clusters - out->n_clusters;
	if (request->wants_rows) {
		lode_cluster_rows_build(&s->rows, s->mined, NULL, &options);
		out->rows = &s->rows;
	}
	if (request->wants_detail) {
		out->inputs = digest->streams.at;
		out->n_inputs = digest->streams.n;
	}
}

/* ---- The whole ---- */

/* "10.0 s", "20 %" */
static const char *limit_words(struct lode_triage_state *s,
			       const struct lode_triage_request *request, const char *unit)
{
	if (request->limit_share > 0)
		return lode_format_pct(s->limit, 100 * request->limit_share);
	return request->limit > 0 ? lode_format_cost_long(s->limit, request->limit, unit) : NULL;
}

int lode_triage_run(struct lode_triage_answer **out, const struct lode_triage_request *request,
		    struct lode_error *err)
{
	struct lode_triage_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_triage_answer *answer = &s->answer;
	const struct lode_digest *digest;
	int rc;

	answer->state = s;
	*out = answer;
	rc = lode_coverage_job_run(&s->coverage, request->signatures, &request->streams, NULL,
				   LODE_COVERAGE_STACKS, err);
	answer->read = &s->coverage.streams.job;
	digest = s->coverage.streams.job.digest;
	if (rc < 0)
		return rc;
	if (!digest || !digest->symptoms.n)
		return lode_fail(err, LODE_ERR_EMPTY, NULL, -1, "%s",
				 digest ? "no symptoms in the recordings" : "no usable recording");
	answer->unit = digest->unit;
	answer->n_streams = digest->streams.n;
	answer->n_symptoms = digest->symptoms.n;
	answer->all = lode_cover_of(&s->coverage.coverage.all);
	answer->limit = limit_words(s, request, digest->unit);
	list_streams(s, request);
	list_returned(s);
	lode_rest_keep(&s->coverage);
	if (!request->no_mining)
		mine_rest(s, request);
	list_clusters(s, request);
	answer->opening = lode_triage_opening(answer, request, &s->arena);
	return 0;
}

void lode_triage_free(struct lode_triage_answer *answer)
{
	struct lode_triage_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	if (answer->rows)
		lode_cluster_rows_release(&s->rows);
	lode_mined_free(s->mined);
	lode_coverage_job_release(&s->coverage);
	lode_arena_release(&s->arena);
	free(s);
}

struct lode_names lode_triage_names(const void *of)
{
	const struct lode_triage_answer *answer = of;

	return lode_tree_names(&answer->read->digest->tree);
}
