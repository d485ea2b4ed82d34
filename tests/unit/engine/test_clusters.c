#include "engine/clusters/clusters.h"
#include "clusters_fixture.h"
#include "linkage_oracle.h"

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

/* Patterns past the limits are clusters of their own, and the others' as if these were not there.
 */
static void what_is_too_long_stands_alone(void **state)
{
	uint64_t random = 21;

	(void)state;
	for (uint32_t run = 0; run < 600; run++) {
		size_t n_alone, always = 1 + random_below(&random, 12), left, n_found, n_few, n = 0;
		struct lode_cluster_options options = {
			.linkage = (enum lode_linkage)(run % 3),
			.min_similarity = random_below(&random, 21) / 20.0,
			.n_threads = 1,
			.n_alone = &n_alone,
			.always_compared = always,
			.most_cells = 1, /* none that is longer, but for an only one */
		};
		uint32_t found[40], few[40], longest = 0;
		struct fixture f;

		fixture_random(&f, &random, 2 + random_below(&random, 30), 14,
			       2 + random_below(&random, 30));
		assert_int_equal(lode_cluster_patterns(found, &n_found, &f.patterns, &f.tree,
						       &f.names, &options, NULL),
				 0);
		/* The same of the short ones alone, and the limits off. */
		left = f.patterns.n;
		for (uint32_t i = 0; i < left; i++) {
			size_t from = f.patterns.start.at[i],
			       length = lode_pattern_length(&f.patterns, i);

			longest += length > always;
			if (length > always)
				continue;
			memmove(f.patterns.items.at + f.patterns.start.at[n],
				f.patterns.items.at + from, length * sizeof(*f.patterns.items.at));
			found[n] = found[i];
			f.patterns.start.at[n + 1] = f.patterns.start.at[n] + length;
			n++;
		}
		f.patterns.n = n;
		if (n_alone != longest && !(longest == left && n_alone == longest - 1))
			fail_msg("run %u: %zu alone, %u longer", run, n_alone, longest);
		options.always_compared = SIZE_MAX;
		assert_int_equal(lode_cluster_patterns(few, &n_few, &f.patterns, &f.tree, &f.names,
						       &options, NULL),
				 0);
		assert_int_equal(n_found, n_few + longest);
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < a; b++)
				assert_int_equal(found[a] == found[b], few[a] == few[b]);
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
		cmocka_unit_test(what_is_too_long_stands_alone),
		cmocka_unit_test(large_sets_agree_with_the_plain_method),
		cmocka_unit_test(a_similarity_that_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
