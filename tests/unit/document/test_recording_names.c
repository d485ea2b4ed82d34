/* Names of recordings, against a search over all numbers of parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "document/recording_names.h"
#include "random.h"

struct row {
	int other;
	const char *path;
};

static void short_and_different(void **state)
{
	static const char *const cases[][2] = {
		{"new/slow.data", "new/slow.data"},
		{"old/slow.data", "old/slow.data"},
		{"old/fast.lode/perf.data.zst", "fast.lode"},
		{"a/perf.data", "runs/1/a"},
		{"b//perf.data", "b"},
		{"./perf.data", "./perf.data"},
		{"../perf.data", "../perf.data"},
		{"x/7.lode/perf.data", "x/7.lode"},
		{"y/7.lode/perf.data.gz", "y/7.lode"},
		{"old/slow.data", "old/slow.data"},
		{"slow", "slow"},
		{"very-slow", "very-slow"},
		{"z//q", "z//q"},
		{"/q", "/q"},
	};
	enum { N = sizeof(cases) / sizeof(*cases) };
	struct row rows[N];
	char **names;

	(void)state;
	for (size_t i = 0; i < N; i++)
		rows[i] = (struct row){0, cases[i][0]};
	/* Two of one name: a bundle, and a file that is called as its folder. */
	rows[3].path = "runs/1/a";
	names = LODE_RECORDING_NAMES(rows, N, path);
	for (size_t i = 0; i < N; i++)
		if (i != 3)
			assert_string_equal(names[i], cases[i][1]);
	free(names);
	/* What nothing tells apart without it keeps its whole path. */
	rows[0].path = "a/perf.data";
	rows[1].path = "a/perf.data.zst";
	names = LODE_RECORDING_NAMES(rows, 2, path);
	assert_string_equal(names[0], "a/perf.data");
	assert_string_equal(names[1], "a/perf.data.zst");
	free(names);
	free(lode_recording_names_in(NULL, 0, sizeof(*rows), 0));
}

/* The last `n` parts; all if there are fewer. */
static const char *last_parts(const char *path, int n)
{
	const char *at = path + strlen(path);

	while (at > path && (at[-1] != '/' || --n > 0))
		at--;
	return at;
}

static const char *shortest(const struct row *rows, size_t n, size_t i)
{
	for (int parts = 1;; parts++) {
		const char *name = last_parts(rows[i].path, parts);
		bool is_other = false;

		for (size_t k = 0; k < n; k++)
			is_other |= strcmp(rows[k].path, rows[i].path) != 0 &&
				    strcmp(last_parts(rows[k].path, parts), name) == 0;
		if (!is_other || name == rows[i].path)
			return name;
	}
}

static void as_a_search_finds_them(void **state)
{
	static const char *const parts[] = {"a", "b", "ba", "b.a"};
	struct test_random random = {31};

	(void)state;
	for (unsigned trial = 0; trial < 3000; trial++) {
		enum { MOST = 12 };
		size_t n = 1 + test_random_below(&random, MOST);
		char paths[MOST][64] = {{0}};
		struct row rows[MOST];
		char **names;

		for (size_t i = 0; i < n; i++) {
			size_t n_parts = 1 + test_random_below(&random, 4);

			for (size_t k = 0; k < n_parts; k++) {
				if (k)
					strcat(paths[i], "/");
				strcat(paths[i], parts[test_random_below(&random, 4)]);
			}
			rows[i] = (struct row){1, paths[i]};
		}
		names = LODE_RECORDING_NAMES(rows, n, path);
		for (size_t i = 0; i < n; i++)
			assert_string_equal(names[i], shortest(rows, n, i));
		free(names);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_and_different),
		cmocka_unit_test(as_a_search_finds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
