/* Which signatures or clusters occur in which recording. */
#include "answers/next/known.h"

#include <stdio.h>

#include "engine/signatures/signature_cover.h"
#include "engine/signatures/signature_match.h"
#include "answers/clusters/cluster_costs.h"

/* What is in which stream, signature by signature. */
struct cell {
	uint32_t stream, signature;
	int64_t cost_ns;
};

struct making {
	struct lode_known_streams *job;
	struct lode_order_stream *streams;
	LODE_VEC(struct cell) cells; /* by signature, then stream */
	LODE_VEC(int64_t) part_ns;
	LODE_VEC(size_t) part_start;
	LODE_VEC(uint32_t) part_signatures;
};

/* ---- Streams ---- */

static void measure_streams(struct making *m)
{
	const struct lode_digest *digest = m->job->digest;

	m->streams = lode_arena_array(&m->job->arena, struct lode_order_stream, digest->streams.n);
	memset(m->streams, 0, digest->streams.n * sizeof(*m->streams));
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];
		struct lode_order_stream *stream = &m->streams[symptom->stream];
		int64_t length_ns = lode_digest_symptom_ns(symptom);

		stream->symptom_ns += length_ns;
		if (length_ns > stream->longest_ns)
			stream->longest_ns = length_ns;
		m->job->symptom_ns += length_ns;
	}
}

static bool is_called(const struct lode_digest *digest, size_t i, const char *name)
{
	const char *path = digest->tree.strings.text.at[digest->streams.at[i].path];
	size_t len = strlen(name);
	char id[17];

	if (strcmp(path, name) == 0 || strcmp(lode_path_base(path), name) == 0)
		return true;
	snprintf(id, sizeof(id), "%016llx", (unsigned long long)digest->streams.at[i].content_hash);
	return len >= 4 && len <= 16 && strncmp(id, name, len) == 0;
}

static int mark_opened(struct making *m, const struct lode_known_options *options,
		       struct lode_error *err)
{
	const struct lode_digest *digest = m->job->digest;

	for (size_t o = 0; o < options->n_opened; o++) {
		size_t n_found = 0;

		for (size_t i = 0; i < digest->streams.n; i++) {
			if (!is_called(digest, i, options->opened[o]))
				continue;
			m->job->n_opened += !m->streams[i].is_opened;
			m->streams[i].is_opened = true;
			n_found++;
		}
		if (n_found != 1)
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 n_found ? "--opened %.200s: ambiguous, %zu recordings "
						   "have this name"
						 : "--opened %.200s: no recording has this name",
					 options->opened[o], n_found);
	}
	return 0;
}

/* ---- Signatures, or clusters ---- */

static void add_which(struct making *m, uint32_t number)
{
	m->job->which[m->job->n_which++] = number;
}

/* The costs per set of signatures; retired ones are in none. */
static void add_parts(struct making *m, const struct lode_signature_match *match,
		      const struct lode_coverage *coverage, const uint32_t *number)
{
	for (size_t set = 0; set < coverage->n_sets; set++) {
		const uint32_t *members;
		size_t n = lode_signature_set(match, (uint32_t)set, &members);
		size_t n_before = m->part_signatures.n;

		for (size_t i = 0; i < n; i++)
			if (number[members[i]] != LODE_NONE)
				lode_vec_append(&m->part_signatures, number[members[i]]);
		if (m->part_signatures.n == n_before || coverage->set_ns[set] <= 0) {
			m->part_signatures.n = n_before;
			continue;
		}
		lode_vec_append(&m->part_start, n_before);
		lode_vec_append(&m->part_ns, coverage->set_ns[set]);
	}
}

static int use_signatures(struct making *m, const struct lode_signatures *signatures,
			  struct lode_error *err)
{
	const struct lode_signature *list = signatures->list.at;
	size_t n = signatures->list.n;
	struct lode_signature_matcher *matcher;
	struct lode_signature_match match = {0};
	struct lode_coverage coverage;
	uint32_t *number;
	int rc = lode_signature_matcher_new(&matcher, list, n, err);

	if (rc < 0)
		return rc;
	m->job->signatures = signatures;
	lode_signature_match(&match, matcher, m->job->digest);
	lode_coverage_build(&coverage, &match, list, n, m->job->digest);
	m->job->which = lode_arena_array(&m->job->arena, uint32_t, n);
	number = lode_alloc(n * sizeof(*number));
	for (size_t s = 0; s < n; s++) {
		number[s] = list[s].is_retired ? LODE_NONE : (uint32_t)m->job->n_which;
		if (!list[s].is_retired)
			add_which(m, (uint32_t)s);
	}
	for (size_t i = 0; i < coverage.in_streams.n; i++) {
		const struct lode_signature_in_stream *in = &coverage.in_streams.at[i];
		struct cell cell = {in->stream, number[in->signature], in->total_ns};

		if (cell.signature != LODE_NONE && in->total_ns > 0)
			lode_vec_append(&m->cells, cell);
	}
	add_parts(m, &match, &coverage, number);
	for (size_t i = 0; i < coverage.n_streams; i++)
		m->streams[i].covered_ns = coverage.streams[i].covered_ns;
	m->job->covered_ns = coverage.all.covered_ns;
	free(number);
	lode_coverage_release(&coverage);
	lode_signature_match_release(&match);
	lode_signature_matcher_free(matcher);
	return 0;
}

