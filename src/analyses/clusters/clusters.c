#include "analyses/clusters/clusters.h"

#include <stdlib.h>

#include "analyses/clusters/joining.h"
#include "analyses/clusters/pairs.h"
#include "analyses/clusters/similarity.h"
#include "base/pool.h"

/* From "smallest pattern of my cluster" to dense ids in the order of those. */
static size_t number_clusters(uint32_t *cluster_of, size_t n)
{
	uint32_t n_clusters = 0;

	for (size_t i = 0; i < n; i++)
		cluster_of[i] = cluster_of[i] == i ? n_clusters++ : cluster_of[cluster_of[i]];
	return n_clusters;
}

struct single {
	const struct lode_similarity *similarity;
	struct lode_aligner aligner;
};

static uint32_t similarity_of(void *context, uint32_t a, uint32_t b)
{
	struct single *single = context;

	return lode_similarity_fixed(
		lode_pattern_similarity(single->similarity, a, b, &single->aligner));
}

int lode_cluster_patterns(uint32_t *cluster_of, size_t *n_clusters,
			  const struct lode_pattern_set *patterns, const struct lode_calltree *tree,
			  const struct lode_name_stats *names,
			  const struct lode_cluster_options *options, struct lode_error *err)
{
	unsigned n_threads = options->n_threads ? options->n_threads : 1;
	uint32_t cut = lode_similarity_fixed(options->min_similarity);
	struct lode_similarity similarity;
	struct single single = {.similarity = &similarity};
	lode_pair_vec pairs = {0};
	struct lode_joining joining = {
		.n = patterns->n,
		.pairs = &pairs,
		.linkage = options->linkage,
		.cut = cut,
		.similarity = similarity_of,
		.context = &single,
	};

	*n_clusters = 0;
	if (!(options->min_similarity >= 0 && options->min_similarity <= 1))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "similarity must lie between 0 and 1, found %g",
				 options->min_similarity);
	if (!patterns->n)
		return 0;
	if (!cut) {
		memset(cluster_of, 0, patterns->n * sizeof(*cluster_of));
		*n_clusters = 1;
		return 0;
	}
	lode_similarity_init(&similarity, patterns, tree, names);
	lode_pairs_find(&pairs, &similarity, cut, n_threads);
	lode_join_similar(cluster_of, &joining);
	*n_clusters = number_clusters(cluster_of, patterns->n);
	lode_vec_release(&pairs);
	lode_aligner_release(&single.aligner);
	lode_similarity_release(&similarity);
	return 0;
}
