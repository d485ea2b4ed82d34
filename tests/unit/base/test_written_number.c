/* Numbers with separators and units, and what a column's commas mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/written_number.h"
#include "random.h"

static void expect(const char *text, enum lode_comma comma, double value)
{
	double got;
	const char *fault = lode_written_number(&got, text, strlen(text), comma);

	if (isnan(value) != (fault != NULL))
		fail_msg("'%s': %s", text, fault ? fault : "no fault");
	if (!fault && fabs(got - value) > fabs(value) * 1e-12)
		fail_msg("'%s' is %.17g, not %.17g", text, got, value);
}

static void test_numbers(void **state)
{
	(void)state;
	expect("12.5 %", LODE_COMMA_UNKNOWN, 12.5);
	expect("12,5%", LODE_COMMA_DECIMAL, 12.5);
	expect("3.2 GB", LODE_COMMA_UNKNOWN, 3.2e9);
	expect("15 ms", LODE_COMMA_UNKNOWN, 0.015);
	expect("15 \xc2\xb5s", LODE_COMMA_UNKNOWN, 0.000015);
	expect("2KiB", LODE_COMMA_UNKNOWN, 2048);
	expect("1,234,567.25", LODE_COMMA_THOUSANDS, 1234567.25);
	expect("-1.234.567,25", LODE_COMMA_DECIMAL, -1234567.25);
	expect("1 234 567", LODE_COMMA_UNKNOWN, 1234567);
	expect("1\xe2\x80\xaf"
	       "234,5",
	       LODE_COMMA_DECIMAL, 1234.5);
	expect("1'234.5", LODE_COMMA_UNKNOWN, 1234.5);
	expect("1,234", LODE_COMMA_UNKNOWN, NAN);
	expect("1,23", LODE_COMMA_THOUSANDS, NAN);
	expect("1,2,3", LODE_COMMA_DECIMAL, NAN);
	expect("1.2.3", LODE_COMMA_UNKNOWN, NAN);
	expect("12 parsecs", LODE_COMMA_UNKNOWN, NAN);
	expect("", LODE_COMMA_UNKNOWN, NAN);
	expect(",", LODE_COMMA_DECIMAL, NAN);
	expect("ms", LODE_COMMA_UNKNOWN, NAN);
	expect("12 34", LODE_COMMA_UNKNOWN, NAN);
}

static void test_evidence(void **state)
{
	static const struct {
		const char *text;
		enum lode_comma comma;
	} cases[] = {
		{"12,5", LODE_COMMA_DECIMAL},	   {"0,123", LODE_COMMA_DECIMAL},
		{"1.234,5", LODE_COMMA_DECIMAL},   {"1234,567", LODE_COMMA_DECIMAL},
		{"1,234.5", LODE_COMMA_THOUSANDS}, {"1,234,567", LODE_COMMA_THOUSANDS},
		{"1,234", LODE_COMMA_UNKNOWN},	   {"-1,234", LODE_COMMA_UNKNOWN},
		{"1234", LODE_COMMA_UNKNOWN},	   {"1.234", LODE_COMMA_UNKNOWN},
		{"1.5", LODE_COMMA_THOUSANDS},	   {"", LODE_COMMA_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (lode_comma_of(cases[i].text, strlen(cases[i].text)) != cases[i].comma)
			fail_msg("'%s'", cases[i].text);
}

/* Written in each locale and read by what it says of itself. */
static void test_round_trip(void **state)
{
	struct test_random random = {3};

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint32_t whole = test_random_below(&random, 2000000000), part;
		bool is_decimal = test_random_below(&random, 2);
		char group = is_decimal ? '.' : ',', point = is_decimal ? ',' : '.';
		char text[64], *to = text;
		char digits[16];
		int n = snprintf(digits, sizeof(digits), "%u", whole);

		part = test_random_below(&random, 100);
		for (int k = 0; k < n; k++) {
			if (k && (n - k) % 3 == 0)
				*to++ = group;
			*to++ = digits[k];
		}
		sprintf(to, "%c%02u", point, part);
		assert_int_equal(lode_comma_of(text, strlen(text)),
				 is_decimal ? LODE_COMMA_DECIMAL : LODE_COMMA_THOUSANDS);
		expect(text, lode_comma_of(text, strlen(text)), whole + part / 100.0);
	}
}

/* Any bytes: a number, or a fault; nothing outside of the text is read (asan). */
static void test_any_bytes(void **state)
{
	static const char bytes[] = "0123456789.,,.- %'kMGTB\xc2\xa0\xe2\x80\xaf";
	struct test_random random = {4};
	char text[70];
	double value;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t len = test_random_below(&random, sizeof(text));

		for (size_t k = 0; k < len; k++)
			text[k] = bytes[test_random_below(&random, sizeof(bytes) - 1)];
		(void)lode_comma_of(text, len);
		for (int comma = 0; comma < 3; comma++) {
			const char *fault =
				lode_written_number(&value, text, len, (enum lode_comma)comma);

			assert_true(fault ? isnan(value) : isfinite(value));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_evidence),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
