#include "recorder/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/parent_watch.h"

/* Starts argv in a child with the signal mask `mask`; gives its pid. */
static pid_t start(const char *const *argv, const sigset_t *mask, int output)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	lode_end_with_parent(parent, SIGKILL);
	if (mask)
		sigprocmask(SIG_SETMASK, mask, NULL);
	if (output >= 0)
		dup2(output, STDOUT_FILENO);
	execv(argv[0], (char *const *)argv); /* which does not write to them */
	fprintf(stderr, "lode: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int lode_child_run_quietly(int *status, bool *was_stopped, const char *const *argv,
			   struct lode_error *err)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC), rc = 0;
	sigset_t set, before;
	pid_t pid;

	if (nowhere < 0)
		return lode_fail_errno(err, errno, "/dev/null", "cannot open");
	*was_stopped = false;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	/* Blocked before the child is there: its end must not go unnoticed. */
	sigprocmask(SIG_BLOCK, &set, &before);
	pid = start(argv, &before, nowhere);
	close(nowhere);
	if (pid < 0)
		rc = lode_fail_errno(err, errno, argv[0], "starting it");
	while (rc == 0) {
		pid_t ended = waitpid(pid, status, WNOHANG);
		int signum;

		if (ended == pid)
			break;
		signum = sigwaitinfo(&set, NULL);
		if (signum < 0 || signum == SIGCHLD)
			continue;
		*was_stopped = true;
		kill(pid, SIGINT);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
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
