/* base/varint.h: what is put is got, and bytes of any kind are read as the plain loop reads them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/varint.h"
#include "random.h"
#include "cases.h"

/* Byte by byte. */
static uint64_t plain_get(const uint8_t *bytes, size_t n, size_t *at, bool *overrun)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t bits;

		if (*at == n)
			break;
		bits = bytes[*at] & 0x7f;
		if (shift == 63 && bytes[*at] > 1)
			break;
		value |= bits << shift;
		if (bytes[(*at)++] < 0x80)
			return value;
	}
	*at = n;
	*overrun = true;
	return 0;
}

static void what_is_put_is_got(void **state)
{
	struct test_random random = {7};

	(void)state;
	for (unsigned bits = 0; bits <= 64; bits++) {
		for (unsigned k = 0; k < 50; k++) {
			uint64_t value = test_random_next(&random), got;
			lode_byte_vec bytes = {0};
			struct lode_bytes from;

			value = bits ? value >> (64 - bits) : 0;
			lode_varint_put(&bytes, value);
			lode_varint_put_delta(&bytes, value, 12345);
			for (unsigned i = 0; i < k % 12; i++)
				lode_vec_append(&bytes, 0xff);
			from = lode_bytes_make(bytes.at, bytes.n, 0);
			got = lode_varint_get(&from);
			assert_true(got == value);
			got = lode_varint_get_delta(&from, 12345);
			assert_true(got == value);
			assert_int_equal(lode_bytes_left(&from), k % 12);
			assert_false(from.overrun);
			lode_vec_release(&bytes);
		}
	}
}

static void any_bytes_are_read_as_the_plain_loop_reads_them(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(20000); seed++) {
		struct test_random random = {seed};
		uint8_t bytes[40];
		size_t n = test_random_below(&random, sizeof(bytes) + 1), at = 0;
		uint32_t high = test_random_below(&random, 101);
		struct lode_bytes from;
		bool overrun = false;

		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)(test_random_below(&random, 128) |
					     (test_random_below(&random, 100) < high ? 0x80 : 0));
		from = lode_bytes_make(bytes, n, 0);
		while (at < n && !overrun) {
			uint64_t want = plain_get(bytes, n, &at, &overrun);

			if (lode_varint_get(&from) != want || from.overrun != overrun ||
			    lode_bytes_left(&from) != n - at)
				fail_msg("seed %llu", (unsigned long long)seed);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_is_got),
		cmocka_unit_test(any_bytes_are_read_as_the_plain_loop_reads_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
