/* base/lines.h: the lines of a file are the lines of a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/lines.h"
#include "base/mem.h"
#include "random.h"
#include "scratch.h"

static struct scratch scratch;
static const char *path;

static void write_file(const char *data, size_t n)
{
	scratch_write(path, data, n);
}

static struct lode_input *open_file(struct lode_lines *lines)
{
	struct lode_input *input;
	struct lode_error err;

	assert_int_equal(lode_input_open(&input, path, &err), 0);
	lode_lines_init(lines, input);
	return input;
}

/* Oracle: walk over the text in memory. Lines of all lengths, also longer than the first buffer. */
static void lines_are_what_stands_between_line_feeds(void **state)
{
	struct test_random random = {.state = 21};
	size_t size = 3 << 20;
	char *text = lode_alloc(size);

	(void)state;
	for (int round = 0; round < 12; round++) {
		uint32_t mean = 1U << test_random_below(&random, 21);
		size_t n = test_random_below(&random, (uint32_t)size), at = 0;
		struct lode_lines lines;
		struct lode_input *input;
		struct lode_error err;
		int64_t number = 0;
		char *line;
		size_t len;
		int rc;

		for (size_t i = 0; i < n; i++)
			text[i] = test_random_below(&random, mean) == 0 ? '\n'
				  : test_random_below(&random, 8) == 0	? '\r'
									: (char)(i % 61);
		write_file(text, n);
		input = open_file(&lines);
		while ((rc = lode_lines_next(&lines, &line, &len, &err)) > 0) {
			const char *feed = memchr(text + at, '\n', n - at);
			size_t want = feed ? (size_t)(feed - text) - at : n - at;
			size_t shown = want;

			if (feed && want && text[at + want - 1] == '\r')
				shown--;
			assert_true(at < n);
			assert_int_equal(len, shown);
			assert_memory_equal(line, text + at, shown);
			assert_int_equal(line[len], 0);
			assert_int_equal(lines.number, ++number);
			assert_int_equal(lines.offset, at);
			assert_int_equal(lines.is_unended, !feed);
			line[0] = 'x'; /* may be written to */
			at += want + (feed ? 1 : 0);
		}
		assert_int_equal(rc, 0);
		assert_int_equal(at, n);
		lode_lines_release(&lines);
		lode_input_close(input);
	}
	free(text);
}

/* "x\n", a line that is too long, "\nafter\n": whoever goes on loses that line only. */
static void a_line_past_the_limit_is_an_error_with_its_number(void **state)
{
	size_t size = 2 * LODE_LINE_MAX_BYTES;
	char *text = lode_alloc(size);
	struct lode_lines lines;
	struct lode_input *input;
	struct lode_error err;
	char *line;
	size_t len;

	(void)state;
	memset(text, 'x', size);
	text[1] = '\n';
	memcpy(text + size - 7, "\nafter\n", 7);
	write_file(text, size);
	input = open_file(&lines);
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), 1);
	assert_false(lode_lines_may_go_on(&lines));
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), LODE_ERR_LIMIT);
	assert_true(err.is_line);
	assert_int_equal(err.offset, 2);
	assert_int_equal(lines.offset, 2);
	assert_true(lode_lines_may_go_on(&lines));
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), 1);
	assert_string_equal(line, "after");
	assert_int_equal(lines.number, 3);
	assert_int_equal(lines.offset, size - 6);
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), 0);
	lode_lines_release(&lines);
	lode_input_close(input);
	/* The same as the last one, without an end. */
	write_file(text, size - 7);
	input = open_file(&lines);
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), 1);
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), LODE_ERR_LIMIT);
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), 0);
	lode_lines_release(&lines);
	lode_input_close(input);
	free(text);
}

static void cut_compressed_text_gives_its_whole_lines_first(void **state)
{
	char plain[] = "first 1\nsecond 2\nthird 3\n";
	unsigned char packed[256];
	z_stream z = {0};
	struct lode_lines lines;
	struct lode_input *input;
	struct lode_error err;
	char *line;
	size_t len;

	(void)state;
	/* Stored, so that a cut file holds the bytes before the cut. */
	assert_int_equal(deflateInit2(&z, 0, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)plain;
	z.avail_in = sizeof(plain) - 1;
	z.next_out = packed;
	z.avail_out = sizeof(packed);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	write_file((char *)packed, 10 + 5 + 12); /* header, block header, "first 1\nseco" */
	input = open_file(&lines);
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), 1);
	assert_string_equal(line, "first 1");
	assert_int_equal(lode_lines_next(&lines, &line, &len, &err), LODE_ERR_TRUNCATED);
	lode_lines_release(&lines);
	lode_input_close(input);
}

static void texts_are_split_into_lines_and_joined_again(void **state)
{
	static const char *const texts[][2] = {
		{"a", "a"}, {"a\nbc\n\nd\n", "a\nbc\nd"}, {"\n\n", ""}, {"", ""}, {NULL, ""}};
	static const size_t n_lines[] = {1, 3, 0, 0, 0};
	struct lode_arena arena = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(n_lines) / sizeof(*n_lines); i++) {
		size_t n;
		const char **split = lode_lines_split(texts[i][0], &n, &arena);

		assert_int_equal(n, n_lines[i]);
		assert_string_equal(lode_lines_join(split, n, &arena), texts[i][1]);
		for (size_t k = 0; k < n; k++)
			assert_true(*split[k] && !strchr(split[k], '\n'));
	}
	lode_arena_release(&arena);
}

static int make_folder(void **state)
{
	(void)state;
	scratch_make(&scratch);
	path = scratch_path(&scratch, "text");
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	scratch_remove(&scratch);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_what_stands_between_line_feeds),
		cmocka_unit_test(a_line_past_the_limit_is_an_error_with_its_number),
		cmocka_unit_test(cut_compressed_text_gives_its_whole_lines_first),
		cmocka_unit_test(texts_are_split_into_lines_and_joined_again),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
