/* base/atomic_file.h: whole or not at all, through links, and as it is where it is no file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>

#include "scratch.h"
#include "base/atomic_file.h"

static void check_content(const char *path, const char *content)
{
	size_t size;
	char *data = scratch_read(path, &size);

	assert_non_null(data);
	assert_int_equal(size, strlen(content));
	assert_memory_equal(data, content, size);
	free(data);
}

static void write_text(const char *path, const char *text)
{
	struct lode_error err;

	if (lode_atomic_write(path, text, strlen(text), &err) < 0)
		fail_msg("%s", err.message);
}

static int count_entries(const char *folder)
{
	DIR *dir = opendir(folder);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void test_what_was_there_goes_when_the_new_is_whole(void **state)
{
	struct lode_atomic_file *file;
	struct stat before, after;

	(void)state;
	write_text("f", "old");
	assert_int_equal(chmod("f", 0640), 0);
	assert_int_equal(stat("f", &before), 0);
	assert_int_equal(lode_atomic_open(&file, "f", NULL), 0);
	assert_int_equal(lode_atomic_write_at(file, "ew", 2, 1, NULL), 0);
	assert_int_equal(lode_atomic_write_at(file, "n", 1, 0, NULL), 0);
	check_content("f", "old");
	assert_int_equal(lode_atomic_commit(file, NULL), 0);
	check_content("f", "new");
	assert_int_equal(stat("f", &after), 0);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_equal(lode_atomic_open(&file, "f", NULL), 0);
	assert_int_equal(lode_atomic_write_at(file, "x", 1, 0, NULL), 0);
	lode_atomic_abandon(file);
	check_content("f", "new");
	assert_int_equal(count_entries("."), 1);
}

static void test_links_stay_and_lead_to_the_new(void **state)
{
	struct stat st;

	scratch_path(*state, "a/b/made");
	assert_int_equal(symlink("b/x", "a/one"), 0);
	assert_int_equal(symlink("a/one", "two"), 0);
	write_text("two", "first");
	check_content("a/b/x", "first");
	write_text("two", "second");
	check_content("a/b/x", "second");
	assert_int_equal(lstat("two", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat("a/one", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(count_entries("a/b"), 1);
	/* In a circle nothing can be made. */
	assert_int_equal(symlink("circle", "circle"), 0);
	write_text("circle", "no circle any more");
}

static void test_hard_links_keep_the_old(void **state)
{
	(void)state;
	write_text("f", "old");
	assert_int_equal(link("f", "other"), 0);
	write_text("f", "new");
	check_content("other", "old");
}

/* The pipe is large enough for what is written before it is read. */
static void test_what_is_no_file_is_written_as_it_is(void **state)
{
	struct lode_atomic_file *file;
	struct stat st;
	char got[8];
	int fd;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0644), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(lode_atomic_open(&file, "pipe", NULL), 0);
	assert_int_equal(lode_atomic_write_at(file, "ab", 2, 0, NULL), 0);
	assert_int_equal(lode_atomic_write_at(file, "cd", 2, 2, NULL), 0);
	/* Not back to what has gone. */
	assert_int_equal(lode_atomic_write_at(file, "x", 1, 0, NULL), LODE_ERR_IO);
	assert_int_equal(lode_atomic_commit(file, NULL), 0);
	assert_int_equal(read(fd, got, sizeof(got)), 4);
	assert_memory_equal(got, "abcd", 4);
	close(fd);
	assert_int_equal(lstat("pipe", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	write_text("/dev/null", "gone");
	assert_int_equal(lstat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

/* What the file has already, by whoever opened it, stays before it. */
static void test_standard_output_is_written_behind_what_is_there(void **state)
{
	char path[40];
	int fd;

	(void)state;
	fd = open("out", O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "one ", 4), 4);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	write_text(path, "two");
	check_content("out", "one two");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_enter, scratch_leave)
		TEST(test_what_was_there_goes_when_the_new_is_whole),
		TEST(test_links_stay_and_lead_to_the_new),
		TEST(test_hard_links_keep_the_old),
		TEST(test_what_is_no_file_is_written_as_it_is),
		TEST(test_standard_output_is_written_behind_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
