/* Tables and numbers, as they stand on a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/escape.h"
#include "document/text_page.h"
#include "document/table.h"
#include "document/units.h"
#include "random.h"

static char *printed(const struct lode_table *table)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	lode_table_print(table, out, false);
	fclose(out);
	return text;
}

static void columns_align_by_width_and_not_by_bytes(void **state)
{
	static const struct lode_table_column columns[] = {
		{"#", true}, {"name", false}, {"cost", true}, {"part", false}};
	struct lode_table *table = lode_table_new(columns, 4, 1);
	size_t hang_room;
	char *text;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		lode_table_row(table);
	lode_table_set(table, 0, 0, "%d", 1);
	lode_table_set(table, 0, 1, "µs");
	lode_table_set(table, 0, 2, "12.5 µs");
	lode_table_set(table, 0, 3, "a › b");
	lode_table_set(table, 1, 0, "%d", 10);
	lode_table_set(table, 1, 1, "漢字");
	lode_table_set(table, 1, 2, "1 s");
	lode_table_set(table, 1, 3, "first\nsecond");
	lode_table_set(table, 2, 0, "%d", 11);
	text = printed(table);
	assert_string_equal(text, "  #  name     cost  part\n"
				  "  1  µs    12.5 µs  a › b\n"
				  " 10  漢字      1 s  first\n"
				  "                    second\n"
				  " 11\n");
	free(text);
	/* 1 + 2 + 2 + 4 + 2 + 7 + 2 columns stand before the last one. */
	assert_int_equal(lode_table_room(table, 100), 80);
	assert_int_equal(lode_table_room(table, 30), 20);
	/* Further lines may start further left. */
	assert_int_equal(lode_table_fit(table, 100, 20, 1, &hang_room), 80);
	assert_int_equal(hang_room, 95);
	text = printed(table);
	assert_non_null(strstr(text, "first\n     second\n"));
	free(text);
	lode_table_free(table);
}

static void a_last_column_of_numbers_is_aligned_too(void **state)
{
	static const struct lode_table_column columns[] = {{"a", false}, {"n", true}};
	struct lode_table *table = lode_table_new(columns, 2, 0);
	char *text;

	(void)state;
	lode_table_row(table);
	lode_table_row(table);
	lode_table_set(table, 0, 0, "x");
	lode_table_set(table, 0, 1, "1");
	lode_table_set(table, 1, 1, "100");
	text = printed(table);
	assert_string_equal(text, "a    n\n"
				  "x    1\n"
				  "   100\n");
	free(text);
	lode_table_free(table);
}

/* ---- Random tables ---- */

enum { MAX_COLUMNS = 6, MAX_ROWS = 5, MAX_PIECES = 12, LINE = 400 };

/* A cell as pieces of known width; the last column's may have a second line. */
struct plain_cell {
	char text[64];
	size_t width;
	char more[64];
};

struct plain {
	struct lode_table_column columns[MAX_COLUMNS];
	size_t n, n_rows;
	unsigned indent, line_columns;
	size_t least, hang;
	struct plain_cell cells[MAX_ROWS + 1][MAX_COLUMNS]; /* the first row: titles */
	bool is_left[MAX_COLUMNS];
};

static size_t random_text(struct test_random *random, char *text, size_t least)
{
	static const struct {
		const char *text;
		size_t width;
	} pieces[] = {{"a", 1}, {"Z9", 2}, {"µ", 1}, {"漢", 2}, {"›", 1}};
	size_t width = 0, n = least + test_random_below(random, MAX_PIECES - (uint32_t)least);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		size_t k = test_random_below(random, sizeof(pieces) / sizeof(*pieces));

		strcat(text, pieces[k].text);
		width += pieces[k].width;
	}
	return width;
}

