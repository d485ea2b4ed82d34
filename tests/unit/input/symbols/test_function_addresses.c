/* Modules' names that hold an address' index: given for the wanted function alone, and read back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/map.h"
#include "input/symbols/function_addresses.h"

static void test_names_of_the_wanted_function_alone(void **state)
{
	static const char *const modules[] = {"", "a.out", "lib!x", "[kernel]", "a", "a.out!f"};
	static const char *const functions[] = {"", "f", "main", "x!f", "f!f"};
	struct lode_function_address at = {0};

	(void)state;
	for (size_t w = 0; w < 6 * 5; w++) {
		struct lode_function_addresses addresses = {0};
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "%s%s%s", modules[w / 5],
			 modules[w / 5][0] ? "!" : "", functions[w % 5]);
		addresses.wanted = wanted;
		for (size_t i = 0; i < 6 * 5; i++) {
			const char *module = modules[i / 5], *function = functions[i % 5], *got;
			size_t n = addresses.at.n;
			char full[64];

			snprintf(full, sizeof(full), "%s%s%s", module, module[0] ? "!" : "",
				 function);
			at.address = i;
			got = lode_function_addresses_module(&addresses, module, function, &at);
			if (!function[0] || strcmp(full, wanted) != 0) {
				assert_ptr_equal(got, module);
				assert_int_equal(addresses.at.n, n);
				continue;
			}
			assert_int_equal(lode_function_addresses_index(got), n);
			assert_int_equal(addresses.at.at[n].address, i);
			assert_true(strncmp(got, module, strlen(module)) == 0);
		}
		lode_function_addresses_release(&addresses);
	}
}

static void test_other_names_have_no_index(void **state)
{
	static const char *const names[] = {"",
					    "a.out",
					    "a\x1f",
					    "a\x1fx",
					    "a\x1f"
					    "1x",
					    "a\x1f-1",
					    "a\x1f"
					    "4294967295",
					    "a\x1f"
					    "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(lode_function_addresses_index(names[i]), LODE_NONE);
	assert_int_equal(lode_function_addresses_index("a\x1f"
						       "4294967294"),
			 4294967294U);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_the_wanted_function_alone),
		cmocka_unit_test(test_other_names_have_no_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
