#include "recorder/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

/* Starts argv in a child with the signal mask `mask`; gives its pid. */
static pid_t start(const char *const *argv, const sigset_t *mask, int output)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (mask)
		sigprocmask(SIG_SETMASK, mask, NULL);
	if (output >= 0)
		dup2(output, STDOUT_FILENO);
	execv(argv[0], (char *const *)argv); /* which does not write to them */
	fprintf(stderr, "lode: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Waits for one of `set` or the deadline; gives the signal's number, 0 at the deadline. */
static int wait_for_signal(const sigset_t *set, int64_t deadline_ns)
{
	struct timespec left;
	int64_t left_ns;
	int signum;

	if (deadline_ns == INT64_MAX)
		return sigwaitinfo(set, NULL);
	left_ns = deadline_ns - lode_clock_ns(CLOCK_MONOTONIC);
	if (left_ns < 0)
		left_ns = 0;
	left.tv_sec = left_ns / 1000000000;
	left.tv_nsec = left_ns % 1000000000;
	signum = sigtimedwait(set, NULL, &left);
	return signum < 0 && errno == EAGAIN ? 0 : signum;
}

static int run(int *status, bool *was_stopped, const char *const *argv, int64_t duration_ns,
	       int output, struct lode_error *err)
{
	int64_t deadline_ns =
		duration_ns > 0 ? lode_clock_ns(CLOCK_MONOTONIC) + duration_ns : INT64_MAX;
	sigset_t set, before;
	pid_t pid;
	int rc = 0;

	*was_stopped = false;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	/* Blocked before the child is there: its end must not go unnoticed. */
	sigprocmask(SIG_BLOCK, &set, &before);
	pid = start(argv, &before, output);
	if (pid < 0)
		rc = lode_fail_errno(err, errno, argv[0], "starting it");
	while (rc == 0) {
		pid_t ended = waitpid(pid, status, WNOHANG);
		int signum;

		if (ended == pid)
			break;
		signum = wait_for_signal(&set, deadline_ns);
		if (signum < 0 || signum == SIGCHLD)
			continue;
		if (signum == 0)
			deadline_ns = INT64_MAX;
		*was_stopped = true;
		kill(pid, SIGINT);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

int lode_child_run(int *status, bool *was_stopped, const char *const *argv, int64_t duration_ns,
		   struct lode_error *err)
{
	return run(status, was_stopped, argv, duration_ns, -1, err);
}

int lode_child_run_quietly(int *status, bool *was_stopped, const char *const *argv,
			   struct lode_error *err)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC), rc;

	if (nowhere < 0)
		return lode_fail_errno(err, errno, "/dev/null", "cannot open");
	rc = run(status, was_stopped, argv, 0, nowhere, err);
	close(nowhere);
	return rc;
}

int lode_child_read(char *output, size_t size, size_t *len, const char *const *argv,
		    struct lode_error *err)
{
	int ends[2], status;
	ssize_t n = 1;
	pid_t pid;

	*len = 0;
	if (pipe2(ends, O_CLOEXEC))
		return lode_fail_errno(err, errno, NULL, "making a pipe");
	pid = start(argv, NULL, ends[1]);
	close(ends[1]);
	while (pid > 0 && *len < size && n > 0) {
		n = read(ends[0], output + *len, size - *len);
		if (n > 0)
			*len += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	close(ends[0]);
	if (pid < 0)
		return lode_fail_errno(err, errno, argv[0], "starting it");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return lode_fail(err, LODE_ERR_IO, argv[0], -1, "it failed (status 0x%x)",
				 (unsigned)status);
	return 0;
}
