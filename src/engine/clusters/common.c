/* What the patterns of a cluster share, and how far they differ (docs/clusters.md). */
#include "engine/clusters/common.h"

#include <math.h>

#include "engine/clusters/pairs.h"
#include "base/pool.h"

/* Weight of a function that stands in every stack, against 2^20 for one that is in none. */
enum { WEIGHT_LEAST = 1, WEIGHT_UNI = 1 << 20 };

struct path {
	LODE_VEC(uint32_t) item; /* functions */
	LODE_VEC(int64_t) weight;
	int64_t total;
};

static void path_append(struct path *path, uint32_t item, int64_t weight)
{
	lode_vec_append(&path->item, item);
	lode_vec_append(&path->weight, weight);
	path->total += weight;
}

static void path_clear(struct path *path)
{
	path->item.n = path->weight.n = 0;
	path->total = 0;
}

static void path_release(struct path *path)
{
	lode_vec_release(&path->item);
	lode_vec_release(&path->weight);
}

static void path_of_pattern(struct path *path, const struct lode_similarity *similarity,
			    uint32_t pattern)
{
	const size_t *start = similarity->patterns->start.at;

	path_clear(path);
	for (size_t i = start[pattern]; i < start[pattern + 1]; i++)
		path_append(path, similarity->functions[i],
			    WEIGHT_LEAST + llround(similarity->weights[i].uni * WEIGHT_UNI));
}

/* What is left of two sequences behind what both begin with. */
struct rest {
	const uint32_t *a, *b;
	const int64_t *weight; /* of a */
	size_t n_a, n_b;
};

/* Row n_a - i, cell k: the most that a[i..] and b[k..] can have in common. */
static void make_heaviest(const void *context, size_t row, const int64_t *below, int64_t *cells)
{
	const struct rest *rest = context;
	size_t i = rest->n_a - row, k = rest->n_b;

	if (!below) {
		memset(cells, 0, (k + 1) * sizeof(*cells));
		return;
	}
	cells[k] = 0;
	while (k-- > 0) {
		cells[k] = below[k] > cells[k + 1] ? below[k] : cells[k + 1];
		if (rest->a[i] == rest->b[k] && below[k + 1] + rest->weight[i] > cells[k])
			cells[k] = below[k + 1] + rest->weight[i];
	}
}

/*
 * Heaviest common subsequence of `a` and the pattern, into `out`. What both begin with is in it:
 * whatever else one of the two functions could be taken with is the same function, further behind.
 */
static void intersect(struct path *out, const struct path *a,
		      const struct lode_similarity *similarity, uint32_t pattern,
		      struct lode_row_table *table)
{
	const uint32_t *b = similarity->functions + similarity->patterns->start.at[pattern];
	struct rest rest = {a->item.at, b, a->weight.at, a->item.n,
			    lode_pattern_length(similarity->patterns, pattern)};
	size_t i, k;

	path_clear(out);
	while (rest.n_a && rest.n_b && *rest.a == *rest.b) {
		path_append(out, *rest.a, *rest.weight);
		rest = (struct rest){rest.a + 1, rest.b + 1, rest.weight + 1, rest.n_a - 1,
				     rest.n_b - 1};
	}
	if (!rest.n_a || !rest.n_b)
		return;
	lode_row_table_fill(table, rest.n_a + 1, rest.n_b + 1, make_heaviest, &rest);
	for (i = 0, k = 0; i < rest.n_a && k < rest.n_b;) {
		const int64_t *here = lode_row_table_at(table, rest.n_a - i);
		const int64_t *below = here - table->width;

		if (rest.a[i] == rest.b[k] && here[k] == below[k + 1] + rest.weight[i]) {
			path_append(out, rest.a[i], rest.weight[i]);
			i++;
			k++;
		} else if (here[k] == below[k]) {
			i++;
		} else {
			k++;
		}
	}
}

static void fold(struct path *common, const struct lode_similarity *similarity,
		 const uint32_t *members, size_t n, struct lode_row_table *table)
{
	struct path next = {0}, swapped;

	path_of_pattern(common, similarity, members[0]);
	for (size_t i = 1; i < n && common->item.n; i++) {
		intersect(&next, common, similarity, members[i], table);
		swapped = *common;
		*common = next;
		next = swapped;
	}
	path_release(&next);
}

