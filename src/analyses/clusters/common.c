#include "analyses/clusters/common.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/pool.h"

/* Weight of a function that stands in every stack, against 2^20 for one that is in none. */
enum { WEIGHT_LEAST = 1, WEIGHT_UNI = 1 << 20 };

struct path {
	LODE_VEC(uint32_t) item; /* functions */
	LODE_VEC(int64_t) weight;
	int64_t total;
};

struct scratch {
	LODE_VEC(int64_t) table;
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

/* Heaviest common subsequence of `a` and the pattern, into `out`. */
static void intersect(struct path *out, const struct path *a,
		      const struct lode_similarity *similarity, uint32_t pattern,
		      struct scratch *scratch)
{
	const uint32_t *b = similarity->functions + similarity->patterns->start.at[pattern];
	size_t n_b = lode_pattern_length(similarity->patterns, pattern), width = n_b + 1;
	size_t i, k;
	int64_t *t;

	path_clear(out);
	lode_vec_reserve(&scratch->table, (a->item.n + 1) * width);
	t = scratch->table.at;
	assert(t);
	/* t[i * width + k]: the most that a[i..] and b[k..] can have in common. */
	memset(t + a->item.n * width, 0, width * sizeof(*t));
	for (i = a->item.n; i-- > 0;) {
		int64_t *row = t + i * width, *below = row + width;

		row[n_b] = 0;
		for (k = n_b; k-- > 0;) {
			row[k] = below[k] > row[k + 1] ? below[k] : row[k + 1];
			if (a->item.at[i] == b[k] && below[k + 1] + a->weight.at[i] > row[k])
				row[k] = below[k + 1] + a->weight.at[i];
		}
	}
	for (i = 0, k = 0; i < a->item.n && k < n_b;) {
		int64_t here = t[i * width + k];

		if (a->item.at[i] == b[k] && here == t[(i + 1) * width + k + 1] + a->weight.at[i]) {
			path_append(out, a->item.at[i], a->weight.at[i]);
			i++;
			k++;
		} else if (here == t[(i + 1) * width + k]) {
			i++;
		} else {
			k++;
		}
	}
}

static void fold(struct path *common, const struct lode_similarity *similarity,
		 const uint32_t *members, size_t n, struct scratch *scratch)
{
	struct path next = {0}, swapped;

	path_of_pattern(common, similarity, members[0]);
	for (size_t i = 1; i < n && common->item.n; i++) {
		intersect(&next, common, similarity, members[i], scratch);
		swapped = *common;
		*common = next;
		next = swapped;
	}
	path_release(&next);
}

/*
 * Marks the gaps of the placement of `common` in one pattern that has the fewest of them.
 * t[i * width + k]: fewest gaps of common[0..i] when common[i] stands at b[k].
 */
static void mark_gaps(struct lode_common *common, const struct path *path,
		      const struct lode_similarity *similarity, uint32_t pattern,
		      struct scratch *scratch)
{
	const uint32_t *b = similarity->functions + similarity->patterns->start.at[pattern];
	size_t n_b = lode_pattern_length(similarity->patterns, pattern), n = path->item.n, i, k;
	const int64_t never = INT64_MAX / 2;
	int64_t *t, *above = NULL, before, best = never;

