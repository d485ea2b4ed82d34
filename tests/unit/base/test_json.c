/* What is written is JSON, whatever the texts hold: yajl reads it back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <yajl/yajl_tree.h>

#include "random.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cases.h"

struct document {
	char *text;
	size_t size;
	FILE *out;
	struct lode_json *json;
};

static void begin(struct document *d)
{
	d->out = open_memstream(&d->text, &d->size);
	d->json = lode_json_open(d->out, "lode/test/1");
}

/* A document may be printed on a terminal: nothing in it is obeyed there, or hidden. */
static bool is_harmless(const char *text, size_t size)
{
	for (size_t i = 0; i < size;) {
		uint32_t c = 0;
		size_t n = lode_utf8_take(&c, text + i, size - i);

		if (!n || (c != '\n' && lode_escape_hides(c)))
			return false;
		i += n;
	}
	return true;
}

static yajl_val end(struct document *d)
{
	char message[256] = "";
	yajl_val root;

	lode_json_close(d->json);
	fclose(d->out);
	root = yajl_tree_parse(d->text, message, sizeof(message));
	if (!root)
		print_error("%s\n%s\n", d->text, message);
	assert_non_null(root);
	assert_true(is_harmless(d->text, d->size));
	free(d->text);
	return root;
}

static yajl_val member(yajl_val root, const char *name)
{
	const char *path[] = {name, NULL};
	yajl_val value = yajl_tree_get(root, path, yajl_t_any);

	assert_non_null(value);
	return value;
}

/* Any bits of a double; one digit less would be another number, but for numbers of six. */
static void shortest_numbers_read_back_as_they_were(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct test_random random = {seed};
		uint64_t bits = test_random_next(&random);
		double value = seed % 3 ? (double)(int64_t)(bits >> 44) / 1000 : 0;
		struct document d;
		yajl_val got, root;
		char rough[400];

		if (seed % 3 == 0)
			memcpy(&value, &bits, sizeof(value));
		begin(&d);
		lode_json_shortest(d.json, "x", value);
		root = end(&d);
		got = member(root, "x");
		if (!isfinite(value)) {
			assert_true(YAJL_IS_NULL(got));
		} else {
			int digits = 0;

			assert_true(strtod(YAJL_GET_NUMBER(got), NULL) == value);
			for (const char *p = YAJL_GET_NUMBER(got); *p && *p != 'e'; p++)
				digits += *p >= '0' && *p <= '9' && (digits || *p != '0');
			snprintf(rough, sizeof(rough), "%.*g", digits - 1, value);
			assert_true(digits <= 6 || strtod(rough, NULL) != value);
		}
		yajl_tree_free(root);
	}
}

static void integers_keep_all_64_bits(void **state)
{
	struct document d;
	yajl_val root;

	(void)state;
	begin(&d);
	lode_json_int(d.json, "least", INT64_MIN);
	lode_json_int(d.json, "most", INT64_MAX);
	lode_json_int(d.json, "odd", INT64_C(9007199254740993)); /* no double */
	lode_json_id(d.json, "id", UINT64_C(0x00ff00000000beef));
	root = end(&d);
	assert_string_equal(member(root, "schema")->u.string, "lode/test/1");
	assert_string_equal(YAJL_GET_NUMBER(member(root, "least")), "-9223372036854775808");
	assert_string_equal(YAJL_GET_NUMBER(member(root, "most")), "9223372036854775807");
	assert_string_equal(YAJL_GET_NUMBER(member(root, "odd")), "9007199254740993");
	assert_string_equal(YAJL_GET_STRING(member(root, "id")), "00ff00000000beef");
	yajl_tree_free(root);
}

static void check_text(const char *given, const char *wanted)
{
	struct document d;
	yajl_val root;

	begin(&d);
	lode_json_text(d.json, "t", given);
	root = end(&d);
	assert_string_equal(YAJL_GET_STRING(member(root, "t")), wanted);
	yajl_tree_free(root);
}

