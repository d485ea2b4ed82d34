#include "analyses/clusters/clusters.h"
#include "analyses/clusters/linkage.h"
#include "clusters_fixture.h"

/* The whole by its parts: all pairs, then the plain agglomeration of their triangle. */
static size_t cluster_plainly(uint32_t *cluster_of, const struct fixture *f,
			      const struct lode_cluster_options *options)
{
	size_t n = f->patterns.n, n_clusters = 0;
	uint32_t *triangle = lode_alloc0(n * n, sizeof(*triangle));
	struct lode_similarity similarity;
	struct lode_aligner aligner = {0};

	lode_similarity_init(&similarity, &f->patterns, &f->tree, &f->names);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < k; i++)
			triangle[lode_triangle_at(i, k)] = lode_similarity_fixed(
				lode_pattern_similarity(&similarity, i, k, &aligner));
	lode_agglomerate(cluster_of, n, triangle, options->linkage,
			 lode_similarity_fixed(options->min_similarity));
	for (size_t i = 0; i < n; i++)
		if (cluster_of[i] == i)
			cluster_of[i] = (uint32_t)n_clusters++;
		else
			cluster_of[i] = cluster_of[cluster_of[i]];
	lode_aligner_release(&aligner);
	lode_similarity_release(&similarity);
	free(triangle);
	return n_clusters;
}

static void check_same(uint32_t run, const struct fixture *f,
		       const struct lode_cluster_options *options)
{
	size_t n = f->patterns.n, n_found, n_expected;
	uint32_t *found = lode_alloc0(n, sizeof(*found));
	uint32_t *expected = lode_alloc0(n, sizeof(*expected));

	n_expected = cluster_plainly(expected, f, options);
	assert_int_equal(lode_cluster_patterns(found, &n_found, &f->patterns, &f->tree, &f->names,
					       options, NULL),
			 0);
	if (n_found != n_expected || (n && memcmp(found, expected, n * sizeof(*found))))
		fail_msg("run %u: %zu patterns, linkage %d, cut %g, %u threads: %zu clusters, "
			 "expected %zu",
			 run, n, (int)options->linkage, options->min_similarity, options->n_threads,
			 n_found, n_expected);
	free(found);
	free(expected);
}

static void random_sets_agree_with_the_plain_method(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (uint32_t run = 0; run < 1500; run++) {
		struct lode_cluster_options options = {
			.linkage = (enum lode_linkage)(run % 3),
			.min_similarity = random_below(&random, 21) / 20.0,
			.n_threads = 1 + random_below(&random, 4),
		};
		struct fixture f;

		fixture_random(&f, &random, random_below(&random, 40), 10,
			       2 + random_below(&random, 30));
		check_same(run, &f, &options);
		fixture_release(&f);
	}
}

static void large_sets_agree_with_the_plain_method(void **state)
{
	uint64_t random = 8;

	(void)state;
	for (uint32_t run = 0; run < 9; run++) {
		struct lode_cluster_options options = {
			.linkage = (enum lode_linkage)(run % 3),
			.min_similarity = 0.2 + 0.1 * (run / 3),
			.n_threads = 1 + run % 4,
		};
		struct fixture f;

		fixture_random(&f, &random, 300, 12, 60);
		check_same(run, &f, &options);
		fixture_release(&f);
	}
}

static void a_similarity_that_is_none_is_refused(void **state)
{
	static const double wrong[] = {-0.1, 1.1, NAN};
	struct fixture f = {0};
	size_t n_clusters;

	(void)state;
	lode_calltree_init(&f.tree);
	for (int i = 0; i < 3; i++) {
		struct lode_cluster_options options = {.min_similarity = wrong[i]};
		struct lode_error err = {0};

		assert_int_equal(lode_cluster_patterns(NULL, &n_clusters, &f.patterns, &f.tree,
						       &f.names, &options, &err),
				 LODE_ERR_ARG);
		assert_non_null(strstr(err.message, "between 0 and 1"));
	}
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_sets_agree_with_the_plain_method),
		cmocka_unit_test(large_sets_agree_with_the_plain_method),
		cmocka_unit_test(a_similarity_that_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
