/* base/manifest.h: what is written reads back; what is not understood is refused with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/manifest.h"
#include "random.h"

enum { ROUNDS = 300, MAX_LINES = 40 };

static char path[64];

static int read_text(struct lode_manifest *out, const void *text, size_t n, bool may_lack_head,
		     struct lode_error *err)
{
	memset(out, 0, sizeof(*out));
	assert_int_equal(lode_atomic_write(path, text, n, NULL), 0);
	return lode_manifest_read(out, path, may_lack_head, err);
}

/* Texts with everything in them but what parts them, and what would make the line a remark. */
static char *random_text(struct test_random *random, const char *before, size_t i)
{
	static const char bytes[] = "ab/=# \"\\\xc3\xa9.%:";
	char text[64];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s%zu", before, i);

	for (size_t more = test_random_below(random, 12); more; more--)
		text[n++] = bytes[test_random_below(random, sizeof(bytes) - 1)];
	text[n] = '\0';
	return lode_strdup(text);
}

static void what_is_written_reads_back(void **state)
{
	struct test_random random = {11};

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = test_random_below(&random, MAX_LINES);
		struct lode_manifest_line lines[MAX_LINES];
		struct lode_manifest read;
		lode_byte_vec text = {0};

		lode_vec_append_all(&text, (const uint8_t *)LODE_MANIFEST_HEAD,
				    sizeof(LODE_MANIFEST_HEAD) - 1);
		for (size_t i = 0; i < n; i++) {
			bool is_named = test_random_below(&random, 2);

			lines[i].path = random_text(&random, "/p", i);
			lines[i].name = is_named ? random_text(&random, "n", i) : lines[i].path;
			lines[i].bytes = (int64_t)test_random_below(&random, 1000) - 1;
			lines[i].labels = test_random_below(&random, 2)
						  ? random_text(&random, "a=b\tc.d-e=", i)
						  : lode_strdup("");
			lode_manifest_put(&text, &lines[i]);
			if (test_random_below(&random, 4) == 0)
				lode_vec_append_all(&text, (const uint8_t *)"\n# x\n", 5);
		}
		assert_int_equal(read_text(&read, text.at, text.n, round % 2, NULL), 0);
		assert_int_equal(read.lines.n, n);
		for (size_t i = 0; i < n; i++) {
			assert_string_equal(read.lines.at[i].path, lines[i].path);
			assert_string_equal(read.lines.at[i].name, lines[i].name);
			assert_string_equal(read.lines.at[i].labels, lines[i].labels);
			assert_int_equal(read.lines.at[i].bytes, lines[i].bytes);
			if (lines[i].name != lines[i].path)
				free((char *)(uintptr_t)lines[i].name);
			free((char *)(uintptr_t)lines[i].path);
			free((char *)(uintptr_t)lines[i].labels);
		}
		lode_manifest_release(&read);
		lode_vec_release(&text);
	}
}

static void what_is_not_understood_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
		int64_t offset;
	} wrong[] = {
		{"", "not a manifest", 0},
		{"a\n", "not a manifest", 0},
		{"#lode manifest 2\na\n", "newer", 0},
		{LODE_MANIFEST_HEAD "a\nb\na\n", "line 4: a is listed twice", 21},
		{LODE_MANIFEST_HEAD "a\nb\tname=a\n", "line 3: a is listed twice", 19},
		{LODE_MANIFEST_HEAD "a\tb\n", "line 2: expected KEY=VALUE", 17},
		{LODE_MANIFEST_HEAD "a\t\n", "line 2: expected KEY=VALUE", 17},
		{LODE_MANIFEST_HEAD "a\t=b\n", "line 2: expected KEY=VALUE", 17},
		{LODE_MANIFEST_HEAD "a\t1a=b\n", "line 2: expected KEY=VALUE", 17},
		{LODE_MANIFEST_HEAD "\tb=c\n", "line 2: the path is empty", 17},
		{LODE_MANIFEST_HEAD "a\tname=\n", "line 2: the name is empty", 17},
		{LODE_MANIFEST_HEAD "a\rb\n", "line 2: a carriage return", 17},
		{LODE_MANIFEST_HEAD "a\tbytes=-1\n", "line 2: '-1' is not a number of bytes", 17},
		{LODE_MANIFEST_HEAD "a\tbytes=9999999999999999999\n", "not a number of bytes", 17},
	};
	struct lode_manifest read;
	struct lode_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_true(read_text(&read, wrong[i].text, strlen(wrong[i].text), false, &err) <
			    0);
		assert_non_null(strstr(err.message, wrong[i].says));
		assert_int_equal(err.offset, wrong[i].offset);
		lode_manifest_release(&read);
	}
	assert_true(read_text(&read, LODE_MANIFEST_HEAD "a\0b\n", 21, false, &err) < 0);
	assert_non_null(strstr(err.message, "line 2: a zero byte"));
	lode_manifest_release(&read);
}

static void a_list_of_files_will_do_where_one_is_asked_for(void **state)
{
	static const char text[] = "# my files\r\n\r\nb.data\r\na.data";
	struct lode_manifest read;

	(void)state;
	assert_int_equal(read_text(&read, text, sizeof(text) - 1, true, NULL), 0);
	assert_int_equal(read.lines.n, 2);
	assert_string_equal(read.lines.at[0].path, "b.data");
	assert_string_equal(read.lines.at[1].name, "a.data");
	lode_manifest_release(&read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(what_is_not_understood_is_refused),
		cmocka_unit_test(a_list_of_files_will_do_where_one_is_asked_for),
	};
	int rc;

	snprintf(path, sizeof(path), "manifest-%d.tmp", (int)getpid());
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
