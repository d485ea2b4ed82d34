/* A confined command works on its repository as before, and writes nowhere else. */
#include "store/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/unnamed_file.h"
#include "scratch.h"
#include "store/repo.h"

static bool may_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool may_run(void)
{
	char *const argv[] = {(char *)"true", NULL}, *const none[] = {NULL};

	execve("/bin/true", argv, none);
	return errno != EPERM && errno != EACCES;
}

static bool put_much(struct lode_repo *repo)
{
	static char note[200000];
	struct lode_repo_signature signature = {.state = "active", .note = note};
	struct lode_error err;
	char name[20];

	memset(note, 'x', sizeof(note) - 1);
	for (int i = 0; i < 30; i++) {
		signature.id = 0;
		snprintf(name, sizeof(name), "%d of %d", i, (int)getpid());
		signature.name = name;
		if (lode_repo_put_signatures(repo, &signature, 1, &err) < 0)
			return false;
	}
	return true;
}

/* As lode import does it. The first thing that is wrong; 0: nothing; 77: the kernel lacks it. */
static int try_import(const char *path)
{
	struct lode_command_rights rights = {.repo = path};
	struct lode_repo *repo;
	struct lode_error err;
	int fd;

	if (!lode_command_confine(&rights))
		return 77;
	if (lode_repo_open(&repo, path, LODE_REPO_CREATE, &err) < 0)
		return 1;
	rights.is_repo_open = true;
	if (!lode_command_confine(&rights))
		return 2;
	if (may_write("repos/new") || may_write("repos/other") || may_write("elsewhere/new"))
		return 3;
	if (may_write("repos/below/other") || mkdir("repos/folder", 0700) == 0)
		return 4;
	if (rename("tmp/x", "repos/moved") == 0 || symlink("x", "repos/link") == 0)
		return 5;
	if (socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0 || may_run())
		return 6;
	if (lode_unnamed_file_open(&fd, &err) < 0)
		return 7;
	close(fd);
	if (!put_much(repo))
		return 8;
	lode_repo_close(repo);
	return access("repos/r.lode-wal", F_OK) == 0 ? 9 : 0;
}

/* A new repository, one that is there, and one by a link from elsewhere. */
static void an_import_writes_its_repository_alone(void **state)
{
	static const char *const paths[] = {"repos/r.lode", "repos/r.lode", "links/r.lode"};
	static const char *const files[] = {"repos/other", "repos/below/other", "elsewhere/x",
					    "tmp/x", "links/x"};
	struct scratch *scratch = *state;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		fclose(fopen(scratch_path(scratch, "%s", files[i]), "w"));
	assert_int_equal(symlink("../repos/r.lode", scratch_path(scratch, "links/r.lode")), 0);
	setenv("TMPDIR", scratch_path(scratch, "tmp"), 1);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		pid_t child = fork();
		int status = 0;

		if (child == 0)
			_exit(try_import(paths[i]));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			skip();
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

/* A cache folder that is not there yet is made before it no longer can be. */
static void caches_can_be_made(void **state)
{
	pid_t child = fork();
	int status = 0;

	(void)state;
	if (child == 0) {
		const struct lode_command_rights rights = {.has_caches = true};

		unsetenv("XDG_CACHE_HOME");
		(void)mkdir("home", 0700);
		setenv("HOME", "home", 1);
		if (!lode_command_confine(&rights))
			_exit(77);
		_exit(may_write("home/.cache/new") && !may_write("home/new") ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_import_writes_its_repository_alone,
						scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(caches_can_be_made, scratch_enter, scratch_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
