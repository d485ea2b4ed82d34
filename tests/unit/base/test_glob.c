/* base/glob.h against its definition, written as a recursion over both texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "random.h"
#include "cases.h"

static bool matches(const char *glob, const char *text);

/* A set "[...]" as the list of all its bytes. */
static bool in_set(const char *set, const char *end, char c)
{
	bool negated = *set == '!' || *set == '^', has[256] = {false};

	set += negated;
	while (set < end) {
		unsigned char low, high;

		if (*set == '\\' && set + 1 < end)
			set++;
		low = high = (unsigned char)*set++;
		if (set + 1 < end && *set == '-') {
			set++;
			if (*set == '\\' && set + 1 < end)
				set++;
			high = (unsigned char)*set++;
		}
		for (int b = low; b <= high; b++)
			has[b] = true;
	}
	return has[(unsigned char)c] != negated;
}

/* The ']' that closes the set behind '[', or NULL. */
static const char *set_end(const char *at)
{
	const char *first;

	if (*at == '!' || *at == '^')
		at++;
	for (first = at; *at; at++) {
		if (*at == ']' && at > first)
			return at;
		if (*at == '\\' && at[1])
			at++;
	}
	return NULL;
}

static bool matches(const char *glob, const char *text)
{
	const char *end;

	if (!*glob)
		return !*text;
	if (*glob == '*')
		return matches(glob + 1, text) || (*text && matches(glob, text + 1));
	if (!*text)
		return false;
	if (*glob == '?')
		return matches(glob + 1, text + 1);
	end = *glob == '[' ? set_end(glob + 1) : NULL;
	if (end)
		return in_set(glob + 1, end, *text) && matches(end + 1, text + 1);
	if (*glob == '\\' && glob[1])
		glob++;
	return *glob == *text && matches(glob + 1, text + 1);
}

static void random_globs_match_by_definition(void **state)
{
	static const char alphabet[] = "aabbc*?[]-!^\\";
	unsigned n_matches = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(200000); seed++) {
		struct test_random random = {seed};
		char glob[16] = "", text[16] = "";
		uint32_t n = test_random_below(&random, 10), m = test_random_below(&random, 8);
		bool expected;

		for (uint32_t i = 0; i < n; i++)
			glob[i] = alphabet[test_random_below(&random, sizeof(alphabet) - 1)];
		for (uint32_t i = 0; i < m; i++)
			text[i] = alphabet[test_random_below(
				&random, test_random_below(&random, 5) ? 5 : sizeof(alphabet) - 1)];
		expected = matches(glob, text);
		n_matches += expected;
		if (lode_glob_match(glob, text) != expected)
			fail_msg("seed %llu: glob %s, text %s, expected %d",
				 (unsigned long long)seed, glob, text, expected);
	}
	assert_true(n_matches > 1000);
}

static void names_match_as_a_shell_would(void **state)
{
	static const struct {
		const char *glob, *text;
	} rows[] = {
		{"git", "git"},
		{"git*", "gitk"},
		{"*wait*", "futex_wait_queue"},
		{"ph-*", "ph-store"},
		{"[a-c]?", "bz"},
		{"[!a-c]*", "dz"},
		{"[]x]", "]"},
		{"[^]x]", "y"},
		{"kworker/*", "kworker/0:1-events"},
		{"*", ""},
		{"\\*", "*"},
		{"std::*<*>::push", "std::vec<a, b>::push"},
		{"a[", "a["},
		{"*.so.[0-9]", "libc.so.6"},
		{"[a-]", "-"},
	};
	static const struct {
		const char *glob, *text;
	} others[] = {
		{"git", "gitk"}, {"git", "Git"}, {"?", ""},   {"", "x"},
		{"[a-c]", "d"},	 {"\\*", "x"},	 {"*a", "b"}, {"[!x]", "x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!lode_glob_match(rows[i].glob, rows[i].text))
			fail_msg("%s does not match %s", rows[i].glob, rows[i].text);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (lode_glob_match(others[i].glob, others[i].text))
			fail_msg("%s matches %s", others[i].glob, others[i].text);
}

/* Many stars on a long text: exponential matchers do not come back from this. */
static void many_stars_come_to_an_end(void **state)
{
	static char text[10001], glob[401];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(glob) - 1; i += 2)
		memcpy(glob + i, "*a", 2);
	assert_true(lode_glob_match(glob, text));
	glob[sizeof(glob) - 2] = 'b';
	assert_false(lode_glob_match(glob, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_globs_match_by_definition),
		cmocka_unit_test(names_match_as_a_shell_would),
		cmocka_unit_test(many_stars_come_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
