/* Places in sorted arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/sorted.h"

struct item {
	int64_t key;
	int32_t other;
};

enum { LONGEST = 40 };

/* Every length, key and place to begin at, with keys of which some are equal. */
static void the_same_place_wherever_the_search_begins(void **state)
{
	struct item items[LONGEST] = {0};

	(void)state;
	for (size_t i = 0; i < LONGEST; i++)
		items[i].key = (int64_t)(i * i / 7) - 5;
	for (size_t n = 0; n <= LONGEST; n++)
		for (int64_t key = -7; key < LONGEST * LONGEST / 7; key++) {
			size_t right = 0;

			while (right < n && items[right].key <= key)
				right++;
			assert_int_equal(lode_sorted_up_to(items, n, sizeof(*items), key), right);
			for (size_t near = 0; near < n + 3; near++)
				assert_int_equal(lode_sorted_up_to_near(items, n, sizeof(*items),
									key, near),
						 right);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_place_wherever_the_search_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
