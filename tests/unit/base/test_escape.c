/* base/escape.h: nothing that reaches a terminal can steer it, and tables stay straight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/escape.h"
#include "random.h"

static const struct {
	const char *text, *shown;
	size_t width;
} examples[] = {
	{"", "", 0},
	{"config_load_all", "config_load_all", 15},
	{"std::vector<int>::at(\\)", "std::vector<int>::at(\\)", 23},
	{"\033[2J\033]0;owned\a", "\\x1b[2J\\x1b]0;owned\\x07", 23},
	{"a\tb\nc\r", "a\\tb\\nc\\x0d", 11},
	{"\x7f", "\\x7f", 4},
	{"\xc2\x9b"
	 "31m",
	 "\\u009b31m", 9}, /* the one-byte CSI */
	{"a\xff"
	 "b",
	 "a\\xffb", 6},
	{"\xc0\xaf", "\\xc0\\xaf", 8},			  /* overlong */
	{"\xed\xa0\x80", "\\xed\\xa0\\x80", 12},	  /* a surrogate */
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", 16}, /* past the last code point */
	{"\xe2\x82", "\\xe2\\x82", 8},			  /* cut */
	{"gpj.\xe2\x80\xae"
	 "exe",
	 "gpj.\\u202eexe", 13}, /* right-to-left override */
	{"a\xe2\x80\x8b"
	 "b",
	 "a\\u200bb", 8}, /* zero width space */
	{"\xef\xbb\xbf"
	 "x",
	 "\\ufeffx", 7},
	{"\xf3\xa0\x81\x81", "\\U000e0041", 10}, /* a tag character */
	{"→ git", "→ git", 5},
	{"naïve", "naïve", 5},
	{"nai\xcc\x88ve", "nai\xcc\x88ve", 5}, /* combining diaeresis */
	{"日本語", "日本語", 6},
	{"한국", "한국", 4},
	{"🐌", "🐌", 2},
};

static void examples_are_shown_as_stated(void **state)
{
	char buffer[256];

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		assert_string_equal(lode_escape(buffer, sizeof(buffer), examples[i].text),
				    examples[i].shown);
		assert_int_equal(lode_escape_width(examples[i].text), examples[i].width);
	}
	assert_string_equal(lode_escape_n(buffer, sizeof(buffer), "a\0b", 3), "a\\x00b");
}

static void texts_that_are_too_wide_end_in_an_ellipsis(void **state)
{
	char buffer[64];

	(void)state;
	assert_string_equal(lode_escape_fit(buffer, 64, "abcdef", 6), "abcdef");
	assert_string_equal(lode_escape_fit(buffer, 64, "abcdefg", 6), "abcde…");
	assert_string_equal(lode_escape_fit(buffer, 64, "日本語", 6), "日本語");
	assert_string_equal(lode_escape_fit(buffer, 64, "日本語", 5), "日本…");
	assert_string_equal(lode_escape_fit(buffer, 64, "日本語", 4), "日…");  /* 3: no half one */
	assert_string_equal(lode_escape_fit(buffer, 64, "ab\033c", 4), "ab…"); /* no half escape */
	assert_string_equal(lode_escape_fit(buffer, 64, "abc", 1), "…");
	assert_string_equal(lode_escape_fit(buffer, 64, "abc", 0), "");
	assert_string_equal(lode_escape_fit(buffer, 64, "", 0), "");
	assert_string_equal(lode_escape_fit(buffer, 5, "abcdef", 6), "a…"); /* buffer too small */
	assert_string_equal(lode_escape_fit(buffer, 3, "abcdef", 6), "");
}

static size_t random_text(char *text, size_t max, struct test_random *random)
{
	size_t n = test_random_below(random, (uint32_t)max);

	for (size_t i = 0; i < n; i++) {
		static const uint8_t likely[] = {0xe2, 0x80, 0xae, 0xf0, 0x9f, 0x90, 0x8c, 0xcc,
						 0x88, 0xe6, 0x97, 0xa5, 0x1b, 0xc2, 0x9b, 'a'};

		text[i] = test_random_below(random, 4)
				  ? (char)likely[test_random_below(random, sizeof(likely))]
				  : (char)(1 + test_random_below(random, 255));
	}
	text[n] = '\0';
	return n;
}

