/* A cluster is found by its rank or by the beginning of its id; what fits several is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "answers/clusters/cluster_choice.h"

static struct lode_cluster clusters[] = {
	{.id = 0xabcd000000000001, .rank = 1},
	{.id = 0xabcd111100000002, .rank = 2},
	{.id = 0x1234567890abcdef, .rank = 3},
};
static const struct lode_mined mined = {.clusters = clusters, .n_clusters = 3};

static void clusters_are_found_by_rank_and_by_id(void **state)
{
	struct lode_error err;

	(void)state;
	assert_ptr_equal(lode_cluster_find(&mined, "2", &err), &clusters[1]);
	assert_ptr_equal(lode_cluster_find(&mined, "abcd1", &err), &clusters[1]);
	assert_ptr_equal(lode_cluster_find(&mined, "123456", &err), &clusters[2]);
	assert_ptr_equal(lode_cluster_find(&mined, "1234567890abcdef", &err), &clusters[2]);
}

static void an_id_that_fits_several_asks_for_more_digits(void **state)
{
	struct lode_error err;

	(void)state;
	assert_null(lode_cluster_find(&mined, "abcd", &err));
	assert_int_equal(err.status, LODE_ERR_ARG);
	assert_non_null(strstr(err.message, "more digits"));
}

static void what_is_not_there_is_said(void **state)
{
	static const char *const names[] = {"0", "4", "", "abc", "abce", "xyz", "abcd1x"};
	struct lode_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_null(lode_cluster_find(&mined, names[i], &err));
		assert_int_equal(err.status, LODE_ERR_ARG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clusters_are_found_by_rank_and_by_id),
		cmocka_unit_test(an_id_that_fits_several_asks_for_more_digits),
		cmocka_unit_test(what_is_not_there_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