static int use_clusters(struct making *m, const struct lode_mine_options *options,
			struct lode_error *err)
{
	struct lode_known_streams *job = m->job;
	struct lode_cluster_costs costs;
	int rc = lode_mine(&job->mined, job->digest, options, err);

	if (rc < 0)
		return rc;
	lode_cluster_costs_build(&costs, job->mined);
	job->which = lode_arena_array(&job->arena, uint32_t, job->mined->n_clusters);
	for (size_t c = 0; c < job->mined->n_clusters; c++) {
		int64_t own_ns = job->mined->clusters[c].own_ns;

		add_which(m, (uint32_t)c);
		for (size_t i = costs.start[c]; i < costs.start[c + 1]; i++) {
			struct cell cell = {costs.cells.at[i].stream, (uint32_t)c,
					    costs.cells.at[i].cost_ns};

			lode_vec_append(&m->cells, cell);
			m->streams[cell.stream].covered_ns += cell.cost_ns;
		}
		if (own_ns <= 0)
			continue;
		lode_vec_append(&m->part_start, m->part_signatures.n);
		lode_vec_append(&m->part_signatures, (uint32_t)c);
		lode_vec_append(&m->part_ns, own_ns);
		job->covered_ns += own_ns;
	}
	lode_cluster_costs_release(&costs);
	return 0;
}

/* ---- The order's input ---- */

static void *keep_next_known(struct lode_arena *arena, const void *items, size_t n,
			     size_t item_bytes)
{
	void *copy = lode_arena_alloc(arena, n * item_bytes + 1, _Alignof(int64_t));

	return n ? memcpy(copy, items, n * item_bytes) : copy;
}

/* Cells by stream: a counting sort. */
static void make_input(struct making *m)
{
	struct lode_known_streams *job = m->job;
	size_t n_streams = job->digest->streams.n;
	struct lode_order_sight *sights =
		lode_arena_array(&job->arena, struct lode_order_sight, m->cells.n);
	size_t *start = lode_arena_array(&job->arena, size_t, n_streams + 2);

	memset(start, 0, (n_streams + 2) * sizeof(*start));
	for (size_t i = 0; i < m->cells.n; i++)
		start[m->cells.at[i].stream + 2]++;
	for (size_t i = 0; i < n_streams; i++)
		start[i + 2] += start[i + 1];
	for (size_t i = 0; i < m->cells.n; i++)
		sights[start[m->cells.at[i].stream + 1]++] =
			(struct lode_order_sight){m->cells.at[i].signature, m->cells.at[i].cost_ns};
	lode_vec_append(&m->part_start, m->part_signatures.n);
	job->input = (struct lode_order_input){
		.streams = m->streams,
		.n_streams = n_streams,
		.sights = sights,
		.sight_start = start,
		.n_signatures = job->n_which,
		.part_ns =
			keep_next_known(&job->arena, m->part_ns.at, m->part_ns.n, sizeof(int64_t)),
		.part_signatures = keep_next_known(&job->arena, m->part_signatures.at,
						   m->part_signatures.n, sizeof(uint32_t)),
		.part_start = keep_next_known(&job->arena, m->part_start.at, m->part_start.n,
					      sizeof(size_t)),
		.n_parts = m->part_ns.n,
	};
}

int lode_known_streams_build(struct lode_known_streams *out, const struct lode_digest *digest,
			     const struct lode_known_options *options, struct lode_error *err)
{
	struct making m = {.job = out};
	int rc;

	memset(out, 0, sizeof(*out));
	out->digest = digest;
	measure_streams(&m);
	rc = mark_opened(&m, options, err);
	if (rc == 0 && options->signatures && options->signatures->list.n)
		rc = use_signatures(&m, options->signatures, err);
	else if (rc == 0)
		rc = use_clusters(&m, &options->mine, err);
	if (rc == 0) {
		make_input(&m);
		lode_stream_order_build(&out->order, &out->input, LODE_ORDER_BEST, 0);
		if (options->wants_curves)
			lode_order_curves_build(&out->curves, &out->input);
	}
	lode_vec_release(&m.cells);
	lode_vec_release(&m.part_ns);
	lode_vec_release(&m.part_start);
	lode_vec_release(&m.part_signatures);
	return rc;
}

void lode_known_streams_release(struct lode_known_streams *job)
{
	lode_stream_order_release(&job->order);
	lode_order_curves_release(&job->curves);
	lode_mined_free(job->mined);
	lode_arena_release(&job->arena);
	memset(job, 0, sizeof(*job));
}
