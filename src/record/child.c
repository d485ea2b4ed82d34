/* Runs a child process that ends with lode. */
#include "record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "record/parent_watch.h"

/* Starts argv in a child that writes to `output`; gives its pid. */
static pid_t start_child(const char *const *argv, int output)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	lode_end_with_parent(parent, SIGKILL);
	dup2(output, STDOUT_FILENO);
	execv(argv[0], (char *const *)argv); /* which does not write to them */
	fprintf(stderr, "lode: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int lode_child_read(char *output, size_t size, size_t *len, const char *const *argv,
		    struct lode_error *err)
{
	int ends[2], status;
	ssize_t n = 1;
	pid_t pid;

	*len = 0;
	if (pipe2(ends, O_CLOEXEC))
		return lode_fail_errno(err, errno, NULL, "cannot create a pipe");
	pid = start_child(argv, ends[1]);
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
		return lode_fail_errno(err, errno, argv[0], "cannot start it");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return lode_fail(err, LODE_ERR_IO, argv[0], -1, "%s %s ended with %s %d",
			 lode_path_base(argv[0]), argv[1],
			 WIFEXITED(status) ? "exit code" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}