static void texts_survive(void **state)
{
	(void)state;
	check_text("", "");
	check_text("plain \"quoted\" \\ / \n \t \x01 \x7f",
		   "plain \"quoted\" \\ / \n \t \x01 \x7f");
	check_text("→ ph-store µs 漢字 😀", "→ ph-store µs 漢字 😀");
	/* The one-byte CSI, a bidi mark, a noncharacter, a tag beyond 16 bits. */
	check_text("\xc2\x9b"
		   "31m → \u202e \xef\xbf\xbf \U000e0041",
		   "\xc2\x9b"
		   "31m → \u202e \xef\xbf\xbf \U000e0041");
}

#define FFFD "\xef\xbf\xbd"

static void invalid_utf8_is_marked(void **state)
{
	(void)state;
	check_text("a\xff"
		   "b",
		   "a" FFFD "b");
	check_text("\xc3", FFFD);			     /* cut */
	check_text("\xc0\xaf", FFFD FFFD);		     /* overlong */
	check_text("\xed\xa0\x80", FFFD FFFD FFFD);	     /* a surrogate */
	check_text("\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD); /* beyond Unicode */
	check_text("\xe2\x86", FFFD FFFD);
	check_text("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}

static void random_bytes_give_json(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct test_random random = {seed};
		char text[64];
		size_t len = test_random_below(&random, sizeof(text));
		struct document d;

		for (size_t i = 0; i < len; i++)
			text[i] = (char)(1 + test_random_below(&random, 255));
		text[len] = '\0';
		begin(&d);
		lode_json_text(d.json, text, text);
		lode_json_array(d.json, "list");
		lode_json_text(d.json, NULL, text);
		lode_json_number(d.json, NULL, 1.0 / (double)seed);
		lode_json_end_array(d.json);
		yajl_tree_free(end(&d));
	}
}

/* Shorter and longer than what is written at once, and a number behind each. */
static void documents_of_any_length_are_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(300); seed++) {
		struct test_random random = {seed};
		size_t len = test_random_below(&random, 20000);
		uint32_t n = 1 + test_random_below(&random, 3000);
		char *text = malloc(len + 1);
		struct document d;
		yajl_val root, numbers;

		memset(text, 'a' + (int)(seed % 26), len);
		text[len] = '\0';
		begin(&d);
		lode_json_text(d.json, "text", text);
		lode_json_break(d.json);
		lode_json_array(d.json, "numbers");
		for (uint32_t i = 0; i < n; i++)
			lode_json_int(d.json, NULL, i);
		lode_json_end_array(d.json);
		root = end(&d);
		assert_string_equal(YAJL_GET_STRING(member(root, "text")), text);
		numbers = member(root, "numbers");
		assert_int_equal(YAJL_GET_ARRAY(numbers)->len, n);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(YAJL_GET_INTEGER(YAJL_GET_ARRAY(numbers)->values[i]), i);
		yajl_tree_free(root);
		free(text);
	}
}

static void what_is_no_number_is_zero(void **state)
{
	struct document d;
	yajl_val root;

	(void)state;
	begin(&d);
	lode_json_number(d.json, "nan", 0.0 / 0.0);
	lode_json_number(d.json, "inf", 1.0 / 0.0);
	lode_json_number(d.json, "third", 1.0 / 3);
	root = end(&d);
	assert_string_equal(YAJL_GET_NUMBER(member(root, "nan")), "0");
	assert_string_equal(YAJL_GET_NUMBER(member(root, "inf")), "0");
	assert_string_equal(YAJL_GET_NUMBER(member(root, "third")), "0.3333333");
	yajl_tree_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortest_numbers_read_back_as_they_were),
		cmocka_unit_test(integers_keep_all_64_bits),
		cmocka_unit_test(texts_survive),
		cmocka_unit_test(invalid_utf8_is_marked),
		cmocka_unit_test(random_bytes_give_json),
		cmocka_unit_test(documents_of_any_length_are_whole),
		cmocka_unit_test(what_is_no_number_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
