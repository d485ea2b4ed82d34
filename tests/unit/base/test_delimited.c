/* base/delimited.h: cells are what a plain reading of each byte in turn makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/delimited.h"
#include "base/lines.h"
#include "base/mem.h"
#include "random.h"

enum { ROUNDS = 30000, MAX_CELLS = 64 };

struct texts {
	LODE_VEC(char) bytes;
	size_t ends[MAX_CELLS];
	size_t n;
	bool is_odd;
};

static void release(struct texts *texts)
{
	lode_vec_release(&texts->bytes);
}

static void end_cell(struct texts *texts)
{
	assert_true(texts->n < MAX_CELLS);
	lode_vec_reserve(&texts->bytes,
			 texts->bytes.n + 1); /* never NULL, which memcmp may not have */
	texts->ends[texts->n++] = texts->bytes.n;
}

/* Oracle: what a byte means depends on the state alone. */
static void read_plainly(struct texts *out, const char *line, size_t len, char delimiter,
			 bool is_bare)
{
	enum { START, BARE, QUOTED, MAYBE_CLOSED, LOST } state = START;

	for (size_t i = 0; i < len; i++) {
		char c = line[i];

		if (state != QUOTED && c == delimiter) {
			end_cell(out);
			state = START;
		} else if (state == QUOTED && c == '"') {
			state = MAYBE_CLOSED;
		} else if (state == START && c == '"' && !is_bare) {
			state = QUOTED;
		} else if (state == LOST || (state == MAYBE_CLOSED && c != '"')) {
			out->is_odd = true;
			state = LOST;
		} else {
			lode_vec_append(&out->bytes, c);
			state = state == START ? BARE : state == MAYBE_CLOSED ? QUOTED : state;
		}
	}
	out->is_odd |= state == QUOTED;
	end_cell(out);
}

static void assert_cells(const struct texts *want, char *line, size_t len, char delimiter,
			 bool is_bare, uint64_t seed)
{
	struct lode_cells cells = lode_cells(line, len, delimiter);
	struct lode_slice cell;
	size_t n = 0, from = 0;

	cells.is_bare = is_bare;
	for (; lode_cells_next(&cells, &cell); n++) {
		if (n >= want->n || cell.len != want->ends[n] - from ||
		    memcmp(cell.at, want->bytes.at + from, cell.len) != 0)
			fail_msg("seed %llu: cell %zu is '%.*s'", (unsigned long long)seed, n,
				 (int)cell.len, cell.at);
		from = want->ends[n];
	}
	if (n != want->n || cells.is_odd != want->is_odd)
		fail_msg("seed %llu: %zu cells, odd: %d", (unsigned long long)seed, n,
			 cells.is_odd);
}

/* In memory of its own size, so that a sanitizer sees what reads past its end. */
static char *copy_of(const char *text, size_t len)
{
	char *copy = lode_alloc(len ? len : 1);

	if (len)
		memcpy(copy, text, len);
	return copy;
}

static void cells_of_any_bytes_are_those_of_a_plain_reading(void **state)
{
	static const char bytes[] = "\"\"\"\",,,;ab \t\r\0\xc3";

	(void)state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct test_random random = {seed};
		size_t len = test_random_below(&random, 40);
		char text[40], delimiter = ",;\t"[test_random_below(&random, 3)], *line;
		bool is_bare = test_random_below(&random, 4) == 0;
		struct texts want = {0};

		for (size_t i = 0; i < len; i++)
			text[i] = bytes[test_random_below(&random, sizeof(bytes) - 1)];
		line = copy_of(text, len);
		read_plainly(&want, text, len, delimiter, is_bare);
		assert_cells(&want, line, len, delimiter, is_bare, seed);
		free(line);
		release(&want);
	}
}

typedef LODE_VEC(char) bytes;

static void put(bytes *out, const char *text, size_t len)
{
	lode_vec_reserve(out, out->n + len + 1);
	memcpy(out->at + out->n, text, len);
	out->n += len;
}

