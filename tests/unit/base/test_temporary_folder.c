/* base/temporary_folder.h: what the dead left goes; what is alive, of others, or not lode's stays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/temporary_folder.h"

static char parent[64];

static int make_parent(void **state)
{
	(void)state;
	snprintf(parent, sizeof(parent), "/tmp/lode-test-temporary-XXXXXX");
	return mkdtemp(parent) && setenv("TMPDIR", parent, 1) == 0 ? 0 : -1;
}

static int remove_parent(void **state)
{
	(void)state;
	return rmdir(parent); /* fails if anything was left */
}

static const char *in_parent(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", parent, name);
	return path;
}

static void put_file(const char *folder, const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs("content", file);
	assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Makes one and removes it: whatever that sweeps away is gone. */
static void let_somebody_come(void)
{
	struct lode_error err;
	char *path;
	int lock;

	assert_int_equal(lode_temporary_folder_make(&path, &lock, &err), 0);
	lode_temporary_folder_remove(path, lock);
}

static void age(const char *path)
{
	struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void a_folder_goes_with_all_that_is_in_it(void **state)
{
	struct lode_error err;
	char *path, inner[512];
	struct stat st;
	int lock;

	(void)state;
	assert_int_equal(lode_temporary_folder_make(&path, &lock, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	put_file(path, "page.html");
	snprintf(inner, sizeof(inner), "%s/inner", path);
	assert_int_equal(mkdir(inner, 0700), 0);
	put_file(inner, "file");
	lode_temporary_folder_remove(path, lock);
	lode_temporary_folder_remove(NULL, -1);
}

/* A process that has made one and lives; gives its path. */
static pid_t start_owner(char *path, size_t size)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		char *made;
		int lock;

		if (lode_temporary_folder_make(&made, &lock, NULL) < 0)
			_exit(1);
		put_file(made, "file");
		if (write(ends[1], made, strlen(made) + 1) > 0)
			pause();
		_exit(1);
	}
	assert_true(read(ends[0], path, size) > 0);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void end_owner(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void what_a_killed_process_left_goes_and_what_lives_stays(void **state)
{
	char a[256], b[256];
	pid_t first = start_owner(a, sizeof(a)), second = start_owner(b, sizeof(b));

	(void)state;
	end_owner(first);
	assert_true(is_there(a));
	let_somebody_come();
	assert_false(is_there(a));
	assert_true(is_there(b));
	end_owner(second);
	let_somebody_come();
	assert_false(is_there(b));
}

/* Kinds of things that carry the name and are not a dead lode's. */
static void what_is_not_lodes_stays(void **state)
{
	char outside[64] = "/tmp/lode-test-outside-XXXXXX", path[512];

	(void)state;
	assert_non_null(mkdtemp(outside));
	put_file(outside, ".lode-temporary");
	put_file(outside, "precious");

	/* A link to a folder that looks like one. */
	assert_int_equal(symlink(outside, in_parent("lode-tmp-linked")), 0);
	/* Somebody's own folder, without the mark and old. */
	assert_int_equal(mkdir(in_parent("lode-tmp-folder"), 0700), 0);
	put_file(in_parent("lode-tmp-folder"), "precious");
	age(in_parent("lode-tmp-folder"));
	/* One that others may write to. */
	assert_int_equal(mkdir(in_parent("lode-tmp-open"), 0700), 0);
	assert_int_equal(chmod(in_parent("lode-tmp-open"), 0770), 0);
	put_file(in_parent("lode-tmp-open"), ".lode-temporary");
	/* A mark that is a link. */
	assert_int_equal(mkdir(in_parent("lode-tmp-mark"), 0700), 0);
	snprintf(path, sizeof(path), "%s/.lode-temporary", in_parent("lode-tmp-mark"));
	assert_int_equal(symlink(outside, path), 0);
	/* Empty, and perhaps being made right now. */
	assert_int_equal(mkdir(in_parent("lode-tmp-young"), 0700), 0);
	let_somebody_come();
	assert_true(is_there(in_parent("lode-tmp-linked")));
	assert_true(is_there(in_parent("lode-tmp-folder")));
	assert_true(is_there(in_parent("lode-tmp-open")));
	assert_true(is_there(in_parent("lode-tmp-mark")));
	assert_true(is_there(in_parent("lode-tmp-young")));
	age(in_parent("lode-tmp-young"));
	let_somebody_come();
	assert_false(is_there(in_parent("lode-tmp-young")));

	/* A link inside of one that goes: it is removed, and not what it leads to. */
	assert_int_equal(mkdir(in_parent("lode-tmp-dead"), 0700), 0);
	put_file(in_parent("lode-tmp-dead"), ".lode-temporary");
	snprintf(path, sizeof(path), "%s/away", in_parent("lode-tmp-dead"));
	assert_int_equal(symlink(outside, path), 0);
	let_somebody_come();
	assert_false(is_there(in_parent("lode-tmp-dead")));
	snprintf(path, sizeof(path), "%s/precious", outside);
	assert_true(is_there(path));

	unlink(path);
	snprintf(path, sizeof(path), "%s/.lode-temporary", outside);
	unlink(path);
	assert_int_equal(rmdir(outside), 0);
	unlink(in_parent("lode-tmp-linked"));
	snprintf(path, sizeof(path), "%s/precious", in_parent("lode-tmp-folder"));
	unlink(path);
	rmdir(in_parent("lode-tmp-folder"));
	snprintf(path, sizeof(path), "%s/.lode-temporary", in_parent("lode-tmp-open"));
	unlink(path);
	rmdir(in_parent("lode-tmp-open"));
	snprintf(path, sizeof(path), "%s/.lode-temporary", in_parent("lode-tmp-mark"));
	unlink(path);
	rmdir(in_parent("lode-tmp-mark"));
}

static void files_go_when_nobody_writes_them(void **state)
{
	int dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, other;

	(void)state;
	put_file(parent, "a");
	fd = open(in_parent("a"), O_RDONLY | O_CLOEXEC);
	assert_true(lode_temporary_lock(fd));
	other = open(in_parent("a"), O_RDONLY | O_CLOEXEC);
	assert_false(lode_temporary_lock(other));
	close(other);
	age(in_parent("a"));
	lode_temporary_file_sweep(dir, "a");
	assert_true(is_there(in_parent("a"))); /* locked */
	close(fd);
	put_file(parent, "b");
	lode_temporary_file_sweep(dir, "a");
	lode_temporary_file_sweep(dir, "b");
	assert_false(is_there(in_parent("a")));
	assert_false(is_there(in_parent("b"))); /* young */
	close(dir);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
	struct lode_error err;
	char *path;
	int lock;

	(void)state;
	setenv("TMPDIR", "/tmp/lode-no-such-folder", 1);
	assert_int_equal(lode_temporary_folder_make(&path, &lock, &err), LODE_ERR_IO);
	assert_null(path);
	assert_string_equal(err.path, "/tmp/lode-no-such-folder");
	setenv("TMPDIR", parent, 1);
}

/* The process ends in the middle of its work: two are made, one of them is removed before. */
static void want_of_memory_leaves_no_folder(void **state)
{
	struct lode_error err;
	char *paths[3];
	int locks[3], status;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		for (int i = 0; i < 3; i++) {
			if (lode_temporary_folder_make(&paths[i], &locks[i], &err) < 0)
				_exit(1);
			put_file(paths[i], "index");
		}
		lode_temporary_folder_remove(paths[1], locks[1]);
		lode_oom(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 4);
	assert_int_equal(rmdir(parent), 0); /* nothing is in it */
	assert_int_equal(mkdir(parent, 0700), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_goes_with_all_that_is_in_it),
		cmocka_unit_test(what_a_killed_process_left_goes_and_what_lives_stays),
		cmocka_unit_test(what_is_not_lodes_stays),
		cmocka_unit_test(files_go_when_nobody_writes_them),
		cmocka_unit_test(a_folder_that_is_not_there_is_named),
		cmocka_unit_test(want_of_memory_leaves_no_folder),
	};

	return cmocka_run_group_tests(tests, make_parent, remove_parent);
}
