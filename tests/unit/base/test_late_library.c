/* base/late_library.h: functions are found, and what is not there is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <zlib.h>

#include "base/late_library.h"

#define ZLIB_FUNCTIONS(X) X(crc32) X(zlibVersion)

struct zlib {
	ZLIB_FUNCTIONS(LODE_LATE_MEMBER)
};

static void functions_of_a_library_can_be_called(void **state)
{
	const unsigned char bytes[] = "123456789";
	struct zlib zlib;

	(void)state;
	assert_int_equal(LODE_LATE_OPEN(&zlib, ZLIB_FUNCTIONS, "libz.so.1", NULL), LODE_OK);
	assert_int_equal(zlib.crc32(0, bytes, 9), 0xcbf43926); /* the check value of CRC-32 */
	assert_string_equal(zlib.zlibVersion(), zlibVersion());
}

static void what_is_not_there_is_named(void **state)
{
	const char *const names[] = {"crc32", "zlib_of_tomorrow"};
	struct lode_error err;
	void *functions[2];
	struct zlib zlib;

	(void)state;
	assert_int_equal(LODE_LATE_OPEN(&zlib, ZLIB_FUNCTIONS, "libnone-of-this.so.1", &err),
			 LODE_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "libnone-of-this.so.1"));
	assert_int_equal(lode_late_library_open(functions, sizeof(functions), names, "libz.so.1",
						&err),
			 LODE_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "zlib_of_tomorrow"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_a_library_can_be_called),
		cmocka_unit_test(what_is_not_there_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
