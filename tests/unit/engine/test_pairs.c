#include "engine/clusters/joining.h"
#include "engine/clusters/pairs.h"
#include "clusters_fixture.h"
#include "linkage_oracle.h"

/* Cuts at similarities that occur, and between: a pair exactly at the cut is similar enough. */
static uint32_t random_cut(uint64_t *random, const struct lode_similarity *similarity,
			   struct lode_aligner *aligner)
{
	uint32_t n = (uint32_t)similarity->patterns->n, cut;

	if (random_below(random, 2))
		return 1 + random_below(random, LODE_SIMILARITY_ONE);
	cut = lode_similarity_fixed(lode_pattern_similarity(similarity, random_below(random, n),
							    random_below(random, n), aligner));
	return cut ? cut : 1;
}

static void check_pairs(uint32_t run, const struct fixture *f, uint64_t *random)
{
	struct lode_aligner aligner = {0};
	struct lode_similarity similarity;
	struct lode_pair_options options = {
		.n_threads = 1 + random_below(random, 3),
		.max_kind = (enum lode_reach_kind)random_below(random, LODE_REACH_AVX512 + 1),
		.max_rows = random_below(random, 3) ? 0 : 1 + random_below(random, 20),
	};
	struct lode_pair_search *search;
	struct lode_similar_pairs found;
	uint32_t cut, expected, n = (uint32_t)f->patterns.n, a, b;
	bool is_expected = random_below(random, 2);
	uint64_t n_expected = 0;
	size_t at;

	lode_similarity_init(&similarity, &f->patterns, &f->tree, &f->names);
	cut = random_cut(random, &similarity, &aligner);
	options.cut = cut;
	search = lode_pair_search_new(&similarity, &options);
	if (is_expected)
		n_expected = lode_pairs_expected(search);
	lode_pairs_find(&found, search);
	for (a = 0; a < n; a++) {
		at = found.start[a];
		for (b = 0; b < n; b++) {
			expected = lode_similarity_fixed(
				lode_pattern_similarity(&similarity, a, b, &aligner));
			if (a == b || expected < cut)
				continue;
			if (at >= found.start[a + 1] || found.at[at].other != b ||
			    found.at[at].similarity != expected)
				fail_msg("run %u: pair %u, %u at cut %u, kind %d, %zu rows", run, a,
					 b, cut, (int)options.max_kind, options.max_rows);
			at++;
		}
		if (at != found.start[a + 1])
			fail_msg("run %u: pattern %u has more pairs than expected", run, a);
	}
	/* Few patterns are all in the sample. */
	if (is_expected)
		assert_int_equal(n_expected, found.start[n] / 2);
	lode_similar_pairs_release(&found);
	/* Joining asks for single ones, whatever these are. */
	for (uint32_t i = 0; i < 20; i++) {
		if (i % 3 == 0)
			a = random_below(random, n);
		b = random_below(random, n);
		expected =
			lode_similarity_fixed(lode_pattern_similarity(&similarity, a, b, &aligner));
		if (lode_pair_similarity(search, a, b) != expected)
			fail_msg("run %u: similarity of %u and %u", run, a, b);
	}
	lode_pair_search_free(search);
	lode_aligner_release(&aligner);
	lode_similarity_release(&similarity);
}

static void all_similar_pairs_are_found_and_no_others(void **state)
{
	uint64_t random = 23; /* run 56: the only row is that of a name without words */

	(void)state;
	for (uint32_t run = 0; run < 1200; run++) {
		struct fixture f;

		fixture_random(&f, &random, 1 + random_below(&random, 20),
			       1 + random_below(&random, 40), 2 + random_below(&random, 40));
		check_pairs(run, &f, &random);
		fixture_release(&f);
	}
}

/* Names of so many words that they are in no table: the same must be found. */
static void long_names_are_compared_as_well(void **state)
{
	uint64_t random = 13;
	char name[800];

	(void)state;
	for (uint32_t run = 0; run < 20; run++) {
		struct fixture f = {0};
		uint32_t frames[8];
		size_t at;

		lode_calltree_init(&f.tree);
		for (uint32_t i = 0; i < 12; i++) {
			at = 0;
			for (uint32_t k = 0; k < 59 + i; k++)
				at += (size_t)snprintf(name + at, sizeof(name) - at, "w%c_",
						       'a' + (int)random_below(&random, 26));
			lode_frame_intern(&f.tree, "m", name, 0);
		}
		for (uint32_t p = 0; p < 12; p++) {
			for (uint32_t k = 0; k < 8; k++)
				frames[k] = random_below(&random, 12);
			set_append(&f.patterns, frames, 1 + random_below(&random, 8));
		}
		check_pairs(run, &f, &random);
		fixture_release(&f);
	}
}

