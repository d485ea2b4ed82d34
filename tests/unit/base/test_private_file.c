/* Who may read files with data of recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/atomic_file.h"
#include "base/private_file.h"
#include "scratch.h"

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void new_files_are_for_their_owner(void **state)
{
	struct scratch scratch;
	struct lode_error err;
	mode_t before = umask(0);
	const char *path;

	(void)state;
	scratch_make(&scratch);
	path = scratch_path(&scratch, "private");
	assert_int_equal(lode_private_create(path, &err), 0);
	assert_int_equal(mode_of(path), 0600);
	path = scratch_path(&scratch, "written");
	assert_int_equal(lode_atomic_write_private(path, "x", 1, &err), 0);
	assert_int_equal(mode_of(path), 0600);
	path = scratch_path(&scratch, "page");
	assert_int_equal(lode_atomic_write(path, "x", 1, &err), 0);
	assert_int_equal(mode_of(path), 0666);
	umask(before);
	scratch_remove(&scratch);
}

static void files_that_exist_keep_their_permissions(void **state)
{
	struct scratch scratch;
	struct lode_error err;
	const char *path;

	(void)state;
	scratch_make(&scratch);
	path = scratch_path(&scratch, "old");
	assert_int_equal(lode_atomic_write(path, "x", 1, &err), 0);
	assert_int_equal(chmod(path, 0664), 0);
	assert_int_equal(lode_atomic_write_private(path, "y", 1, &err), 0);
	assert_int_equal(mode_of(path), 0664);
	assert_int_equal(lode_private_create(path, &err), 0);
	assert_int_equal(mode_of(path), 0664);
	scratch_remove(&scratch);
}

/* A file that one group may read must not become readable to another when it is replaced. */
static void a_replaced_file_keeps_its_group(void **state)
{
	struct scratch scratch;
	struct lode_error err;
	struct stat st;
	const char *path;

	(void)state;
	if (geteuid() != 0)
		skip();
	scratch_make(&scratch);
	path = scratch_path(&scratch, "old");
	assert_int_equal(lode_atomic_write(path, "x", 1, &err), 0);
	assert_int_equal(chown(path, (uid_t)-1, 12345), 0);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(lode_atomic_write_private(path, "y", 1, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_gid, 12345);
	assert_int_equal(mode_of(path), 0640);
	scratch_remove(&scratch);
}

static void a_group_gets_all_that_is_in_a_folder(void **state)
{
	struct lode_readers readers = {.has_group = true, .group = getegid()}, none = {0};
	char folder[128], file[128], link[128], elsewhere[128];
	struct scratch scratch;
	struct lode_error err;

	(void)state;
	scratch_make(&scratch);
	snprintf(folder, sizeof(folder), "%s/a", scratch.dir);
	snprintf(file, sizeof(file), "%s/a/b", scratch.dir);
	snprintf(link, sizeof(link), "%s/a/link", scratch.dir);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", scratch.dir);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(lode_private_create(file, &err), 0);
	assert_int_equal(lode_private_create(elsewhere, &err), 0);
	assert_int_equal(symlink("../elsewhere", link), 0);
	assert_int_equal(lode_private_share(folder, &none, &err), 0);
	assert_int_equal(mode_of(file), 0600);
	assert_int_equal(lode_private_share(folder, &readers, &err), 0);
	assert_int_equal(mode_of(folder), 0750);
	assert_int_equal(mode_of(file), 0640);
	assert_int_equal(mode_of(elsewhere), 0600);
	scratch_remove(&scratch);
}

static void groups_are_looked_up(void **state)
{
	struct lode_readers readers = {0};
	struct lode_error err;
	char number[16];

	(void)state;
	assert_int_equal(lode_readers_set_group(&readers, "no-such-group", &err), LODE_ERR_ARG);
	assert_non_null(strstr(err.message, "no group 'no-such-group'"));
	assert_false(readers.has_group);
	snprintf(number, sizeof(number), "%u", (unsigned)getegid());
	assert_int_equal(lode_readers_set_group(&readers, number, &err), 0);
	assert_true(readers.has_group && readers.group == getegid());
}

static void what_sudo_makes_belongs_to_its_user(void **state)
{
	struct lode_readers readers = {0};

	(void)state;
	setenv("SUDO_UID", "1000", 1);
	setenv("SUDO_GID", "x", 1);
	lode_readers_take_sudo(&readers);
	assert_false(readers.has_owner);
	setenv("SUDO_GID", "100", 1);
	lode_readers_take_sudo(&readers);
	assert_int_equal(readers.has_owner, geteuid() == 0);
	assert_int_equal(readers.owner, geteuid() == 0 ? 1000 : 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_files_are_for_their_owner),
		cmocka_unit_test(files_that_exist_keep_their_permissions),
		cmocka_unit_test(a_replaced_file_keeps_its_group),
		cmocka_unit_test(a_group_gets_all_that_is_in_a_folder),
		cmocka_unit_test(groups_are_looked_up),
		cmocka_unit_test(what_sudo_makes_belongs_to_its_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