/* Where a common part may be placed in one pattern that has it. */
struct placing {
	const uint32_t *common, *b;
	size_t n_slack; /* functions that stand in gaps */
};

static const int64_t never = INT64_MAX / 2;

/*
 * Row c, cell s: fewest gaps of common[0..c] when common[c] stands at b[c + s]. All of the common
 * part must fit before and behind it, so s is at most n_slack.
 */
static void make_placements(const void *context, size_t c, const int64_t *above, int64_t *cells)
{
	const struct placing *p = context;
	int64_t before =
		never; /* fewest gaps of the path up to c - 1 with a hole before b[c + s] */

	for (size_t s = 0; s <= p->n_slack; s++) {
		if (above && s && above[s - 1] < before)
			before = above[s - 1];
		if (p->common[c] != p->b[c + s])
			cells[s] = never;
		else if (!above)
			cells[s] = s > 0;
		else
			cells[s] = above[s] <= before ? above[s] : before + 1;
	}
}

/* Marks the gaps of the placement of `common` in one pattern that has the fewest of them. */
static void mark_gaps(struct lode_common *common, const struct path *path,
		      const struct lode_similarity *similarity, uint32_t pattern,
		      struct lode_row_table *table)
{
	size_t n = path->item.n, n_b = lode_pattern_length(similarity->patterns, pattern), at = 0;
	struct placing placing = {path->item.at,
				  similarity->functions + similarity->patterns->start.at[pattern],
				  n_b - n};
	const int64_t *row, *above;
	int64_t best = never;

	lode_row_table_fill(table, n, placing.n_slack + 1, make_placements, &placing);
	row = lode_row_table_at(table, n - 1);
	for (size_t s = 0; s <= placing.n_slack; s++)
		if (row[s] + (s < placing.n_slack) < best) {
			best = row[s] + (s < placing.n_slack);
			at = s;
		}
	common->gap_after |= at < placing.n_slack;
	for (size_t c = n; c-- > 1;) {
		row = lode_row_table_at(table, c);
		above = row - table->width;
		if (above[at] == row[at])
			continue;
		common->gap_before.at[c] = true;
		best = row[at] - 1;
		while (above[--at] != best)
			;
	}
	common->gap_before.at[0] |= at > 0;
}

/* Stable: members of one length stay in the order in which they came. */
static void sort_by_length(uint32_t *sorted, const uint32_t *members, size_t n,
			   const struct lode_pattern_set *patterns)
{
	size_t longest = 0, length;
	uint32_t *next;

	for (size_t i = 0; i < n; i++) {
		length = lode_pattern_length(patterns, members[i]);
		longest = length > longest ? length : longest;
	}
	next = lode_alloc0(longest + 2, sizeof(*next));
	for (size_t i = 0; i < n; i++)
		next[lode_pattern_length(patterns, members[i]) + 1]++;
	for (size_t i = 1; i <= longest + 1; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < n; i++)
		sorted[next[lode_pattern_length(patterns, members[i])]++] = members[i];
	free(next);
}

void lode_cluster_common(struct lode_common *common, const struct lode_similarity *similarity,
			 const uint32_t *members, size_t n)
{
	uint32_t *by_length = lode_alloc(n * sizeof(*by_length));
	struct path given = {0}, sorted = {0}, *path = &given;
	struct lode_row_table table = {0};

	common->frames.n = common->gap_before.n = 0;
	common->gap_after = false;
	fold(&given, similarity, members, n, &table);
	/* Folding is greedy: starting from the shortest often keeps more, so take the heavier. */
	sort_by_length(by_length, members, n, similarity->patterns);
	fold(&sorted, similarity, by_length, n, &table);
	if (sorted.total > given.total)
		path = &sorted;
	for (size_t i = 0; i < path->item.n; i++) {
		lode_vec_append(&common->frames, similarity->frame_of[path->item.at[i]]);
		lode_vec_append(&common->gap_before, false);
	}
	for (size_t i = 0; i < n && path->item.n; i++)
		mark_gaps(common, path, similarity, members[i], &table);
	path_release(&given);
	path_release(&sorted);
	lode_row_table_release(&table);
	free(by_length);
}

