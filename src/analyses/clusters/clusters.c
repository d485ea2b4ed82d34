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

static uint32_t similarity_of(void *context, uint32_t a, uint32_t b)
{
	return lode_pair_similarity(context, a, b);
}

int lode_cluster_patterns(uint32_t *cluster_of, size_t *n_clusters,
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
	lode_pair_vec pairs = {0};
	struct lode_joining joining = {
		.n = patterns->n,
		.pairs = &pairs,
		.linkage = options->linkage,
		.cut = cut,
		.similarity = similarity_of,
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
	search = lode_pair_search_new(&similarity, &pair_options);
	joining.context = search;
	lode_pairs_find(&pairs, search);
	lode_join_similar(cluster_of, &joining);
	*n_clusters = number_clusters(cluster_of, patterns->n);
	lode_vec_release(&pairs);
	lode_pair_search_free(search);
	lode_similarity_release(&similarity);
	return 0;
}