static void the_table_says_what_the_words_say(void **state)
{
	uint64_t random = 14;

	(void)state;
	for (uint32_t run = 0; run < 300; run++) {
		struct lode_words words = {0};
		struct lode_sub_table table;
		uint32_t n = 1 + random_below(&random, 30), row_a, row_b, count[30];
		size_t max_rows = 1 + random_below(&random, 40), n_rows = 0;
		uint16_t code;
		char name[64];

		for (uint32_t i = 0; i < n; i++) {
			random_name(&random, name, sizeof(name));
			lode_words_append(&words, name);
			count[i] = random_below(&random, 4);
		}
		lode_sub_table_init(&table, &words, n, count, max_rows, 2);
		assert_int_equal(table.n, n < max_rows ? n : max_rows);
		for (uint32_t a = 0; a < n; a++) {
			row_a = table.row[a];
			n_rows += row_a < table.n;
			for (uint32_t b = 0; b < n; b++) {
				row_b = table.row[b];
				/* Those without a row are no more frequent than any with one. */
				if (row_a == table.n && row_b < table.n)
					assert_true(count[a] <= count[b]);
				code = lode_sub_codes(&table, row_a)[row_b];
				if (a == b || row_a == table.n || row_b == table.n) {
					assert_int_equal(code, 0);
					continue;
				}
				check_near(table.sub[code], lode_words_sub(&words, a, b), 0);
				assert_int_equal(table.units[code],
						 lode_words_sub_units(&words, a, b));
			}
		}
		assert_int_equal(n_rows, table.n);
		/* What functions without a row share: no Sub is less. */
		assert_true(table.sub[0] == 0);
		for (size_t i = 1; i < table.n_codes; i++)
			assert_true(table.sub[i - 1] < table.sub[i]);
		lode_sub_table_release(&table);
		lode_words_release(&words);
	}
}

/* ---- Joining ---- */

enum { MOST = 200 };

struct matrix {
	uint32_t n, cut;
	uint32_t triangle[MOST * MOST];
	bool is_known[MOST * MOST];
};

static uint32_t ask(void *context, uint32_t a, uint32_t b)
{
	struct matrix *m = context;
	size_t at = a < b ? lode_triangle_at(a, b) : lode_triangle_at(b, a);

	/* A pair is never asked for when it was given, and never twice. */
	assert_true(m->triangle[at] < m->cut);
	assert_false(m->is_known[at]);
	m->is_known[at] = true;
	return m->triangle[at];
}

/* Those of the matrix that reach the cut. */
static void similar_of(struct lode_similar_pairs *pairs, const struct matrix *m)
{
	LODE_VEC(struct lode_similar) all = {0};

	pairs->start = lode_alloc0(m->n + (size_t)1, sizeof(*pairs->start));
	for (uint32_t a = 0; a < m->n; a++) {
		for (uint32_t b = 0; b < m->n; b++) {
			uint32_t s = a == b  ? 0
				     : a < b ? m->triangle[lode_triangle_at(a, b)]
					     : m->triangle[lode_triangle_at(b, a)];

			if (s >= m->cut)
				lode_vec_append(&all, ((struct lode_similar){b, s}));
		}
		pairs->start[a + 1] = all.n;
	}
	pairs->at = all.at;
}

static void check_joining(struct matrix *m, uint32_t run, enum lode_linkage linkage)
{
	uint32_t found[MOST], expected[MOST];
	struct lode_similar_pairs pairs;
	struct lode_joining joining = {
		.n = m->n,
		.pairs = &pairs,
		.linkage = linkage,
		.cut = m->cut,
		.similarity = ask,
		.context = m,
	};

	memset(m->is_known, 0, sizeof(m->is_known));
	similar_of(&pairs, m);
	lode_join_similar(found, &joining);
	lode_agglomerate(expected, m->n, m->triangle, linkage, m->cut);
	if (memcmp(found, expected, m->n * sizeof(*found)))
		fail_msg("run %u: n %u, cut %u, linkage %d", run, m->n, m->cut, (int)linkage);
	lode_similar_pairs_release(&pairs);
}

static void joining_agrees_with_the_matrix(void **state)
{
	static struct matrix m;
	uint64_t random = 15;

	(void)state;
	for (uint32_t run = 0; run < 12000; run++) {
		uint32_t values = run % 3 ? 2 + random_below(&random, 12) : LODE_SIMILARITY_ONE;
		enum lode_linkage linkage = (enum lode_linkage)(random_below(&random, 3));

		m.n = 1 + random_below(&random, 40);
		m.cut = 1 + random_below(&random, values);
		for (uint32_t b = 0; b < m.n; b++)
			for (uint32_t a = 0; a < b; a++)
				m.triangle[lode_triangle_at(a, b)] = random_below(&random, values);
		check_joining(&m, run, linkage);
	}
}

/* Items on a line, alike when they are near, as dense stacks are: large clusters that keep most of
   their pairs for long, and touch many others. */
static void dense_items_are_joined_as_by_the_matrix(void **state)
{
	static struct matrix m;
	uint32_t at[MOST];
	uint64_t random = 16;

	(void)state;
	for (uint32_t run = 0; run < 400; run++) {
		uint32_t noise = 1 + random_below(&random, 400);

		m.n = 50 + random_below(&random, MOST - 50);
		m.cut = 400 + random_below(&random, 500);
		for (uint32_t b = 0; b < m.n; b++) {
			at[b] = random_below(&random, 1000);
			for (uint32_t a = 0; a < b; a++)
				m.triangle[lode_triangle_at(a, b)] =
					1000 - (uint32_t)abs((int)at[a] - (int)at[b]) +
					random_below(&random, noise);
		}
		check_joining(&m, run, (enum lode_linkage)(run % 3));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_similar_pairs_are_found_and_no_others),
		cmocka_unit_test(long_names_are_compared_as_well),
		cmocka_unit_test(the_table_says_what_the_words_say),
		cmocka_unit_test(joining_agrees_with_the_matrix),
		cmocka_unit_test(dense_items_are_joined_as_by_the_matrix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
