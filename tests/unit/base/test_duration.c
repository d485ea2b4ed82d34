/* base/duration.h: what people type is exact, what they read is right to its last digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "random.h"

static void texts_with_units_are_exact(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} rows[] = {
		{"300ms", 300000000},
		{"1.5s", 1500000000},
		{"30us", 30000},
		{"30µs", 30000},
		{"2m", 120000000000},
		{"2min", 120000000000},
		{"1 h", 3600000000000},
		{"0.1 s", 100000000},
		{"0.3s", 300000000},
		{".5s", 500000000},
		{"5.s", 5000000000},
		{"5", 5000000000},
		{"1.5", 1500000000},
		{"123ns", 123},
		{"0", 0},
		{"1.000ns", 1},
		{"0.000000001s", 1},
		{"0.0000000010s", 1},
		{"0.00000000005m", 3},
		{"9223372036854775807ns", INT64_MAX},
		{"9223372036.854775807s", INT64_MAX},
		{"0009s", 9000000000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t ns = -1;

		if (!lode_duration_parse(&ns, rows[i].text) || ns != rows[i].ns)
			fail_msg("%s gives %" PRId64, rows[i].text, ns);
	}
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		".",
		"s",
		".s",
		"-1s",
		"+1s",
		"1x",
		"1sx",
		"1 s ",
		"1,5s",
		"1e3",
		"0x10",
		"5 ",
		"0.0000000001",
		"0.5ns",
		"0.0001us",
		"9223372036854775808ns",
		"9223372037",
		"9223372036.854775808s",
		"99999999999999999999s",
		"9223372037s",
		"1..5s",
		"1.5.s",
		"2562048h",
		"nan",
		"inf",
		"0.0000000000000000000000000000000000001s",
		" 1s",
		"1\ts",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int64_t ns = 77;

		if (lode_duration_parse(&ns, texts[i]) || ns != 77)
			fail_msg("\"%s\" is taken for %" PRId64, texts[i], ns);
	}
}

static void points_on_a_clock_are_in_ns(void **state)
{
	int64_t ns = -1;

	(void)state;
	assert_true(lode_clock_time_parse(&ns, "9223372036854775807"));
	assert_int_equal(ns, INT64_MAX);
	assert_true(lode_clock_time_parse(&ns, "1.5s"));
	assert_int_equal(ns, 1500000000);
	assert_false(lode_clock_time_parse(&ns, "1.5"));
}

static void every_number_of_ns_written_in_any_unit_comes_back(void **state)
{
	static const struct {
		const char *name;
		int digits;
	} units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
	struct test_random random = {1};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		int64_t ns = (int64_t)(test_random_next(&random) >>
				       (1 + test_random_below(&random, 63)));
		int unit = (int)test_random_below(&random, 4);
		char digits[32], text[64];
		int64_t back = -1;
		int n;

		n = snprintf(digits, sizeof(digits), "%0*" PRId64, units[unit].digits + 1, ns);
		n -= units[unit].digits;
		snprintf(text, sizeof(text), "%.*s%s%s%s", n, digits, units[unit].digits ? "." : "",
			 digits + n, units[unit].name);
		if (!lode_duration_parse(&back, text) || back != ns)
			fail_msg("%s gives %" PRId64, text, back);
	}
}

static void people_read_three_digits(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{0, "0 ns"},
		{1, "1 ns"},
		{999, "999 ns"},
		{1000, "1.00 µs"},
		{38500000, "38.5 ms"},
		{1405489000, "1.41 s"},
		{1404999999, "1.40 s"},
		{9994999, "9.99 ms"},
		{9995000, "10.0 ms"},
		{99949999, "99.9 ms"},
		{99950000, "100 ms"},
		{999499999, "999 ms"},
		{999500000, "1.00 s"},
		{93200000000, "93.2 s"},
		{119499999999, "119 s"},
		{119500000000, "2 min 00 s"},
		{125000000000, "2 min 05 s"},
		{3599499999999, "59 min 59 s"},
		{3599500000000, "1 h 00 min"},
		{3661000000000, "1 h 01 min"},
		{-38500000, "-38.5 ms"},
		{INT64_MAX, "2562047 h 47 min"},
		{INT64_MIN, "-2562047 h 47 min"},
	};
	char buffer[LODE_DURATION_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(lode_duration_text(rows[i].ns, buffer, sizeof(buffer)),
				    rows[i].text);
}

/* Below a minute the text is a number that lies within half of its last digit. */
static void the_text_is_near_the_truth(void **state)
{
	struct test_random random = {2};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		int64_t ns = (int64_t)(test_random_next(&random) >>
				       (29 + test_random_below(&random, 35)));
		char text[LODE_DURATION_BYTES];
		int64_t back;

		lode_duration_text(ns, text, sizeof(text));
		if (!lode_duration_parse(&back, text))
			fail_msg("%s", text);
		if (llabs(back - ns) * 200 > llabs(ns) + 200 * (ns < 1000))
			fail_msg("%" PRId64 " is shown as %s", ns, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_with_units_are_exact),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(points_on_a_clock_are_in_ns),
		cmocka_unit_test(every_number_of_ns_written_in_any_unit_comes_back),
		cmocka_unit_test(people_read_three_digits),
		cmocka_unit_test(the_text_is_near_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
