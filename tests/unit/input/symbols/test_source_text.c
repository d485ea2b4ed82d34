/* Source text below folders that are named: which file a recorded path is, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "scratch.h"
#include "base/folder.h"
#include "input/symbols/source_text.h"

struct tree {
	struct scratch scratch;
	char *a, *b;
};

static char *below(const struct tree *tree, const char *name)
{
	return lode_path_join(tree->scratch.dir, name);
}

static void put_file(const struct tree *tree, const char *name, const char *text)
{
	char *path = below(tree, name);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	free(path);
}

static void put_folder(const struct tree *tree, const char *name)
{
	char *path = below(tree, name);

	assert_int_equal(mkdir(path, 0700), 0);
	free(path);
}

static void put_link(const struct tree *tree, const char *name, const char *target)
{
	char *path = below(tree, name);

	assert_int_equal(symlink(target, path), 0);
	free(path);
}

static int set_up(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	assert_non_null(tree);
	scratch_make(&tree->scratch);
	put_folder(tree, "a");
	put_folder(tree, "a/src");
	put_folder(tree, "a/src/deep");
	put_folder(tree, "a/x.h");
	put_folder(tree, "b");
	put_folder(tree, "private");
	put_file(tree, "private/settings.py", "SECRET_KEY = 1\n");
	put_file(tree, "a/main.c", "a/main\n");
	put_file(tree, "a/src/main.c", "a/src/main\n");
	put_file(tree, "a/src/deep/d.c", "one\r\ntwo\nlast");
	put_file(tree, "a/nul.c", "");
	put_file(tree, "b/main.c", "b/main\n");
	put_file(tree, "b/only.c", "b/only\n");
	put_file(tree, "a/notes.txt", "no source\n");
	put_link(tree, "a/inside.c", "src/main.c");
	put_link(tree, "a/settings.py", "../private/settings.py");
	put_link(tree, "a/out", "../private");
	tree->a = below(tree, "a");
	tree->b = below(tree, "b");
	*state = tree;
	return 0;
}

static int tear_down(void **state)
{
	struct tree *tree = *state;

	scratch_remove(&tree->scratch);
	free(tree->a);
	free(tree->b);
	free(tree);
	return 0;
}

/* The text of a recorded file, or what is said instead. */
static const char *load(const struct tree *tree, const char *file)
{
	static char shown[200];
	const char *const at[] = {tree->a, tree->b};
	const struct lode_source_dirs dirs = {at, 2};
	struct lode_source_text text;
	struct lode_error err;

	if (lode_source_text_load(&text, &dirs, file, &err) < 0) {
		assert_null(text.bytes);
		assert_null(text.path);
		snprintf(shown, sizeof(shown), "%.199s", err.message);
		return shown;
	}
	snprintf(shown, sizeof(shown), "%.*s", (int)text.n_bytes, text.bytes);
	lode_source_text_release(&text);
	return shown;
}

static void the_longest_end_of_the_path_counts(void **state)
{
	const struct tree *tree = *state;

	assert_string_equal(load(tree, "/build/app/src/main.c"), "a/src/main\n");
	assert_string_equal(load(tree, "src/main.c"), "a/src/main\n");
	assert_string_equal(load(tree, "/build/./app/src//deep/../main.c"), "a/src/main\n");
	assert_string_equal(load(tree, "/build/lib/main.c"), "a/main\n");
	assert_string_equal(load(tree, "/build/app/only.c"), "b/only\n");
	assert_string_equal(load(tree, "/../../../main.c"), "a/main\n");
	assert_string_equal(load(tree, "/build/inside.c"), "a/src/main\n");
	assert_non_null(strstr(load(tree, "/build/none.c"), "not found below"));
}

static void lines_have_no_ends(void **state)
{
	const struct tree *tree = *state;
	const struct lode_source_dirs dirs = {(const char *const[]){tree->a}, 1};
	struct lode_source_text text;
	size_t n;

	assert_int_equal(lode_source_text_load(&text, &dirs, "/x/deep/d.c", NULL), LODE_ERR_IO);
	assert_int_equal(lode_source_text_load(&text, &dirs, "/x/src/deep/d.c", NULL), LODE_OK);
	assert_memory_equal(lode_source_text_line(&text, 1, &n), "one", 3);
	assert_int_equal(n, 3);
	assert_memory_equal(lode_source_text_line(&text, 3, &n), "last", 4);
	assert_int_equal(n, 4);
	assert_null(lode_source_text_line(&text, 0, &n));
	assert_null(lode_source_text_line(&text, 4, &n));
	lode_source_text_release(&text);
}

static void nothing_outside_is_read(void **state)
{
	const struct tree *tree = *state;
	char absolute[PATH_MAX];

	snprintf(absolute, sizeof(absolute), "%s/private/settings.py", tree->scratch.dir);
	assert_non_null(strstr(load(tree, absolute), "leaves the folder"));
	assert_non_null(strstr(load(tree, "/out/settings.py"), "leaves the folder"));
	assert_non_null(strstr(load(tree, "/src/../../private/settings.py"), "leaves the folder"));
	put_link(tree, "a/loop.c", "loop.c");
	assert_null(strstr(load(tree, "/loop.c"), "SECRET"));
}

static void only_text_files_are_read(void **state)
{
	const struct tree *tree = *state;
	char *fifo = below(tree, "a/fifo.c"), *nul = below(tree, "a/nul.c"),
	     *large = below(tree, "a/large.c");
	FILE *out = fopen(nul, "w");

	assert_non_null(out);
	fwrite("a\0b", 1, 3, out);
	fclose(out);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	put_file(tree, "a/large.c", "x");
	assert_int_equal(truncate(large, (off_t)LODE_SOURCE_BYTES + 1), 0);
	assert_string_equal(load(tree, "/fifo.c"), "not a regular file: not shown");
	assert_string_equal(load(tree, "/x.h"), "not a regular file: not shown");
	assert_string_equal(load(tree, "/nul.c"), "not text: not shown");
	assert_string_equal(load(tree, "/large.c"), "larger than 16 MiB: not shown");
	assert_string_equal(load(tree, "/notes.txt"), "not the name of a source file: not shown");
	assert_string_equal(load(tree, "/.."), "not the name of a source file: not shown");
	assert_string_equal(load(tree, ""), "not the name of a source file: not shown");
	free(fifo);
	free(nul);
	free(large);
}

static void without_folders_there_is_none(void **state)
{
	const struct lode_source_dirs none = {0};
	const char *missing = "/no/such/folder";
	struct lode_source_text text;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_source_text_load(&text, &none, "/x.c", &err), LODE_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "--source-dir"));
	assert_int_equal(lode_source_dirs_check(&(struct lode_source_dirs){&missing, 1}, &err),
			 LODE_ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_end_of_the_path_counts),
		cmocka_unit_test(lines_have_no_ends),
		cmocka_unit_test(nothing_outside_is_read),
		cmocka_unit_test(only_text_files_are_read),
		cmocka_unit_test(without_folders_there_is_none),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
