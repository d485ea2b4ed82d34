#include "analyses/clusters/clusters.h"

#include <stdlib.h>

#include "analyses/clusters/linkage.h"
#include "analyses/clusters/similarity.h"
#include "base/pool.h"

struct pairs {
	const struct lode_similarity *similarity;
	struct lode_aligner *aligners; /* per worker */
	uint32_t *triangle;
};

/* Similarities of pattern `index` with all before it. */
static void compare_with_earlier(void *context, size_t index, unsigned worker)
{
	struct pairs *pairs = context;
	uint32_t *row = pairs->triangle + lode_triangle_at(0, index);

	for (uint32_t i = 0; i < index; i++)
		row[i] = lode_similarity_fixed(lode_pattern_similarity(
			pairs->similarity, i, (uint32_t)index, &pairs->aligners[worker]));
}

/* From "smallest pattern of my cluster" to dense ids in the order of those. */
static size_t number_clusters(uint32_t *cluster_of, size_t n)
{
	uint32_t n_clusters = 0;

	for (size_t i = 0; i < n; i++)
		cluster_of[i] = cluster_of[i] == i ? n_clusters++ : cluster_of[cluster_of[i]];
	return n_clusters;
}

int lode_cluster_patterns(uint32_t *cluster_of, size_t *n_clusters,
			  const struct lode_pattern_set *patterns, const struct lode_calltree *tree,
			  const struct lode_name_stats *names,
			  const struct lode_cluster_options *options, struct lode_error *err)
{
	unsigned n_threads = options->n_threads ? options->n_threads : 1;
	struct lode_similarity similarity;
	struct pairs pairs = {.similarity = &similarity};
	size_t n = patterns->n;

	*n_clusters = 0;
	if (!(options->min_similarity >= 0 && options->min_similarity <= 1))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "similarity must lie between 0 and 1, found %g",
				 options->min_similarity);
	if (n < 1)
		return 0;
	lode_similarity_init(&similarity, patterns, tree, names);
	pairs.triangle = lode_alloc0(n * (n - 1) / 2, sizeof(*pairs.triangle));
	pairs.aligners = lode_alloc0(n_threads, sizeof(*pairs.aligners));
	lode_pool_run(n_threads, n, compare_with_earlier, &pairs);
	lode_agglomerate(cluster_of, n, pairs.triangle, options->linkage,
			 lode_similarity_fixed(options->min_similarity));
	*n_clusters = number_clusters(cluster_of, n);
	for (unsigned i = 0; i < n_threads; i++)
		lode_aligner_release(&pairs.aligners[i]);
	free(pairs.aligners);
	free(pairs.triangle);
	lode_similarity_release(&similarity);
	return 0;
}
