#include "engine/clusters/clusters.h"
#include "engine/clusters/common.h"
#include "engine/clusters/pairs.h"
#include "clusters_fixture.h"

enum { LONGEST = 9 };

/*
 * Every placement of common[c..] in b[from..]: the fewest gaps, and in `gaps` the bit sets of gaps
 * (bit c: before common[c]; bit n: behind the last) of the placements that have so few.
 */
struct placements {
	uint32_t fewest;
	uint32_t sets[512];
	size_t n;
};

static void place(struct placements *p, const uint32_t *common, size_t n, const uint32_t *b,
		  size_t n_b, size_t c, size_t from, uint32_t gaps)
{
	uint32_t count;

	if (c == n) {
		gaps |= (uint32_t)(from < n_b) << n;
		count = (uint32_t)__builtin_popcount(gaps);
		if (count < p->fewest)
			p->n = 0;
		if (count <= p->fewest && p->n < 512) {
			p->fewest = count;
			p->sets[p->n++] = gaps;
		}
		return;
	}
	for (size_t at = from; at < n_b; at++)
		if (b[at] == common[c])
			place(p, common, n, b, n_b, c + 1, at + 1,
			      gaps | (uint32_t)(at > from) << c);
}

/* The gaps shown must be those of one best placement in each pattern, and no others. */
static void check_common(uint32_t run, const struct fixture *f, const struct lode_common *common,
			 uint32_t n_members)
{
	uint32_t shown = (uint32_t)common->gap_after << common->frames.n, possible = 0;

	for (size_t i = 0; i < common->frames.n; i++)
		shown |= (uint32_t)common->gap_before.at[i] << i;
	for (uint32_t m = 0; m < n_members && common->frames.n; m++) {
		struct placements p = {.fewest = UINT32_MAX};
		bool has_one_within = false;

		place(&p, common->frames.at, common->frames.n,
		      f->patterns.items.at + f->patterns.start.at[m],
		      lode_pattern_length(&f->patterns, m), 0, 0, 0);
		if (!p.n)
			fail_msg("run %u: not a subsequence of pattern %u", run, m);
		for (size_t i = 0; i < p.n; i++) {
			has_one_within |= (p.sets[i] & ~shown) == 0;
			possible |= p.sets[i];
		}
		if (!has_one_within)
			fail_msg("run %u: a gap of pattern %u is not shown", run, m);
	}
	if (shown & ~possible)
		fail_msg("run %u: a gap is shown that no pattern has", run);
}

/* Weight of the heaviest common subsequence of two patterns: all subsequences of the first. */
static int64_t oracle_weight(const struct lode_similarity *similarity)
{
	const size_t *start = similarity->patterns->start.at;
	size_t n_a = start[1], n_b = start[2] - start[1], k;
	const uint32_t *b = similarity->functions + n_a;
	int64_t best = 0, weight;

	for (uint32_t set = 0; set < 1u << n_a; set++) {
		weight = 0;
		k = 0;
		for (size_t i = 0; i < n_a; i++) {
			if (!(set >> i & 1))
				continue;
			while (k < n_b && b[k] != similarity->functions[i])
				k++;
			if (k++ >= n_b) {
				weight = -1;
				break;
			}
			weight += 1 + llround(similarity->weights[i].uni * (1 << 20));
		}
		best = weight > best ? weight : best;
	}
	return best;
}

static void of_two_patterns_it_is_the_heaviest(void **state)
{
	uint64_t random = 9;

	(void)state;
	for (uint32_t run = 0; run < 4000; run++) {
		struct lode_common common = {0};
		struct lode_similarity similarity;
		struct fixture f;
		int64_t weight = 0;

		fixture_random(&f, &random, 2, LONGEST, 2 + random_below(&random, 8));
		lode_similarity_init(&similarity, &f.patterns, &f.tree, &f.names);
		lode_cluster_common(&common, &similarity, (uint32_t[]){0, 1}, 2);
		for (size_t i = 0; i < common.frames.n; i++)
			weight += 1 + llround(lode_weight_uni(&f.names, common.frames.at[i]) *
					      (1 << 20));
		if (weight != oracle_weight(&similarity))
			fail_msg("run %u: weight %ld, expected %ld", run, (long)weight,
				 (long)oracle_weight(&similarity));
		check_common(run, &f, &common, 2);
		lode_common_release(&common);
		lode_similarity_release(&similarity);
		fixture_release(&f);
	}
}

