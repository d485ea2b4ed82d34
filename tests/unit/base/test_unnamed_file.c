/* base/unnamed_file.h: what is written is read back, nothing is left behind, and faults are said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unnamed_file.h"
#include "random.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/lode-test-unnamed-XXXXXX");
	return mkdtemp(folder) && setenv("TMPDIR", folder, 1) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder); /* fails if anything was left */
}

static void pieces_are_read_back_in_any_order(void **state)
{
	enum { n_bytes = 20000 };
	static uint8_t truth[n_bytes], got[n_bytes];

	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct test_random random = {seed};
		struct lode_error err;
		int fd;

		assert_int_equal(lode_unnamed_file_open(&fd, &err), LODE_OK);
		memset(truth, 0, sizeof(truth));
		assert_int_equal(lode_unnamed_file_write(fd, truth, n_bytes, 0, &err), LODE_OK);
		for (unsigned i = 0; i < 100; i++) {
			size_t at = test_random_below(&random, n_bytes);
			size_t size = test_random_below(&random, (uint32_t)(n_bytes - at) + 1);

			for (size_t k = at; k < at + size; k++)
				truth[k] = (uint8_t)test_random_below(&random, 256);
			assert_int_equal(lode_unnamed_file_write(fd, truth + at, size, (int64_t)at,
								 &err),
					 LODE_OK);
			at = test_random_below(&random, n_bytes);
			size = test_random_below(&random, (uint32_t)(n_bytes - at) + 1);
			assert_int_equal(lode_unnamed_file_read(fd, got, size, (int64_t)at, &err),
					 LODE_OK);
			if (memcmp(got, truth + at, size) != 0)
				fail_msg("seed %llu: other bytes", (unsigned long long)seed);
		}
		close(fd);
	}
}

static void the_file_is_in_tmpdir_without_a_name_and_private(void **state)
{
	struct stat file, place;
	struct lode_error err;
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir;
	int fd;

	(void)state;
	assert_int_equal(lode_unnamed_file_open(&fd, &err), LODE_OK);
	assert_int_equal(fstat(fd, &file), 0);
	assert_int_equal(stat(folder, &place), 0);
	assert_true(file.st_dev == place.st_dev);
	assert_int_equal(file.st_nlink, 0);
	assert_int_equal(file.st_mode & 0777, 0600);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	assert_int_equal(n, 0);
	close(fd);
}

static void without_tmpdir_it_is_in_var_tmp(void **state)
{
	struct stat file, place;
	int fd;

	(void)state;
	if (stat("/var/tmp", &place) != 0)
		skip();
	setenv("TMPDIR", "", 1);
	assert_int_equal(lode_unnamed_file_open(&fd, NULL), LODE_OK);
	setenv("TMPDIR", folder, 1);
	assert_int_equal(fstat(fd, &file), 0);
	assert_true(file.st_dev == place.st_dev);
	close(fd);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
	struct lode_error err;
	char path[128], words[2048];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/none", folder);
	setenv("TMPDIR", path, 1);
	assert_int_equal(lode_unnamed_file_open(&fd, &err), LODE_ERR_IO);
	setenv("TMPDIR", folder, 1);
	assert_int_equal(fd, -1);
	lode_error_text(&err, words, sizeof(words));
	assert_non_null(strstr(words, path));
	assert_non_null(strstr(words, "No such file"));
}

static void a_disk_that_is_full_is_an_error(void **state)
{
	struct rlimit old, small = {4096, 4096};
	char bytes[8192] = {1};
	struct lode_error err;
	int fd;

	(void)state;
	assert_int_equal(lode_unnamed_file_open(&fd, &err), LODE_OK);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(lode_unnamed_file_write(fd, bytes, sizeof(bytes), 0, &err), LODE_ERR_IO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_non_null(strstr(err.message, "TMPDIR"));
	close(fd);
}

static void reading_beyond_the_end_is_an_error(void **state)
{
	char bytes[16] = {0};
	struct lode_error err;
	int fd;

	(void)state;
	assert_int_equal(lode_unnamed_file_open(&fd, &err), LODE_OK);
	assert_int_equal(lode_unnamed_file_write(fd, bytes, 10, 0, &err), LODE_OK);
	assert_int_equal(lode_unnamed_file_read(fd, bytes, 11, 0, &err), LODE_ERR_IO);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_read_back_in_any_order),
		cmocka_unit_test(the_file_is_in_tmpdir_without_a_name_and_private),
		cmocka_unit_test(without_tmpdir_it_is_in_var_tmp),
		cmocka_unit_test(a_folder_that_is_not_there_is_named),
		cmocka_unit_test(a_disk_that_is_full_is_an_error),
		cmocka_unit_test(reading_beyond_the_end_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
