/* The parts of paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/folder.h"

static void a_path_is_a_folder_and_a_name(void **state)
{
	static const struct {
		const char *path, *base;
		size_t folder_bytes;
	} rows[] = {
		{"a.data", "a.data", 0},
		{"x/a.data", "a.data", 2},
		{"/a", "a", 1},
		{"/x/y/a", "a", 5},
		{"x/y/", "x/y/", 4},
		{"/", "/", 1},
		{"", "", 0},
		{"x//a", "a", 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(lode_path_base(rows[i].path), rows[i].base);
		assert_int_equal(lode_path_folder_bytes(rows[i].path), rows[i].folder_bytes);
	}
}

static void a_path_names_the_folder_it_is_in(void **state)
{
	static const char *const rows[][2] = {
		{"a.data", "."}, {"x/a.data", "x"}, {"/a", "/"}, {"/x/y/a", "/x/y"},
		{"x/y/", "x/y"}, {"/", "/"},	    {"", "."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *folder = lode_path_folder(rows[i][0]);

		assert_string_equal(folder, rows[i][1]);
		free(folder);
	}
}

static void joined_paths_come_apart_again(void **state)
{
	char *path = lode_path_join("x/y", "a");

	(void)state;
	assert_string_equal(path, "x/y/a");
	assert_string_equal(lode_path_base(path), "a");
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_a_folder_and_a_name),
		cmocka_unit_test(a_path_names_the_folder_it_is_in),
		cmocka_unit_test(joined_paths_come_apart_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
