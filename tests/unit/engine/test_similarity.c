#include <math.h>

#include "clusters_fixture.h"

enum { LONGEST = 10 };

static bool stack_has(const struct fixture *f, size_t stack, uint32_t frame)
{
	for (size_t i = f->stacks.start.at[stack]; i < f->stacks.start.at[stack + 1]; i++)
		if (f->stacks.items.at[i] == frame)
			return true;
	return false;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static double oracle_uni(const struct fixture *f, uint32_t frame)
{
	double with = 0;

	for (size_t s = 0; s < f->stacks.n; s++)
		with += stack_has(f, s, frame);
	return 1 - ratio(with, (double)f->stacks.n);
}

/* Occurrences of a with callee b; LODE_NONE stands for any function. */
static double oracle_pairs(const struct fixture *f, uint32_t a, uint32_t b)
{
	double n = 0;

	for (size_t s = 0; s < f->stacks.n; s++)
		for (size_t i = f->stacks.start.at[s]; i + 1 < f->stacks.start.at[s + 1]; i++)
			n += (a == LODE_NONE || f->stacks.items.at[i] == a) &&
			     (b == LODE_NONE || f->stacks.items.at[i + 1] == b);
	return n;
}

static double oracle_fbi(const struct fixture *f, uint32_t a, uint32_t b)
{
	return a == LODE_NONE ? 1 : 1 - ratio(oracle_pairs(f, a, b), oracle_pairs(f, a, LODE_NONE));
}

static double oracle_bbi(const struct fixture *f, uint32_t a, uint32_t b)
{
	return b == LODE_NONE ? 1 : 1 - ratio(oracle_pairs(f, a, b), oracle_pairs(f, LODE_NONE, b));
}

/* omega of the function at `at` of a segment of one side. */
static double oracle_omega(const struct fixture *f, const uint32_t *segment, size_t n, size_t at)
{
	uint32_t before = at ? segment[at - 1] : LODE_NONE;
	uint32_t behind = at + 1 < n ? segment[at + 1] : LODE_NONE;

	return oracle_uni(f, segment[at]) *
	       (oracle_fbi(f, before, segment[at]) + oracle_bbi(f, segment[at], behind)) / 2;
}

static double oracle_sub(const struct fixture *f, uint32_t a, uint32_t b)
{
	struct lode_words words = {0};
	double both, common;

	lode_words_append(&words, lode_frame_function(&f->tree, a));
	lode_words_append(&words, lode_frame_function(&f->tree, b));
	both = (double)(lode_words_count(&words, 0) + lode_words_count(&words, 1));
	common = (double)lode_words_common(&words, 0, 1);
	lode_words_release(&words);
	return both > 0 ? 1 - 2 * common / both : 1;
}

/* The formula of the design over the segments of an alignment, cut out one by one. */
static double oracle_similarity(const struct fixture *f, uint32_t a, uint32_t b,
				const struct lode_aligner *aligner)
{
	const uint32_t *left = f->patterns.items.at + f->patterns.start.at[a];
	const uint32_t *right = f->patterns.items.at + f->patterns.start.at[b];
	double matched = 0, other = 0;
	size_t i = 0, end, n;

	for (; i < aligner->op.n; i = end) {
		uint8_t op = aligner->op.at[i];

		for (end = i; end < aligner->op.n && aligner->op.at[end] == op; end++)
			;
		n = end - i;
		for (size_t k = 0; k < n; k++) {
			if (op == LODE_ALIGN_MATCH)
				matched += oracle_omega(f, left, n, k);
			if (op == LODE_ALIGN_DELETE)
				other += oracle_omega(f, left, n, k);
			if (op == LODE_ALIGN_INSERT)
				other += oracle_omega(f, right, n, k);
			if (op == LODE_ALIGN_SUBSTITUTE)
				other += oracle_sub(f, left[k], right[k]) *
					 (oracle_omega(f, left, n, k) +
					  oracle_omega(f, right, n, k)) /
					 2;
		}
		left += op == LODE_ALIGN_INSERT ? 0 : n;
		right += op == LODE_ALIGN_DELETE ? 0 : n;
		/* No best alignment has an insertion beside a deletion: one pair costs less. */
		if (end < aligner->op.n && op >= LODE_ALIGN_DELETE)
			assert_true(aligner->op.at[end] < LODE_ALIGN_DELETE);
	}
	return matched + other > 0 ? matched / (matched + other) : NAN;
}

static bool same_pattern(const struct fixture *f, uint32_t a, uint32_t b)
{
	size_t n = lode_pattern_length(&f->patterns, a);

	return n == lode_pattern_length(&f->patterns, b) &&
	       !memcmp(f->patterns.items.at + f->patterns.start.at[a],
		       f->patterns.items.at + f->patterns.start.at[b], n * sizeof(uint32_t));
}

static void check_pair(const struct fixture *f, const struct lode_similarity *similarity,
		       uint32_t a, uint32_t b, struct lode_aligner *aligner, uint32_t run)
{
	double sim = lode_pattern_similarity(similarity, a, b, aligner), expected;

	if (!(sim >= 0 && sim <= 1) || sim != lode_pattern_similarity(similarity, b, a, aligner))
		fail_msg("run %u: Sim(%u, %u) = %.17g is not symmetric in [0, 1]", run, a, b, sim);
	lode_pattern_align(similarity, a, b, aligner);
	expected = oracle_similarity(f, a, b, aligner);
	if (same_pattern(f, a, b))
		expected = 1;
	else if (isnan(expected))
		expected = 0;
	if (fabs(sim - expected) > 1e-9)
		fail_msg("run %u: Sim(%u, %u) = %.17g, expected %.17g", run, a, b, sim, expected);
}

static void random_pairs_agree_with_the_formula(void **state)
{
	struct lode_aligner aligner = {0};
	uint64_t random = 3;

	(void)state;
	for (uint32_t run = 0; run < 1500; run++) {
		struct lode_similarity similarity;
		struct fixture f;

		fixture_random(&f, &random, 5, LONGEST, 2 + random_below(&random, 9));
		lode_similarity_init(&similarity, &f.patterns, &f.tree, &f.names);
		for (uint32_t a = 0; a < 5; a++)
			for (uint32_t b = 0; b <= a; b++)
				check_pair(&f, &similarity, a, b, &aligner, run);
		lode_similarity_release(&similarity);
		fixture_release(&f);
	}
	lode_aligner_release(&aligner);
}

/* The same patterns with frames interned in the opposite order have the same similarities. */
static void similarity_does_not_depend_on_ids(void **state)
{
	struct lode_aligner aligner = {0};
	uint64_t random = 4;

	(void)state;
	for (uint32_t run = 0; run < 500; run++) {
		struct lode_similarity one, other;
		struct fixture f, g = {0};
		uint32_t frames[LONGEST], n;

		fixture_random(&f, &random, 6, LONGEST, 8);
		lode_calltree_init(&g.tree);
		for (uint32_t i = 8; i-- > 1;)
			lode_frame_intern(&g.tree, "m", lode_frame_function(&f.tree, i), 0);
		lode_frame_link(&g.tree, "worker");
		for (uint32_t p = 0; p < 6; p++) {
			n = (uint32_t)lode_pattern_length(&f.patterns, p);
			for (uint32_t i = 0; i < n; i++)
				frames[i] = 7 - f.patterns.items.at[f.patterns.start.at[p] + i];
			set_append(&g.patterns, frames, n);
		}
		for (size_t s = 0; s < f.stacks.n; s++) {
			n = (uint32_t)lode_pattern_length(&f.stacks, (uint32_t)s);
			for (uint32_t i = 0; i < n; i++)
				frames[i] = 7 - f.stacks.items.at[f.stacks.start.at[s] + i];
			fixture_count_stack(&g, frames, n);
		}
		lode_similarity_init(&one, &f.patterns, &f.tree, &f.names);
		lode_similarity_init(&other, &g.patterns, &g.tree, &g.names);
		for (uint32_t a = 0; a < 6; a++)
			for (uint32_t b = 0; b < a; b++)
				if (lode_pattern_similarity(&one, a, b, &aligner) !=
				    lode_pattern_similarity(&other, a, b, &aligner))
					fail_msg("run %u: Sim(%u, %u)", run, a, b);
		lode_similarity_release(&one);
		lode_similarity_release(&other);
		fixture_release(&f);
		fixture_release(&g);
	}
	lode_aligner_release(&aligner);
}

/*
 * By hand. Stacks: main>load>openFile>read, main>load>readFile>read, main>idle, main>idle.
 * P = main>load>openFile>read, Q = main>load>readFile>read. Alignment: main, load match; openFile
 * is substituted by readFile (Sub = 1 - 2*1/4 = 1/2); read matches.
 *   main: Uni 0.  load: Uni 1/2, FBi(main, load) = 1 - 2/4, nothing behind: 1/2 * (1/2 + 1)/2 = 3/8
 *   openFile, readFile: Uni 3/4, alone in their segment: 3/4.  read: Uni 1/2, alone: 1/2
 *   W(M) = 3/8 + 1/2 = 7/8, W(S) = 1/2 * (3/4 + 3/4)/2 = 3/8, Sim = 7/10
 */
static void worked_example(void **state)
{
	struct lode_aligner aligner = {0};
	struct lode_similarity similarity;
	struct fixture f = {0};
	uint32_t main_, load, open_file, read_file, read_, idle;

	(void)state;
	lode_calltree_init(&f.tree);
	main_ = lode_frame_intern(&f.tree, "app", "main", 0);
	load = lode_frame_intern(&f.tree, "app", "load", 0);
	open_file = lode_frame_intern(&f.tree, "app", "openFile", 0);
	read_file = lode_frame_intern(&f.tree, "app", "readFile", 0);
	read_ = lode_frame_intern(&f.tree, "libc", "read", 0);
	idle = lode_frame_intern(&f.tree, "app", "idle", 0);
	fixture_count_stack(&f, (uint32_t[]){main_, load, open_file, read_}, 4);
	fixture_count_stack(&f, (uint32_t[]){main_, load, read_file, read_}, 4);
	fixture_count_stack(&f, (uint32_t[]){main_, idle}, 2);
	fixture_count_stack(&f, (uint32_t[]){main_, idle}, 2);
	set_append(&f.patterns, (uint32_t[]){main_, load, open_file, read_}, 4);
	set_append(&f.patterns, (uint32_t[]){main_, load, read_file, read_}, 4);
	set_append(&f.patterns, (uint32_t[]){main_, load, read_}, 3);
	set_append(&f.patterns, (uint32_t[]){main_}, 1);
	set_append(&f.patterns, (uint32_t[]){main_, main_}, 2);
	lode_similarity_init(&similarity, &f.patterns, &f.tree, &f.names);
	check_near(lode_pattern_similarity(&similarity, 0, 1, &aligner), 0.7, 1e-15);
	/* read_file is deleted: W(ID) = 3/4, W(M) as before. */
	check_near(lode_pattern_similarity(&similarity, 1, 2, &aligner),
		   (7.0 / 8) / (7.0 / 8 + 3.0 / 4), 1e-15);
	/* Nothing weighs anything: 0/0 is 1 for equal patterns only. */
	check_near(lode_pattern_similarity(&similarity, 3, 3, &aligner), 1, 0);
	check_near(lode_pattern_similarity(&similarity, 3, 4, &aligner), 0, 0);
	lode_similarity_release(&similarity);
	lode_aligner_release(&aligner);
	fixture_release(&f);
}

static void what_no_stack_has_weighs_in_full(void **state)
{
	struct fixture f = {0};
	uint32_t a, b, link;

	(void)state;
	lode_calltree_init(&f.tree);
	a = lode_frame_intern(&f.tree, "app", "a", 0);
	b = lode_frame_intern(&f.tree, "app", "b", 0);
	check_near(lode_weight_uni(&f.names, a), 1, 0); /* no stacks at all */
	fixture_count_stack(&f, (uint32_t[]){a, b}, 2);
	link = lode_frame_link(&f.tree, "worker");
	check_near(lode_weight_uni(&f.names, a), 0, 0);
	check_near(lode_weight_uni(&f.names, link), 1, 0);
	check_near(lode_weight_fbi(&f.names, a, b), 0, 0);
	check_near(lode_weight_bbi(&f.names, a, b), 0, 0);
	check_near(lode_weight_fbi(&f.names, b, a), 1, 0); /* b never has a callee */
	check_near(lode_weight_bbi(&f.names, b, a), 1, 0);
	check_near(lode_weight_fbi(&f.names, link, a), 1, 0);
	check_near(lode_weight_bbi(&f.names, a, link), 1, 0);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_pairs_agree_with_the_formula),
		cmocka_unit_test(similarity_does_not_depend_on_ids),
		cmocka_unit_test(worked_example),
		cmocka_unit_test(what_no_stack_has_weighs_in_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