static void make_plain(struct plain *plain, struct test_random *random)
{
	memset(plain, 0, sizeof(*plain));
	plain->n = 1 + test_random_below(random, MAX_COLUMNS);
	plain->n_rows = test_random_below(random, MAX_ROWS);
	plain->indent = test_random_below(random, 3);
	plain->line_columns = test_random_below(random, 120);
	plain->least = test_random_below(random, 30);
	plain->hang = test_random_below(random, (uint32_t)plain->n);
	for (size_t c = 0; c < plain->n; c++) {
		plain->is_left[c] = true;
		for (size_t row = 0; row <= plain->n_rows; row++) {
			struct plain_cell *cell = &plain->cells[row][c];

			cell->width = random_text(random, cell->text, 0);
			if (row && c + 1 == plain->n && test_random_below(random, 3) == 0)
				random_text(random, cell->more, 1);
		}
		plain->columns[c] = (struct lode_table_column){
			plain->cells[0][c].text, test_random_below(random, 2),
			c + 1 < plain->n ? test_random_below(random, 4) : 0};
		if (plain->cells[1][plain->n - 1].more[0])
			plain->columns[plain->n - 1].is_right = false;
	}
	for (size_t row = 1; row <= plain->n_rows; row++)
		if (plain->columns[plain->n - 1].is_right)
			plain->cells[row][plain->n - 1].more[0] = '\0';
}

static size_t plain_width(const struct plain *plain, size_t column)
{
	size_t width = 0;

	for (size_t row = 0; row <= plain->n_rows; row++)
		if (plain->cells[row][column].width > width)
			width = plain->cells[row][column].width;
	return width;
}

static size_t plain_start(const struct plain *plain, size_t column)
{
	size_t start = plain->indent;

	for (size_t c = 0; c < column; c++)
		start += plain->is_left[c] ? plain_width(plain, c) + 2 : 0;
	return start;
}

/* Oracle: one rank after the other goes while the line is too short. */
static size_t fit_plainly(struct plain *plain)
{
	size_t start = plain_start(plain, plain->n - 1);

	for (unsigned drop = 1; drop < 4 && start + plain->least > plain->line_columns; drop++) {
		for (size_t c = 0; c < plain->n; c++)
			plain->is_left[c] &= plain->columns[c].drop != drop;
		start = plain_start(plain, plain->n - 1);
	}
	return start + plain->least < plain->line_columns ? plain->line_columns - start
							  : plain->least;
}

/* Oracle: every cell padded, then what is blank at the end cut off. */
static void print_plainly(const struct plain *plain, FILE *out)
{
	for (size_t row = 0; row <= plain->n_rows; row++) {
		char line[4 * LINE];
		size_t n = (size_t)sprintf(line, "%*s", (int)plain->indent, "");
		const struct plain_cell *cell = plain->cells[row];

		for (size_t c = 0; c < plain->n; c++) {
			int pad = (int)(plain_width(plain, c) - cell[c].width);
			bool is_right = plain->columns[c].is_right;

			if (plain->is_left[c])
				n += (size_t)sprintf(line + n, "%*s%s%*s  ", is_right ? pad : 0, "",
						     cell[c].text, is_right ? 0 : pad, "");
		}
		while (n && line[n - 1] == ' ')
			n--;
		fprintf(out, "%.*s\n", (int)n, line);
		if (cell[plain->n - 1].more[0])
			fprintf(out, "%*s%s\n", (int)plain_start(plain, plain->hang), "",
				cell[plain->n - 1].more);
	}
}

static void tables_are_what_padding_each_cell_gives(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5000; seed++) {
		struct test_random random = {seed};
		struct plain plain;
		struct lode_table *table;
		size_t size, room;
		char *want, *got;
		FILE *out = open_memstream(&want, &size);

		make_plain(&plain, &random);
		table = lode_table_new(plain.columns, plain.n, plain.indent);
		for (size_t row = 1; row <= plain.n_rows; row++) {
			lode_table_row(table);
			for (size_t c = 0; c < plain.n; c++) {
				const struct plain_cell *cell = &plain.cells[row][c];

				lode_table_set(table, row - 1, c, "%s%s%s", cell->text,
					       cell->more[0] ? "\n" : "", cell->more);
			}
		}
		room = lode_table_fit(table, plain.line_columns, plain.least, plain.hang, NULL);
		if (room != fit_plainly(&plain))
			fail_msg("seed %llu: room %zu", (unsigned long long)seed, room);
		print_plainly(&plain, out);
		fclose(out);
		got = printed(table);
		if (strcmp(got, want) != 0)
			fail_msg("seed %llu:\n%s\nnot\n%s", (unsigned long long)seed, got, want);
		free(got);
		free(want);
		lode_table_free(table);
	}
}

