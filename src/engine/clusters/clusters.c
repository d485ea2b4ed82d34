/* Clusters of similar patterns (docs/clusters.md; StackMine §VI). */
#include "engine/clusters/clusters.h"

#include "engine/clusters/joining.h"
#include "engine/clusters/pairs.h"
#include "engine/clusters/similarity.h"
#include "base/sorted.h"

/* From "smallest pattern of my cluster" to dense ids in the order of those. */
static size_t number_clusters(uint32_t *cluster_of, size_t n)
{
	uint32_t n_clusters = 0;

	for (size_t i = 0; i < n; i++)
		cluster_of[i] = cluster_of[i] == i ? n_clusters++ : cluster_of[cluster_of[i]];
	return n_clusters;
}

static uint32_t similarity_of(void *context, uint32_t a, uint32_t b)
{
	return lode_pair_similarity(context, a, b);
}

LODE_COMPARE_WITH(by_length, uint32_t, const struct lode_pattern_set *patterns,
		  LODE_ORDER(lode_pattern_length(patterns, *a), lode_pattern_length(patterns, *b))
			  ?: LODE_ORDER(*a, *b))

/* Marks the patterns that are too long to be compared with others; gives how many. */
static size_t mark_alone(bool *is_alone, const struct lode_pattern_set *patterns,
			 const struct lode_cluster_options *options)
{
	uint64_t left = options->most_cells ? options->most_cells : (uint64_t)1 << 31, shorter = 0;
	size_t always = options->always_compared ? options->always_compared : LODE_ALWAYS_COMPARED;
	uint32_t *order = lode_order_by(patterns->n, by_length, patterns);
	size_t n_alone = 0;

	for (size_t i = 0; i < patterns->n; i++) {
		uint64_t n = lode_pattern_length(patterns, order[i]);

		is_alone[order[i]] = n > always && (n_alone || n * shorter > left);
		n_alone += is_alone[order[i]];
		if (n > always && !is_alone[order[i]])
			left -= n * shorter;
		shorter += n;
	}
	free(order);
	return n_alone;
}

/* Fails when the pairs are likely too many for the memory. */
static int expect_pairs(struct lode_pair_search *search, const struct lode_cluster_options *options,
			size_t n_patterns, struct lode_error *err)
{
	uint64_t most = lode_memory_bound() / LODE_PAIR_BYTES;
	uint64_t n = most ? lode_pairs_expected(search) : 0;

	if (options->most_pairs && options->most_pairs < most)
		most = options->most_pairs;
	if (n <= most)
		return LODE_OK;
	if (options->excess)
		*options->excess = (double)n / (double)most;
	return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			 "clustering %zu patterns needs about %.0f MiB for %.2g million similar "
			 "pairs, but --memory allows %.0f MiB",
			 n_patterns, (double)n * LODE_PAIR_BYTES / 0x1p20, (double)n / 1e6,
			 (double)most * LODE_PAIR_BYTES / 0x1p20);
}

static int cluster_all(uint32_t *cluster_of, size_t *n_clusters,
		       const struct lode_pattern_set *patterns, const struct lode_calltree *tree,
		       const struct lode_name_stats *names,
		       const struct lode_cluster_options *options, struct lode_error *err)
{
	uint32_t cut = lode_similarity_fixed(options->min_similarity);
	struct lode_pair_options pair_options = {
		.cut = cut,
		.n_threads = options->n_threads,
		.max_kind = LODE_REACH_AVX512,
	};
	struct lode_similarity similarity;
	struct lode_pair_search *search;
	struct lode_similar_pairs pairs = {0};
	int rc;
	struct lode_joining joining = {
		.n = patterns->n,
		.pairs = &pairs,
		.linkage = options->linkage,
		.cut = cut,
		.similarity = similarity_of,
	};

	if (!patterns->n)
		return 0;
	if (!cut || patterns->n == 1) {
		memset(cluster_of, 0, patterns->n * sizeof(*cluster_of));
		*n_clusters = 1;
		return 0;
	}
	lode_similarity_init(&similarity, patterns, tree, names);
	search = lode_pair_search_new(&similarity, &pair_options);
	joining.context = search;
	rc = expect_pairs(search, options, patterns->n, err);
	if (rc == LODE_OK && !options->is_trial) {
		lode_pairs_find(&pairs, search);
		lode_join_similar(cluster_of, &joining);
		*n_clusters = number_clusters(cluster_of, patterns->n);
	}
	if (options->similar)
		*options->similar = pairs;
	else
		lode_similar_pairs_release(&pairs);
	lode_pair_search_free(search);
	lode_similarity_release(&similarity);
	return rc;
}

/* Those that may be compared, as a set of their own, and the others one by one. */
static int cluster_some(uint32_t *cluster_of, size_t *n_clusters, const bool *is_alone,
			const struct lode_pattern_set *patterns, const struct lode_calltree *tree,
			const struct lode_name_stats *names,
			const struct lode_cluster_options *options, struct lode_error *err)
{
	uint32_t *found = lode_alloc(patterns->n * sizeof(*found)), *number, n = 0;
	struct lode_cluster_options of_some = *options;
	struct lode_pattern_set some = {0};
	size_t n_found = 0;
	int rc;

	of_some.similar = NULL;
	for (size_t i = 0; i < patterns->n; i++) {
		const uint32_t *items = patterns->items.at + patterns->start.at[i];

		if (is_alone[i])
			continue;
		lode_vec_append(&some.start, some.items.n);
		for (size_t k = 0; k < lode_pattern_length(patterns, (uint32_t)i); k++)
			lode_vec_append(&some.items, items[k]);
		some.n++;
	}
	lode_vec_append(&some.start, some.items.n);
	rc = cluster_all(found, &n_found, &some, tree, names, &of_some, err);
	number = lode_alloc(n_found * sizeof(*number));
	for (size_t i = 0; i < n_found; i++)
		number[i] = LODE_NONE;
	/* Numbered by their first patterns, all together. */
	for (size_t i = 0, k = 0; n_found && i < patterns->n; i++) {
		if (!is_alone[i] && number[found[k]] == LODE_NONE)
			number[found[k]] = n++;
		cluster_of[i] = is_alone[i] ? n++ : number[found[k++]];
	}
	*n_clusters = n;
	lode_pattern_set_release(&some);
	free(number);
	free(found);
	return rc;
}

int lode_cluster_patterns(uint32_t *cluster_of, size_t *n_clusters,
			  const struct lode_pattern_set *patterns, const struct lode_calltree *tree,
			  const struct lode_name_stats *names,
			  const struct lode_cluster_options *options, struct lode_error *err)
{
	bool *is_alone;
	size_t n_alone;
	int rc;

	*n_clusters = 0;
	if (options->similar)
		*options->similar = (struct lode_similar_pairs){0};
	if (!(options->min_similarity >= 0 && options->min_similarity <= 1))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "similarity must lie between 0 and 1, found %g",
				 options->min_similarity);
	is_alone = lode_alloc0(patterns->n, sizeof(*is_alone));
	n_alone = patterns->n > 1 ? mark_alone(is_alone, patterns, options) : 0;
	rc = n_alone ? cluster_some(cluster_of, n_clusters, is_alone, patterns, tree, names,
				    options, err)
		     : cluster_all(cluster_of, n_clusters, patterns, tree, names, options, err);
	if (options->n_alone)
		*options->n_alone = n_alone;
	free(is_alone);
	return rc;
}