	lode_vec_reserve(&scratch->table, n * n_b);
	t = scratch->table.at;
	for (i = 0; i < n; i++) {
		before = never; /* fewest gaps of the path up to i - 1 with a hole before k */
		if (i)
			above = t + (i - 1) * n_b;
		for (k = 0; k < n_b; k++) {
			int64_t *cell = t + i * n_b + k;

			if (i && k > 1 && above[k - 2] < before)
				before = above[k - 2];
			if (path->item.at[i] != b[k])
				*cell = never;
			else if (!i)
				*cell = k > 0;
			else
				*cell = k && above[k - 1] <= before ? above[k - 1] : before + 1;
		}
	}
	assert(t && n);
	for (k = 0, i = 0; k < n_b; k++) {
		int64_t cost = t[(n - 1) * n_b + k] + (k + 1 < n_b);

		if (cost < best) {
			best = cost;
			i = k;
		}
	}
	common->gap_after |= i + 1 < n_b;
	for (size_t c = n; c-- > 0;) {
		int64_t here = t[c * n_b + i];

		if (!c) {
			common->gap_before.at[0] |= i > 0;
			break;
		}
		above = t + (c - 1) * n_b;
		if (above[i - 1] == here) {
			i--;
			continue;
		}
		common->gap_before.at[c] = true;
		for (i -= 2; above[i] != here - 1;)
			i--;
	}
}

/* Stable: members of one length stay in the order in which they came. */
static void sort_by_length(uint32_t *sorted, const uint32_t *members, size_t n,
			   const struct lode_pattern_set *patterns)
{
	size_t longest = 0, i, length;
	uint32_t *next;

	for (i = 0; i < n; i++) {
		length = lode_pattern_length(patterns, members[i]);
		longest = length > longest ? length : longest;
	}
	next = lode_alloc0(longest + 2, sizeof(*next));
	for (i = 0; i < n; i++)
		next[lode_pattern_length(patterns, members[i]) + 1]++;
	for (i = 1; i <= longest + 1; i++)
		next[i] += next[i - 1];
	for (i = 0; i < n; i++)
		sorted[next[lode_pattern_length(patterns, members[i])]++] = members[i];
	free(next);
}

void lode_cluster_common(struct lode_common *common, const struct lode_similarity *similarity,
			 const uint32_t *members, size_t n)
{
	uint32_t *by_length = lode_alloc(n * sizeof(*by_length));
	struct path given = {0}, sorted = {0}, *path = &given;
	struct scratch scratch = {0};

	common->frames.n = common->gap_before.n = 0;
	common->gap_after = false;
	fold(&given, similarity, members, n, &scratch);
	/* Folding is greedy: starting from the shortest often keeps more, so take the heavier. */
	sort_by_length(by_length, members, n, similarity->patterns);
	fold(&sorted, similarity, by_length, n, &scratch);
	if (sorted.total > given.total)
		path = &sorted;
	for (size_t i = 0; i < path->item.n; i++) {
		lode_vec_append(&common->frames, similarity->frame_of[path->item.at[i]]);
		lode_vec_append(&common->gap_before, false);
	}
	for (size_t i = 0; i < n && path->item.n; i++)
		mark_gaps(common, path, similarity, members[i], &scratch);
	path_release(&given);
	path_release(&sorted);
	lode_vec_release(&scratch.table);
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
	const uint8_t *is_core;	       /* per pattern; NULL: all are */
	uint32_t *core;		       /* as `member`, for the core patterns of each cluster */
	struct lode_common *commons;   /* per cluster */
	double *lowest;		       /* per place in `member`: similarity to those before it */
	struct lode_aligner *aligners; /* per worker */
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

static void find_lowest(void *context, size_t at, unsigned worker)
{
	struct description *d = context;
	size_t from = d->start[d->cluster_of[d->member[at]]];
	double lowest = 1, similarity;

	for (size_t i = from; i < at; i++) {
		similarity = lode_pattern_similarity(d->similarity, d->member[i], d->member[at],
						     &d->aligners[worker]);
		lowest = similarity < lowest ? similarity : lowest;
	}
	d->lowest[at] = lowest;
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
	out->min_similarity = 1;
	for (size_t i = d->start[cluster]; i < d->start[cluster + 1]; i++)
		if (d->lowest[i] < out->min_similarity)
			out->min_similarity = d->lowest[i];
}

void lode_cluster_describe(struct lode_cluster_parts *out, size_t n_clusters,
			   const struct lode_pattern_set *patterns, const uint32_t *cluster_of,
			   const uint8_t *is_core, const struct lode_calltree *tree,
			   const struct lode_name_stats *names, unsigned n_threads,
			   struct lode_arena *arena)
{
	struct description d = {.cluster_of = cluster_of, .is_core = is_core};
	struct lode_similarity similarity;

	if (!n_clusters)
		return;
	n_threads = n_threads ? n_threads : 1;
	lode_similarity_init(&similarity, patterns, tree, names);
	d.similarity = &similarity;
	group_members(&d, n_clusters, patterns->n);
	d.core = lode_alloc(patterns->n * sizeof(*d.core));
	d.commons = lode_alloc0(n_clusters, sizeof(*d.commons));
	d.lowest = lode_alloc(patterns->n * sizeof(*d.lowest));
	d.aligners = lode_alloc0(n_threads, sizeof(*d.aligners));
	lode_pool_run(n_threads, n_clusters, find_common, &d);
	lode_pool_run(n_threads, patterns->n, find_lowest, &d);
	for (size_t c = 0; c < n_clusters; c++) {
		describe(&out[c], &d, c, arena);
		lode_common_release(&d.commons[c]);
	}
	for (unsigned i = 0; i < n_threads; i++)
		lode_aligner_release(&d.aligners[i]);
	free(d.aligners);
	free(d.lowest);
	free(d.commons);
	free(d.start);
	free(d.member);
	free(d.core);
	lode_similarity_release(&similarity);
}