/* The width of the widest line, trailing cells of several lines included. */
static size_t widest_line(const char *text)
{
	size_t widest = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[1000];

		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		if (lode_escape_width(line) > widest)
			widest = lode_escape_width(line);
		text += len + (text[len] == '\n');
	}
	return widest;
}

/* Of columns of known widths, what is left where lines have `line_columns`: those of the least drop
   go as long as the last one has not its room. */
static size_t left_of_table(bool *is_left, const struct lode_table_column *columns,
			    const size_t *widths, size_t n, size_t line_columns, size_t least)
{
	for (unsigned gone = 0;; gone++) {
		size_t start = 0;
		bool may_go = false;

		for (size_t c = 0; c < n; c++) {
			is_left[c] = !columns[c].drop || columns[c].drop > gone;
			start += is_left[c] && c + 1 < n ? widths[c] + 2 : 0;
			may_go |= columns[c].drop > gone;
		}
		if (start + least <= line_columns || !may_go)
			return start;
	}
}

static void columns_go_in_their_order_until_lines_fit(void **state)
{
	struct test_random random = {5};

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct lode_table_column columns[8] = {{0}};
		static const char letters[] = "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";
		size_t n = 2 + test_random_below(&random, 6), widths[8], room, start;
		size_t line = 40 + test_random_below(&random, 161), least = 20;
		struct lode_table *table;
		bool is_left[8];
		char *text;

		for (size_t c = 0; c < n; c++) {
			columns[c] = (struct lode_table_column){
				letters + 32 - 1 - test_random_below(&random, 9),
				test_random_below(&random, 2) == 0,
				c + 1 < n ? (unsigned)test_random_below(&random, 5) : 0};
			widths[c] = strlen(columns[c].title);
		}
		columns[n - 1].is_right = false;
		table = lode_table_new(columns, n, 0);
		for (size_t r = 0; r < 3; r++) {
			size_t row = lode_table_row(table);

			for (size_t c = 0; c + 1 < n; c++) {
				size_t width = test_random_below(&random, 25);

				lode_table_set(table, row, c, "%.*s", (int)width, letters);
				widths[c] = width > widths[c] ? width : widths[c];
			}
		}
		room = lode_table_fit(table, (unsigned)line, least, n - 1, NULL);
		start = left_of_table(is_left, columns, widths, n, line, least);
		assert_int_equal(room, start + least < line ? line - start : least);
		for (size_t r = 0; r < 3; r++)
			lode_table_set(table, r, n - 1, "%.*s", (int)(room < 32 ? room : 32),
				       letters);
		text = printed(table);
		if (start + least <= line)
			assert_true(widest_line(text) <= line);
		free(text);
		lode_table_free(table);
	}
}

/* Colours change nothing of the text. */
static void coloured_cells_stand_where_plain_ones_do(void **state)
{
	static const struct lode_table_column columns[] = {
		{"class", false}, {"cost", true}, {"name", false}};
	struct lode_table *table = lode_table_new(columns, 3, 0);
	char *text, *plain;
	size_t size, n = 0;
	FILE *out;

	(void)state;
	for (size_t r = 0; r < 2; r++) {
		lode_table_row(table);
		lode_table_set(table, r, 0, "%s", r ? "better" : "new");
		lode_table_style(table, r, 0, r ? LODE_STYLE_GOOD : LODE_STYLE_BAD);
		lode_table_set(table, r, 1, "%zu s", 10 * r + 1);
		lode_table_set(table, r, 2, "main");
	}
	plain = printed(table);
	out = open_memstream(&text, &size);
	lode_table_print(table, out, true);
	fclose(out);
	assert_non_null(strstr(text, "\033[38;5;167mnew\033[0m"));
	for (size_t i = 0; text[i]; i++) {
		if (text[i] == '\033')
			i += strcspn(text + i, "m");
		else
			text[n++] = text[i];
	}
	text[n] = '\0';
	assert_string_equal(text, plain);
	free(text);
	free(plain);
	lode_table_free(table);
}

