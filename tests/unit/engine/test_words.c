#include "clusters_fixture.h"

static void check_words(const char *name, size_t n, const char *const *expected)
{
	struct lode_words words = {0};
	const char *text;

	lode_words_append(&words, name);
	assert_int_equal(lode_words_count(&words, 0), n);
	for (size_t i = 0; i < n; i++) {
		bool found = false;

		for (size_t k = 0; k < n; k++) {
			text = words.words.text.at[words.word.at[k]];
			found |= !strcmp(text, expected[i]);
		}
		assert_true(found);
	}
	lode_words_release(&words);
}

#define CHECK_WORDS(name, ...)                                                    \
	check_words(name, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), \
		    (const char *[]){__VA_ARGS__})

static void names_split_where_the_design_says(void **state)
{
	(void)state;
	CHECK_WORDS("ext4_file_read_iter", "ext", "file", "read", "iter");
	CHECK_WORDS("TextCache::loadPage2", "text", "cache", "load", "page");
	CHECK_WORDS("HTTPServer", "httpserver");
	CHECK_WORDS("__do_sys_newfstatat.isra.0", "do", "sys", "newfstatat", "isra");
	CHECK_WORDS("a_a_a", "a", "a", "a");
	CHECK_WORDS("x86x64", "x", "x");
	CHECK_WORDS("std::vector<int>::push_back(int&&)", "std", "vector", "int", "push", "back",
		    "int");
	CHECK_WORDS("größeLesen", "größe", "lesen");
	check_words("", 0, NULL);
	check_words("12.34", 0, NULL);
}

static double sub_of(const char *a, const char *b)
{
	struct lode_words words = {0};
	double sub;

	lode_words_append(&words, a);
	lode_words_append(&words, b);
	sub = lode_words_sub(&words, 0, 1);
	assert_true(lode_words_sub(&words, 1, 0) == sub);
	lode_words_release(&words);
	return sub;
}

static void substitution_costs_what_the_names_differ_by(void **state)
{
	(void)state;
	check_near(sub_of("read_page", "readPage"), 0, 0);
	check_near(sub_of("read_page", "write_lock"), 1, 0);
	check_near(sub_of("read_page", "read_lock"), 0.5, 0);
	check_near(sub_of("read", "read_page_cache"), 0.5, 1e-15);
	check_near(sub_of("a_a_b", "a_b_b"), 1 - 4 / 6.0, 1e-15); /* bags, not sets */
	check_near(sub_of("1", "2"), 1, 0);			  /* no words at all */
	check_near(sub_of("1", "read"), 1, 0);
}

/* Words of a name, one way or another: every pair of equal letters runs is counted once. */
static size_t oracle_split(const char *name, char words[16][64])
{
	size_t n = 0, length = 0;

	for (size_t i = 0;; i++) {
		char c = name[i];
		bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';

		if (length && (!(lower || upper) || (upper && name[i - 1] >= 'a'))) {
			words[n++][length] = '\0';
			length = 0;
		}
		if (!c)
			return n;
		if (lower || upper)
			words[n][length++] = (char)(c | 0x20);
	}
}

static size_t oracle_common(const char *a, const char *b, size_t *n_both)
{
	char x[16][64], y[16][64];
	size_t n_x = oracle_split(a, x), n_y = oracle_split(b, y), n = 0;

	*n_both = n_x + n_y;
	for (size_t i = 0; i < n_x; i++)
		for (size_t k = 0; k < n_y; k++)
			if (!strcmp(x[i], y[k])) {
				y[k][0] = '\0';
				n++;
				break;
			}
	return n;
}

static void random_names_agree_with_the_definition(void **state)
{
	static const char letters[] = "abABab_:.3-";
	uint64_t random = 1;

	(void)state;
	for (uint32_t run = 0; run < 20000; run++) {
		struct lode_words words = {0};
		char name[2][16];
		size_t n_both, n_common;
		double sub;

		for (int i = 0; i < 2; i++) {
			uint32_t length = random_below(&random, 15);

			for (uint32_t k = 0; k < length; k++)
				name[i][k] = letters[random_below(&random, sizeof(letters) - 1)];
			name[i][length] = '\0';
			lode_words_append(&words, name[i]);
		}
		n_common = oracle_common(name[0], name[1], &n_both);
		if (lode_words_common(&words, 0, 1) != n_common ||
		    lode_words_count(&words, 0) + lode_words_count(&words, 1) != n_both)
			fail_msg("run %u: %s and %s", run, name[0], name[1]);
		sub = n_both ? 1 - 2.0 * (double)n_common / (double)n_both : 1;
		check_near(lode_words_sub(&words, 0, 1), sub, 1e-12);
		check_near((double)lode_words_sub_units(&words, 0, 1) / LODE_SUB_ONE, sub,
			   1.0 / LODE_SUB_ONE);
		lode_words_release(&words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_split_where_the_design_says),
		cmocka_unit_test(substitution_costs_what_the_names_differ_by),
		cmocka_unit_test(random_names_agree_with_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