void lode_common_release(struct lode_common *common)
{
	lode_vec_release(&common->frames);
	lode_vec_release(&common->gap_before);
}

/* ---- All clusters at once ---- */

struct description {
	const struct lode_similarity *similarity;
	uint32_t *member; /* patterns, cluster by cluster, in their order */
	size_t *start;	  /* n_clusters + 1: where a cluster's members begin */
	const uint32_t *cluster_of;
	const uint8_t *is_core;	     /* per pattern; NULL: all are */
	uint32_t *core;		     /* as `member`, for the core patterns of each cluster */
	struct lode_common *commons; /* per cluster */
	double *lowest;		     /* per cluster */
};

static void group_members(struct description *d, size_t n_clusters, size_t n)
{
	d->member = lode_alloc(n * sizeof(*d->member));
	d->start = lode_alloc0(n_clusters + 2, sizeof(*d->start));
	for (size_t i = 0; i < n; i++)
		d->start[d->cluster_of[i] + 2]++;
	for (size_t c = 2; c < n_clusters + 2; c++)
		d->start[c] += d->start[c - 1];
	/* start[c + 1] runs from the first to behind the last member of c while they are filled in.
	 */
	for (size_t i = 0; i < n; i++)
		d->member[d->start[d->cluster_of[i] + 1]++] = (uint32_t)i;
}

static void find_common(void *context, size_t cluster, unsigned worker)
{
	struct description *d = context;
	uint32_t *core = d->core + d->start[cluster];
	size_t n = 0;

	(void)worker;
	for (size_t i = d->start[cluster]; i < d->start[cluster + 1]; i++)
		if (!d->is_core || d->is_core[d->member[i]])
			core[n++] = d->member[i];
	lode_cluster_common(&d->commons[cluster], d->similarity, core, n);
}

static void describe(struct lode_cluster_parts *out, const struct description *d, size_t cluster,
		     struct lode_arena *arena)
{
	const struct lode_common *common = &d->commons[cluster];
	uint32_t *frames = lode_arena_array(arena, uint32_t, common->frames.n);
	bool *gap_before = lode_arena_array(arena, bool, common->frames.n);

	for (size_t i = 0; i < common->frames.n; i++) {
		frames[i] = common->frames.at[i];
		gap_before[i] = common->gap_before.at[i];
	}
	out->common = frames;
	out->gap_before = gap_before;
	out->n_common = common->frames.n;
	out->min_similarity = d->lowest[cluster];
}

void lode_cluster_describe(struct lode_cluster_parts *out, size_t n_clusters,
			   const struct lode_pattern_set *patterns, const uint32_t *cluster_of,
			   const uint8_t *is_core, const struct lode_calltree *tree,
			   const struct lode_name_stats *names,
			   const struct lode_similar_pairs *similar, unsigned n_threads,
			   struct lode_arena *arena)
{
	struct description d = {.cluster_of = cluster_of, .is_core = is_core};
	struct lode_similarity similarity;
	struct lode_pair_search *pairs;

	if (!n_clusters)
		return;
	n_threads = n_threads ? n_threads : 1;
	lode_similarity_init(&similarity, patterns, tree, names);
	d.similarity = &similarity;
	group_members(&d, n_clusters, patterns->n);
	d.core = lode_alloc(patterns->n * sizeof(*d.core));
	d.commons = lode_alloc0(n_clusters, sizeof(*d.commons));
	d.lowest = lode_alloc(n_clusters * sizeof(*d.lowest));
	lode_pool_run(n_threads, n_clusters, find_common, &d);
	pairs = lode_pair_search_new(&similarity,
				     &(struct lode_pair_options){.cut = 1,
								 .n_threads = n_threads,
								 .max_kind = LODE_REACH_AVX512});
	lode_pairs_lowest(d.lowest, n_clusters, cluster_of, similar, pairs);
	lode_pair_search_free(pairs);
	for (size_t c = 0; c < n_clusters; c++) {
		describe(&out[c], &d, c, arena);
		lode_common_release(&d.commons[c]);
	}
	free(d.lowest);
	free(d.commons);
	free(d.start);
	free(d.member);
	free(d.core);
	lode_similarity_release(&similarity);
}
