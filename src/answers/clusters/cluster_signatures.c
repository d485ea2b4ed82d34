/* The patterns that a signature of a cluster holds, and which signatures match which clusters. */
#include "answers/clusters/cluster_signatures.h"

#include <assert.h>

#include "model/signature_pattern.h"
#include "base/sorted.h"

/* Past so many patterns of one cluster they are not compared with each other. */
enum { MAX_COMPARED = 1000 };

/* Two signatures per cluster: its patterns, and what they share. */
struct candidates {
	struct lode_signature *list;	/* 2 * n */
	int64_t *patterns_ns, *both_ns; /* per cluster */
};

static unsigned kinds_of(const struct lode_cluster *cluster)
{
	return cluster->kind_group ? 1u << (cluster->kind_group - 1) : 0;
}

/* What all of a cluster's patterns have: the name of its problem, else the common part. */
static const uint32_t *shared_by_all(const struct lode_cluster *cluster, size_t *n)
{
	*n = cluster->name != LODE_NONE ? 1 : cluster->n_common;
	return cluster->name != LODE_NONE ? &cluster->name : cluster->common;
}

static void name_candidates(struct candidates *c, const struct lode_mined *mined,
			    const struct lode_cluster *clusters, size_t n, struct lode_arena *arena)
{
	const struct lode_calltree *tree = &mined->digest->tree;

	for (size_t i = 0; i < n; i++) {
		const struct lode_cluster *cluster = &clusters[i];
		const char **patterns =
			lode_arena_array(arena, const char *, cluster->n_patterns + 1);
		size_t n_shared;
		const uint32_t *shared = shared_by_all(cluster, &n_shared);

		for (size_t p = 0; p < cluster->n_patterns; p++)
			patterns[p] =
				lode_signature_pattern_of(tree, cluster->patterns[p].frames,
							  cluster->patterns[p].n_frames, arena);
		patterns[cluster->n_patterns] =
			lode_signature_pattern_of(tree, shared, n_shared, arena);
		c->list[2 * i] = (struct lode_signature){.patterns = patterns,
							 .n_patterns = cluster->n_patterns,
							 .kinds = kinds_of(cluster)};
		c->list[2 * i + 1] =
			(struct lode_signature){.patterns = &patterns[cluster->n_patterns],
						.n_patterns = n_shared > 0,
						.kinds = kinds_of(cluster)};
	}
}

/* What each cluster's patterns match, and what they and what they share do. */
static void measure_cluster_signatures(struct candidates *c, size_t n,
				       const struct lode_digest *digest)
{
	struct lode_signature_matcher *matcher;
	struct lode_signature_match match;
	const uint32_t *at;
	int rc = lode_signature_matcher_new(&matcher, c->list, 2 * n, NULL);

	assert(rc == 0); /* patterns of frames always parse */
	(void)rc;
	lode_signature_match(&match, matcher, digest);
	for (size_t r = 0; r < digest->rows.n; r++) {
		size_t n_at = lode_signature_set(&match, match.row_set[r], &at);

		for (size_t i = 0; i < n_at; i++) {
			size_t cluster = at[i] / 2;
			bool is_shared = at[i] % 2;

			if (!is_shared)
				c->patterns_ns[cluster] += digest->rows.at[r].cost_ns;
			/* Ascending: the patterns come just before what they share. */
			if (!is_shared || i == 0 || at[i - 1] != at[i] - 1)
				c->both_ns[cluster] += digest->rows.at[r].cost_ns;
		}
	}
	lode_signature_match_release(&match);
	lode_signature_matcher_free(matcher);
}

static bool is_part_of(const uint32_t *p, size_t n_p, const uint32_t *q, size_t n_q)
{
	size_t i = 0;

	for (size_t k = 0; k < n_q && i < n_p; k++)
		i += p[i] == q[k];
	return i == n_p;
}

/* Does another of the cluster's patterns (or what they share) say as much? */
static bool is_implied(const struct lode_cluster *cluster, size_t p, bool has_shared)
{
	const struct lode_mined_pattern *pattern = &cluster->patterns[p];
	size_t n_shared;
	const uint32_t *shared = shared_by_all(cluster, &n_shared);

	if (has_shared && is_part_of(shared, n_shared, pattern->frames, pattern->n_frames))
		return true;
	if (cluster->n_patterns > MAX_COMPARED)
		return false;
	for (size_t q = 0; q < cluster->n_patterns; q++) {
		const struct lode_mined_pattern *other = &cluster->patterns[q];

		if (other->n_frames < pattern->n_frames &&
		    is_part_of(other->frames, other->n_frames, pattern->frames, pattern->n_frames))
			return true;
	}
	return false;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a < b ? b - a : a - b;
}

static void choose_cluster_signatures(struct lode_cluster_signature *out,
				      const struct lode_cluster *cluster,
				      const struct candidates *c, size_t i,
				      struct lode_arena *arena)
{
	const struct lode_signature *s = &c->list[2 * i];
	const char **patterns = lode_arena_array(arena, const char *, s->n_patterns + 1);
	bool has_shared = c->list[2 * i + 1].n_patterns &&
			  distance(c->both_ns[i], cluster->total_ns) <
				  distance(c->patterns_ns[i], cluster->total_ns);
	size_t n = 0;