static void it_is_a_subsequence_of_every_pattern(void **state)
{
	uint64_t random = 10;

	(void)state;
	for (uint32_t run = 0; run < 4000; run++) {
		static const uint32_t members[] = {0, 1, 2, 3, 4, 5};
		uint32_t n = 1 + random_below(&random, 6);
		struct lode_common common = {0};
		struct lode_similarity similarity;
		struct fixture f;

		fixture_random(&f, &random, n, LONGEST, 2 + random_below(&random, 4));
		lode_similarity_init(&similarity, &f.patterns, &f.tree, &f.names);
		lode_cluster_common(&common, &similarity, members, n);
		check_common(run, &f, &common, n);
		if (n == 1)
			assert_int_equal(common.frames.n, lode_pattern_length(&f.patterns, 0));
		lode_common_release(&common);
		lode_similarity_release(&similarity);
		fixture_release(&f);
	}
}

static void check_parts(uint32_t run, const struct fixture *f, const uint32_t *cluster_of,
			uint32_t cluster, const struct lode_cluster_parts *parts)
{
	struct lode_similarity similarity;
	struct lode_aligner aligner = {0};
	struct lode_common common = {0};
	uint32_t members[16], n = 0;
	double lowest = 1, s;

	for (uint32_t i = 0; i < f->patterns.n; i++)
		if (cluster_of[i] == cluster)
			members[n++] = i;
	lode_similarity_init(&similarity, &f->patterns, &f->tree, &f->names);
	lode_cluster_common(&common, &similarity, members, n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++) {
			s = lode_pattern_similarity(&similarity, members[i], members[k], &aligner);
			lowest = s < lowest ? s : lowest;
		}
	if (parts->min_similarity != lowest || parts->n_common != common.frames.n)
		fail_msg("run %u: cluster %u", run, cluster);
	for (size_t i = 0; i < common.frames.n; i++) {
		assert_int_equal(parts->common[i], common.frames.at[i]);
		assert_int_equal(parts->gap_before[i], common.gap_before.at[i]);
	}
	lode_common_release(&common);
	lode_aligner_release(&aligner);
	lode_similarity_release(&similarity);
}

/* None, or those of a clustering at some cut; gives how many. */
static size_t find_known(struct lode_similar_pairs *known, const struct fixture *f,
			 uint64_t *random)
{
	struct lode_cluster_options options = {.linkage = LODE_LINKAGE_AVERAGE,
					       .min_similarity = 0.25 * random_below(random, 4),
					       .n_threads = 1,
					       .similar = known};
	uint32_t *cluster_of = lode_alloc(f->patterns.n * sizeof(*cluster_of));
	size_t n_clusters;

	assert_int_equal(lode_cluster_patterns(cluster_of, &n_clusters, &f->patterns, &f->tree,
					       &f->names, &options, NULL),
			 0);
	free(cluster_of);
	return known->start ? known->start[f->patterns.n] : 0;
}

static void every_cluster_is_described_by_its_own_patterns(void **state)
{
	uint64_t random = 11, n_known = 0;

	(void)state;
	for (uint32_t run = 0; run < 300; run++) {
		struct lode_cluster_parts parts[4];
		struct lode_similar_pairs known = {0};
		struct lode_arena arena = {0};
		uint32_t cluster_of[16];
		struct fixture f;

		fixture_random(&f, &random, 16, LONGEST, 10);
		for (uint32_t i = 0; i < 16; i++)
			cluster_of[i] = i < 4 ? i : random_below(&random, 4);
		n_known += find_known(&known, &f, &random);
		lode_cluster_describe(parts, 4, &f.patterns, cluster_of, NULL, &f.tree, &f.names,
				      &known, run % 4, &arena);
		lode_similar_pairs_release(&known);
		for (uint32_t c = 0; c < 4; c++)
			check_parts(run, &f, cluster_of, c, &parts[c]);
		lode_arena_release(&arena);
		fixture_release(&f);
	}
	assert_true(n_known > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_two_patterns_it_is_the_heaviest),
		cmocka_unit_test(it_is_a_subsequence_of_every_pattern),
		cmocka_unit_test(every_cluster_is_described_by_its_own_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
