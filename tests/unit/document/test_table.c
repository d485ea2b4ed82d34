/* Tables and numbers, as they stand on a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "document/table.h"
#include "document/units.h"

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
	lode_table_hang(table, 1);
	assert_int_equal(lode_table_hang_room(table, 100), 95);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_align_by_width_and_not_by_bytes),
		cmocka_unit_test(a_last_column_of_numbers_is_aligned_too),
		cmocka_unit_test(costs_have_three_digits_and_a_unit),
		cmocka_unit_test(shares_say_when_they_are_small),
		cmocka_unit_test(counts_bytes_and_plurals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
