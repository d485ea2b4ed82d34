/* An index over items against the items looked through one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "random.h"
#include "base/map.h"

struct item {
	uint32_t a, b, more;
};

static uint32_t find_slowly(const struct item *items, size_t n, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].a == a && items[i].b == b)
			return (uint32_t)i;
	return LODE_NONE;
}

static uint32_t number(struct test_random *r, uint32_t n)
{
	static const uint32_t edges[] = {0, 1, UINT32_MAX, UINT32_MAX - 1};

	return test_random_below(r, 10) ? test_random_below(r, n) : edges[test_random_below(r, 4)];
}

static void test_finds_what_looking_through_finds(void **state)
{
	struct test_random r = {5};

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		struct lode_pair_index index = {0};
		LODE_VEC(struct item) items = {0};
		uint32_t n = 1 + test_random_below(&r, 60);

		for (int i = 0; i < 800; i++) {
			struct item item = {number(&r, n), number(&r, n), ~0U};
			uint32_t expected = find_slowly(items.at, items.n, item.a, item.b);

			assert_int_equal(lode_pair_index_find(&index, items.at, sizeof(item),
							      item.a, item.b),
					 expected);
			if (expected != LODE_NONE)
				continue;
			if (i % 50 == 0)
				lode_pair_index_reserve(&index, items.at, sizeof(item),
							items.n + test_random_below(&r, 300));
			lode_pair_index_add(&index, items.at, sizeof(item), item.a, item.b);
			lode_vec_append(&items, item);
			assert_int_equal(index.n, items.n);
		}
		lode_pair_index_release(&index);
		lode_vec_release(&items);
	}
}

/* Every item, at each size of the table: also the one whose slot has all bits of an id. */
static void test_holds_very_many(void **state)
{
	enum { N = 3000000 };
	struct lode_pair_index index = {0};
	struct item *items = lode_alloc((size_t)N * sizeof(*items));

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		items[i] = (struct item){i * 2654435761U >> 12, i, 0};
		assert_int_equal(lode_pair_index_find(&index, items, sizeof(*items), items[i].a,
						      items[i].b),
				 LODE_NONE);
		lode_pair_index_add(&index, items, sizeof(*items), items[i].a, items[i].b);
	}
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(lode_pair_index_find(&index, items, sizeof(*items), items[i].a,
						      items[i].b),
				 i);
	lode_pair_index_release(&index);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_what_looking_through_finds),
		cmocka_unit_test(test_holds_very_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
