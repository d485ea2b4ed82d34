/* Decimal numbers against exact arithmetic on their digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/decimal.h"
#include "cases.h"
#include "random.h"

static size_t add_digits(struct test_random *random, char *text, size_t n, uint32_t most)
{
	for (uint32_t i = test_random_below(random, most + 1); i; i--)
		text[n++] = (char)('0' + test_random_below(random, 10));
	return n;
}

/* Beyond any int64_t; sums stay below 2^127. */
static const __int128 huge = (__int128)1 << 100;

static void whole_numbers_are_those_of_wide_arithmetic(void **state)
{
	struct test_random random = {20261122};

	(void)state;
	for (unsigned i = 0; i < TEST_CASES(40000); i++) {
		char text[40];
		size_t n = 0, first;
		__int128 want = 0;
		bool is_one, got;
		int64_t value = 77;

		if (test_random_below(&random, 3) == 0)
			text[n++] = '-';
		first = n;
		n = add_digits(&random, text, n, test_random_below(&random, 2) ? 6 : 22);
		if (test_random_below(&random, 20) == 0)
			text[n++] = "x +-."[test_random_below(&random, 5)];
		text[n] = '\0';
		is_one = n > first;
		for (size_t k = first; k < n; k++) {
			is_one = is_one && lode_is_digit(text[k]);
			if (want < huge)
				want = want * 10 + (text[k] - '0');
		}
		want = first ? -want : want;
		is_one = is_one && want >= INT64_MIN && want <= INT64_MAX;
		got = lode_int_parse(&value, text, n);
		if (got != is_one || value != (is_one ? (int64_t)want : 77))
			fail_msg("%s: %d, %" PRId64, text, got, value);
	}
}

static void edges_of_whole_numbers(void **state)
{
	int64_t value = 0;
	int32_t small = 5;

	(void)state;
	assert_true(lode_int_parse(&value, "9223372036854775807", 19));
	assert_true(value == INT64_MAX);
	assert_true(lode_int_parse(&value, "-9223372036854775808", 20));
	assert_true(value == INT64_MIN);
	assert_false(lode_int_parse(&value, "9223372036854775808", 19));
	assert_false(lode_int_parse(&value, "-9223372036854775809", 20));
	assert_false(lode_int_parse(&value, "", 0));
	assert_false(lode_int_parse(&value, "-", 1));
	assert_true(lode_int_parse(&value, "0000000000000000000000012", 25));
	assert_true(value == 12);
	assert_true(lode_int32_parse(&small, "-2147483648", 11));
	assert_true(small == INT32_MIN);
	assert_false(lode_int32_parse(&small, "2147483648", 10));
	assert_true(small == INT32_MIN);
}

/* The value of digits[.digits][e exponent] by long arithmetic on at most 24 digits: exact as a
   fraction over a power of ten, then rounded. */
static bool plain_scale(int64_t *out, const char *whole, const char *decimals, int exponent,
			bool is_negative, int scale, bool is_nearest)
{
	__int128 sum = 0, power = 1, value;
	int e = exponent + scale - (int)strlen(decimals);

	for (const char *p = whole; *p; p++)
		sum = sum * 10 + (*p - '0');
	for (const char *p = decimals; *p; p++)
		sum = sum * 10 + (*p - '0');
	for (; e > 0 && sum && sum < huge; e--)
		sum *= 10;
	for (; e < 0 && power < huge; e++)
		power *= 10;
	value = sum / power + (is_nearest && sum % power >= (power + 1) / 2 && power > 1);
	if (value > INT64_MAX)
		return false;
	*out = is_negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static void decimals_are_those_of_exact_arithmetic(void **state)
{
	struct test_random random = {7};

	(void)state;
	for (unsigned i = 0; i < TEST_CASES(40000); i++) {
		char whole[16], decimals[16], text[64];
		int exponent = 0, scale = (int)test_random_below(&random, 4) * 3;
		bool is_negative = test_random_below(&random, 4) == 0;
		bool has_comma = test_random_below(&random, 4) == 0;
		bool is_nearest = test_random_below(&random, 2);
		struct lode_decimal d;
		int64_t got = 77, want = 77;
		size_t n;

		/* 19 digits at most: all of them are kept. */
		whole[add_digits(&random, whole, 0, 10)] = '\0';
		decimals[add_digits(&random, decimals, 0, 9)] = '\0';
		if (!*whole && !*decimals)
			continue;
		n = (size_t)snprintf(text, sizeof(text), "%s%s%s%s", is_negative ? "-" : "", whole,
				     !*decimals	 ? ""
				     : has_comma ? ","
						 : ".",
				     decimals);
		if (test_random_below(&random, 3) == 0) {
			exponent = (int)test_random_below(&random, 40) - 20;
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%c%d",
					      "eE"[test_random_below(&random, 2)], exponent);
		}
		snprintf(text + n, sizeof(text) - n, "%s",
			 test_random_below(&random, 2) ? "" : " ms");
		if (lode_decimal_take(&d, text, strlen(text), true) != n)
			fail_msg("%s is not %zu long", text, n);
		assert_false(d.is_cut);
		if (lode_decimal_scale(&got, &d, scale, is_nearest) !=
			    plain_scale(&want, whole, decimals, exponent, is_negative, scale,
					is_nearest) ||
		    got != want)
			fail_msg("%s times 10^%d: %" PRId64 ", not %" PRId64, text, scale, got,
				 want);
	}
}

static void long_decimals_are_cut(void **state)
{
	struct lode_decimal d;
	int64_t value;

	(void)state;
	assert_int_equal(lode_decimal_take(&d, "1.50000000000000000000000000s", 28, false), 28);
	assert_false(d.is_cut);
	assert_int_equal(lode_decimal_take(&d, "1.50000000000000000000000001s", 28, false), 28);
	assert_true(d.is_cut);
	assert_true(lode_decimal_scale(&value, &d, 1, false) && value == 15);
	assert_int_equal(lode_decimal_take(&d, "99999999999999999999", 20, false), 0);
	assert_int_equal(lode_decimal_take(&d, "1,5", 3, false), 1);
	assert_int_equal(lode_decimal_take(&d, "5.", 2, false), 2);
	assert_int_equal(lode_decimal_take(&d, ".", 1, false), 0);
	assert_int_equal(lode_decimal_take(&d, "-", 1, false), 0);
	assert_int_equal(lode_decimal_take(&d, "7e", 2, false), 1);
	assert_int_equal(lode_decimal_take(&d, "7e+", 3, false), 1);
	assert_int_equal(lode_decimal_take(&d, "7e99999999999", 13, false), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_are_those_of_wide_arithmetic),
		cmocka_unit_test(edges_of_whole_numbers),
		cmocka_unit_test(decimals_are_those_of_exact_arithmetic),
		cmocka_unit_test(long_decimals_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
