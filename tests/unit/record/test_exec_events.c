/* Each start of a program is told while that runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/title_watch.h"

static bool has_come(int fd, int32_t pid)
{
	int32_t pids[3];
	size_t n = lode_exec_events_read(fd, pids, 3);

	for (size_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void test_a_program_s_start_is_told(void **state)
{
	int fd = lode_exec_events_open();
	struct pollfd events = {.fd = fd, .events = POLLIN};

	(void)state;
	if (fd < 0)
		skip();
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl("/bin/sleep", "sleep", "600", NULL);
			_exit(1);
		}
		while (!has_come(fd, pid))
			assert_int_equal(poll(&events, 1, 600000), 1);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_program_s_start_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