/* As RFC 4180 has it written: quoted where it must be, and sometimes where it need not. */
static void put_cell(bytes *out, const char *text, size_t len, bool is_quoted)
{
	is_quoted |= memchr(text, ',', len) || memchr(text, '"', len);
	if (is_quoted)
		put(out, "\"", 1);
	for (size_t i = 0; i < len; i++)
		put(out, text[i] == '"' ? "\"\"" : &text[i], 1 + (text[i] == '"'));
	if (is_quoted)
		put(out, "\"", 1);
}

static void random_row(struct test_random *random, struct texts *want, bytes *file)
{
	static const char letters[] = "aZ09 .,\"\t\xe2\0";
	size_t n = 1 + test_random_below(random, 8);

	for (size_t i = 0; i < n; i++) {
		size_t len = test_random_below(random, 12), start = want->bytes.n;

		if (test_random_below(random, 4000) == 0)
			len = (size_t)1 << 20;
		for (size_t k = 0; k < len; k++)
			lode_vec_append(&want->bytes,
					letters[test_random_below(random, sizeof(letters) - 1)]);
		if (i)
			put(file, ",", 1);
		lode_vec_reserve(&want->bytes, want->bytes.n + 1);
		put_cell(file, want->bytes.at + start, len, test_random_below(random, 3) == 0);
		end_cell(want);
	}
}

/* Files with or without a byte order mark, carriage returns and a last line feed. */
static void a_written_table_is_read_back(void **state)
{
	enum { N_ROWS = 6 };

	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct test_random random = {seed};
		bool has_mark = test_random_below(&random, 2),
		     has_cr = test_random_below(&random, 2);
		bool is_ended = has_cr || test_random_below(&random, 2);
		struct texts rows[N_ROWS] = {0};
		bytes file = {0};
		struct lode_input *input;
		struct lode_lines lines;
		size_t len, row = 0;
		char *line;

		if (has_mark)
			put(&file, "\xef\xbb\xbf", 3);
		for (size_t i = 0; i < N_ROWS; i++) {
			random_row(&random, &rows[i], &file);
			if (i + 1 < N_ROWS || is_ended)
				put(&file, has_cr ? "\r\n" : "\n", 1 + has_cr);
		}
		lode_input_open_bytes(&input, "table", file.at, file.n);
		lode_lines_init(&lines, input);
		while (lode_lines_next(&lines, &line, &len, NULL) > 0) {
			char *copy = copy_of(line, len);

			assert_true(row < N_ROWS);
			assert_cells(&rows[row++], copy, len, ',', false, seed);
			free(copy);
		}
		/* A last row of one empty cell, without its line feed, is no row. */
		assert_true(row == N_ROWS || (!is_ended && row == N_ROWS - 1));
		lode_lines_release(&lines);
		lode_input_close(input);
		for (size_t i = 0; i < N_ROWS; i++)
			release(&rows[i]);
		lode_vec_release(&file);
	}
}

static void the_delimiter_is_the_most_frequent(void **state)
{
	(void)state;
	assert_int_equal(lode_cells_delimiter("a;b,c;d", 7, ",;"), ';');
	assert_int_equal(lode_cells_delimiter("a;b,c", 5, ",;"), ',');
	assert_int_equal(lode_cells_delimiter("a;b,c", 5, ";,"), ';');
	assert_int_equal(lode_cells_delimiter("a;b", 1, ",;"), '\0');
	assert_int_equal(lode_cells_delimiter("", 0, ",;"), '\0');
}

static void names_lose_what_stands_around_them(void **state)
{
	static const struct {
		const char *cell, *name;
	} cases[] = {{"time", "time"}, {" # time\t", "time"}, {"#", ""},
		     {"", ""},	       {" \"a b\" ", "a b"},  {"\"", ""},
		     {"%usr", "%usr"}, {"\" a \" ", "a"},     {"a#", "a#"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lode_slice name =
			lode_cells_name((struct lode_slice){cases[i].cell, strlen(cases[i].cell)});

		if (!lode_slice_is(name, cases[i].name))
			fail_msg("'%s' is '%.*s'", cases[i].cell, (int)name.len, name.at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_of_any_bytes_are_those_of_a_plain_reading),
		cmocka_unit_test(a_written_table_is_read_back),
		cmocka_unit_test(the_delimiter_is_the_most_frequent),
		cmocka_unit_test(names_lose_what_stands_around_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