	for (size_t p = 0; p < s->n_patterns; p++)
		if (!is_implied(cluster, p, has_shared))
			patterns[n++] = s->patterns[p];
	if (has_shared)
		patterns[n++] = c->list[2 * i + 1].patterns[0];
	lode_sort(patterns, n, lode_compare_text);
	*out = (struct lode_cluster_signature){
		.patterns = patterns,
		.n_patterns = n,
		.kinds = s->kinds,
		.total_ns = has_shared ? c->both_ns[i] : c->patterns_ns[i],
	};
}

void lode_cluster_signatures_build(struct lode_cluster_signatures *out,
				   const struct lode_mined *mined,
				   const struct lode_cluster *clusters, size_t n)
{
	struct candidates c = {
		.list = lode_alloc0(2 * n, sizeof(*c.list)),
		.patterns_ns = lode_alloc0(n, sizeof(*c.patterns_ns)),
		.both_ns = lode_alloc0(n, sizeof(*c.both_ns)),
	};

	memset(out, 0, sizeof(*out));
	out->n = n;
	out->at = lode_alloc0(n, sizeof(*out->at));
	name_candidates(&c, mined, clusters, n, &out->arena);
	measure_cluster_signatures(&c, n, mined->digest);
	for (size_t i = 0; i < n; i++)
		choose_cluster_signatures(&out->at[i], &clusters[i], &c, i, &out->arena);
	free(c.list);
	free(c.patterns_ns);
	free(c.both_ns);
}

void lode_cluster_signatures_release(struct lode_cluster_signatures *signatures)
{
	free(signatures->at);
	lode_arena_release(&signatures->arena);
	memset(signatures, 0, sizeof(*signatures));
}

/* ---- Which match: how much of a cluster's own cost ---- */

void lode_rows_of_nodes_build(struct lode_rows_of_nodes *out, const struct lode_digest *digest)
{
	size_t n = digest->tree.nodes.n, *next = lode_alloc0(n + 1, sizeof(*next));

	out->start = lode_alloc0(n + 1, sizeof(*out->start));
	out->rows = lode_alloc0(digest->rows.n + 1, sizeof(*out->rows));
	for (size_t r = 0; r < digest->rows.n; r++)
		out->start[digest->rows.at[r].stack + 1]++;
	for (size_t i = 0; i < n; i++)
		out->start[i + 1] += out->start[i];
	memcpy(next, out->start, (n + 1) * sizeof(*next));
	for (size_t r = 0; r < digest->rows.n; r++)
		out->rows[next[digest->rows.at[r].stack]++] = (uint32_t)r;
	free(next);
}

void lode_rows_of_nodes_release(struct lode_rows_of_nodes *rows)
{
	free(rows->start);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

LODE_COMPARE(by_cost, struct lode_cluster_match,
	     LODE_ORDER(b->matched_ns, a->matched_ns) ?: LODE_ORDER(a->signature, b->signature))

/* What is summed up of one cluster. */
struct sums {
	int64_t *of; /* per signature */
	LODE_VEC(uint32_t) touched;
};

static void add_row_cluster_matches(struct sums *sums, const struct lode_signature_match *match,
				    uint32_t row, int64_t cost_ns)
{
	const uint32_t *at;
	size_t n = lode_signature_set(match, match->row_set[row], &at);

	if (cost_ns <= 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (sums->of[at[i]] == 0)
			lode_vec_append(&sums->touched, at[i]);
		sums->of[at[i]] += cost_ns;
	}
}

void lode_cluster_matches_build(lode_cluster_matches *out, const struct lode_mined *mined,
				const struct lode_rows_of_nodes *rows,
				const struct lode_signature_match *match, size_t n_signatures)
{
	const struct lode_digest *digest = mined->digest;
	struct sums sums = {.of = lode_alloc0(n_signatures + 1, sizeof(*sums.of))};

	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];
		size_t first = out->n;

		for (size_t i = 0; i < cluster->n_stacks; i++) {
			uint32_t node = cluster->stacks[i].node;

			for (size_t r = rows->start[node]; r < rows->start[node + 1]; r++) {
				const struct lode_digest_row *row = &digest->rows.at[rows->rows[r]];

				if (!cluster->kind_group || cluster->kind_group == row->kind + 1u)
					add_row_cluster_matches(&sums, match, rows->rows[r],
								row->cost_ns);
			}
		}
		for (size_t i = 0; i < sums.touched.n; i++) {
			uint32_t signature = sums.touched.at[i];

			lode_vec_append(out, ((struct lode_cluster_match){(uint32_t)c, signature,
									  sums.of[signature]}));
			sums.of[signature] = 0;
		}
		sums.touched.n = 0;
		lode_sort(out->at + first, out->n - first, by_cost);
	}
	lode_vec_release(&sums.touched);
	free(sums.of);
}