/* The C library's own decoder has the last word on what is valid and printable. */
static void output_is_valid_text_without_controls_for_any_input(void **state)
{
	struct test_random random = {.state = 11};
	char text[64], full[64 * 4 + 1], fit[64 * 4 + 1], small[32];
	wchar_t wide[512];

	(void)state;
	assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
	for (int round = 0; round < 20000; round++) {
		size_t columns = test_random_below(&random, 40);
		size_t n_wide, size;

		random_text(text, sizeof(text), &random);
		lode_escape(full, sizeof(full), text);
		n_wide = mbstowcs(wide, full, 512);
		if (n_wide == (size_t)-1)
			fail_msg("round %d: not UTF-8", round);
		for (size_t i = 0; i < n_wide; i++) {
			if (wide[i] < 0x20 || (wide[i] >= 0x7f && wide[i] < 0xa0) ||
			    wide[i] == 0x202e)
				fail_msg("round %d: U+%04x got through", round, (unsigned)wide[i]);
		}
		/* Escaping what is escaped changes nothing. */
		assert_string_equal(lode_escape(fit, sizeof(fit), full), full);
		assert_int_equal(lode_escape_width(full), lode_escape_width(text));
		lode_escape_fit(fit, sizeof(fit), text, columns);
		assert_true(lode_escape_width(fit) <= columns);
		if (lode_escape_width(text) <= columns)
			assert_string_equal(fit, full);
		else if (columns)
			assert_string_equal(fit + strlen(fit) - 3, "…");
		/* A small buffer holds a prefix that is whole. */
		size = 1 + test_random_below(&random, sizeof(small));
		lode_escape(small, size, text);
		assert_true(strlen(small) < size);
		assert_memory_equal(small, full, strlen(small));
		assert_true(mbstowcs(wide, small, 512) != (size_t)-1);
	}
}

/* Words of `fit` are words of `text`, from the first on, or what stands for others. */
static bool has_whole_words(const char *fit, const char *text)
{
	char words[512], all[600], *rest = words, *word;
	bool is_whole = true;

	snprintf(words, sizeof(words), "%s", fit);
	snprintf(all, sizeof(all), " %s ", text);
	while ((word = strsep(&rest, " "))) {
		char padded[520];

		snprintf(padded, sizeof(padded), " %s ", word);
		is_whole &= strcmp(word, "…") == 0 || strstr(all, padded);
	}
	return is_whole;
}

static void names_are_not_cut(void **state)
{
	static const char *const words[] = {"a",
					    "main",
					    "journal_flush_segment",
					    "›",
					    "→",
					    "…",
					    "store::Entry<int>::get",
					    "漢字",
					    "[unrecorded]",
					    "12 %,",
					    "operator()"};
	struct test_random random = {11};
	char text[400], fit[512];

	(void)state;
	assert_string_equal(lode_escape_fit_names(fit, sizeof(fit), "one two", 7), "one two");
	assert_string_equal(lode_escape_fit_names(fit, sizeof(fit), "one two", 6), "one …");
	assert_string_equal(lode_escape_fit_names(fit, sizeof(fit), "one › two", 8), "one …");
	assert_string_equal(lode_escape_fit_names(fit, sizeof(fit), "longer_name", 5),
			    "longer_name");
	for (int round = 0; round < 20000; round++) {
		size_t n = 1 + test_random_below(&random, 8), used = 0, first;
		size_t columns = test_random_below(&random, 90), width;

		for (size_t i = 0; i < n; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 i ? " " : "",
						 words[test_random_below(&random, 11)]);
		lode_escape_fit_names(fit, sizeof(fit), text, columns);
		width = lode_escape_width(fit);
		text[strcspn(text, " ")] = '\0';
		first = lode_escape_width(text);
		if (strlen(text) < used)
			text[strlen(text)] = ' ';
		if (!has_whole_words(fit, text) ||
		    (width > columns && width > first + (strchr(fit, ' ') ? 2 : 0)) ||
		    (lode_escape_width(text) <= columns && strcmp(fit, text) != 0))
			fail_msg("round %d: '%s' in %zu columns is '%s'", round, text, columns,
				 fit);
	}
}

/* Each byte at each place of a text of up to three words. */
static void plain_text_ends_where_something_is_escaped(void **state)
{
	char text[24];

	(void)state;
	for (size_t len = 0; len <= sizeof(text); len++) {
		memset(text, 'a', sizeof(text));
		assert_int_equal(lode_escape_plain(text, len), len);
		for (size_t at = 0; at < len; at++)
			for (int byte = 0; byte < 256; byte++) {
				bool is_plain = byte >= 0x20 && byte < 0x7f;

				text[at] = (char)byte;
				assert_int_equal(lode_escape_plain(text, len), is_plain ? len : at);
				text[at] = 'a';
			}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_are_shown_as_stated),
		cmocka_unit_test(texts_that_are_too_wide_end_in_an_ellipsis),
		cmocka_unit_test(names_are_not_cut),
		cmocka_unit_test(plain_text_ends_where_something_is_escaped),
		cmocka_unit_test(output_is_valid_text_without_controls_for_any_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
