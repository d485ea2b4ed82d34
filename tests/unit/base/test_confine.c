/* What a confined process may do, and what not: each tried from inside. */
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "scratch.h"

static bool may_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool may_connect(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The first thing that is not as it should be; 0: nothing; 77: the kernel lacks something. */
static int try_all(bool is_online)
{
	const char *const writable[] = {"in", "absent"};
	const char *const files[] = {"out/file", "out/absent"};
	char *const argv[] = {(char *)"true", NULL}, *const none[] = {NULL};
	char byte;
	int fd;

	if (!lode_confine(&(struct lode_confinement){.writable = writable,
						     .n_writable = 2,
						     .files = files,
						     .n_files = 2,
						     .removes_in = "removes",
						     .is_online = is_online}))
		return 77;
	if (!may_write("in/new") || !may_write("in/old"))
		return 1;
	if (!may_write("out/file") || may_write("out/absent") || unlink("out/file") == 0)
		return 8;
	if (may_write("removes/new") || may_write("removes/old") || unlink("removes/old") < 0)
		return 9;
	if (may_write("out/new") || may_write("out/old") || unlink("out/old") == 0)
		return 2;
	if (rename("out/old", "in/moved") == 0 || symlink("x", "out/link") == 0)
		return 3;
	fd = open("out/old", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &byte, 1) != 1)
		return 4;
	close(fd);
	if (may_connect() != is_online)
		return 5;
	execve("/bin/true", argv, none);
	if (errno != EPERM && errno != EACCES)
		return 6;
	if (!may_write("/dev/null"))
		return 7;
	return fork() == 0 ? (_exit(0), 0) : 0;
}

static int try_in_child(bool is_online)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit(try_all(is_online));
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void only_what_is_allowed_can_be_done(void **state)
{
	struct scratch *scratch = *state;

	for (int is_online = 0; is_online < 2; is_online++) {
		static const char *const names[] = {"in/old", "out/old", "out/file", "removes/old"};
		int wrong;

		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			FILE *out = fopen(scratch_path(scratch, "%s", names[i]), "w");

			fputs("text", out);
			fclose(out);
		}
		wrong = try_in_child(is_online);

		if (wrong == 77)
			skip();
		assert_int_equal(wrong, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_what_is_allowed_can_be_done, scratch_enter,
						scratch_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