static void costs_have_three_digits_and_a_unit(void **state)
{
	char b[LODE_UNITS_BUFFER];

	(void)state;
	assert_string_equal(lode_format_cost(b, 28546000000, "ns"), "28.5 s");
	assert_string_equal(lode_format_cost(b, 0, "ns"), "0 ns");
	assert_string_equal(lode_format_cost(b, 1234567, "samples"), "1,234,567");
	assert_string_equal(lode_format_cost(b, INT64_MAX, "samples"), "9,223,372,036,854,775,807");
	assert_string_equal(lode_format_cost(b, -5, "samples"), "-5");
	assert_string_equal(lode_format_cost_long(b, 1200, "samples"), "1,200 samples");
	assert_string_equal(lode_format_cost_long(b, 1200, "ns"), "1.20 µs");
}

static void shares_say_when_they_are_small(void **state)
{
	char b[LODE_UNITS_BUFFER];

	(void)state;
	assert_string_equal(lode_format_share(b, 306, 1000), "30.6 %");
	assert_string_equal(lode_format_share(b, 1, 1), "100.0 %");
	assert_string_equal(lode_format_share(b, 0, 1), "0.0 %");
	assert_string_equal(lode_format_share(b, 5, 10000), "0.05 %");
	assert_string_equal(lode_format_share(b, 1, 100000000), "<0.01 %");
	assert_string_equal(lode_format_share(b, 5, 0), "-");
}

static void counts_bytes_and_plurals(void **state)
{
	char b[LODE_UNITS_BUFFER];

	(void)state;
	assert_string_equal(lode_format_count(b, 0), "0");
	assert_string_equal(lode_format_count(b, 999), "999");
	assert_string_equal(lode_format_count(b, 1000), "1,000");
	assert_string_equal(lode_format_plural(b, 1, "stream"), "1 stream");
	assert_string_equal(lode_format_plural(b, 0, "stream"), "0 streams");
	assert_string_equal(lode_format_plural(b, 12000, "stream"), "12,000 streams");
	assert_string_equal(lode_format_bytes(b, 1500), "1.50 kB");
	assert_string_equal(lode_format_bytes(b, 999600), "1.00 MB");
	assert_string_equal(lode_format_bytes(b, 123456789), "123 MB");
}

static void links_lead_to_files_and_their_lines_where_the_page_has_links(void **state)
{
	static const struct {
		const char *path, *text;
		unsigned line;
		struct lode_text_page page;
	} rows[] = {
		{"/a/b c\033%.c",
		 "\033]8;;file:///a/b%20c%1B%25.c\033\\name\033]8;;\033\\",
		 7,
		 {.has_links = true}},
		{"/\xc3\xa9",
		 "\033]8;;file://web1/%C3%A9#7\033\\name\033]8;;\033\\",
		 7,
		 {.has_links = true, .has_link_lines = true, .host = "web1"}},
		{"/a.c",
		 "\033]8;;file:///a.c\033\\name\033]8;;\033\\",
		 0,
		 {.has_links = true, .has_link_lines = true}},
		{"/a/b.c", "name", 7, {.has_color = true}},
		{"b.c", "name", 7, {.has_links = true}},
		{"", "name", 7, {.has_links = true}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		lode_style_link_put(out, rows[i].path, rows[i].line, "name", &rows[i].page);
		fclose(out);
		assert_string_equal(text, rows[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_lead_to_files_and_their_lines_where_the_page_has_links),
		cmocka_unit_test(columns_align_by_width_and_not_by_bytes),
		cmocka_unit_test(a_last_column_of_numbers_is_aligned_too),
		cmocka_unit_test(tables_are_what_padding_each_cell_gives),
		cmocka_unit_test(columns_go_in_their_order_until_lines_fit),
		cmocka_unit_test(coloured_cells_stand_where_plain_ones_do),
		cmocka_unit_test(costs_have_three_digits_and_a_unit),
		cmocka_unit_test(shares_say_when_they_are_small),
		cmocka_unit_test(counts_bytes_and_plurals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
