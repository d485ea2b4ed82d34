/* Times as dates: what is written is read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <string.h>
#include <cmocka.h>

#include "base/log_time.h"
#include "base/duration.h"
#include "cases.h"
#include "random.h"

static void dates_come_back(void **state)
{
	struct test_random random = {20261122};

	(void)state;
	for (unsigned i = 0; i < TEST_CASES(20000); i++) {
		int64_t ns = (int64_t)(test_random_next(&random) % UINT64_C(7250000000000000000));
		struct lode_log_clock clock = {0};
		struct lode_log_time back;
		char text[LODE_UTC_BYTES];

		lode_utc_text(text, ns, LODE_UTC_SECONDS " UTC");
		if (!lode_log_time_parse(&back, &clock, text, strlen(text)) ||
		    back.ns != ns / 1000000000 * 1000000000)
			fail_msg("%" PRId64 " is %s", ns, text);
	}
}

static void the_second_before_1970_is_one(void **state)
{
	char text[LODE_UTC_BYTES];

	(void)state;
	assert_string_equal(lode_utc_text(text, 0, LODE_UTC_SECONDS), "1970-01-01 00:00:00");
	assert_string_equal(lode_utc_text(text, -1, LODE_UTC_SECONDS), "1969-12-31 23:59:59");
	assert_string_equal(lode_utc_text(text, INT64_MAX, "%Y"), "2262");
	assert_string_equal(lode_utc_text(text, INT64_MIN, "%Y"), "1677");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_come_back),
		cmocka_unit_test(the_second_before_1970_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
