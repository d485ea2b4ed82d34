/* Runs the user's command at events without waiting for it. */
#include "answers/pio/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The text as a file that can be read from its start; -1: failed. */
static int text_file(const char *text, size_t size)
{
	int fd = memfd_create("lode-hook", MFD_CLOEXEC);
	size_t n = 0;

	while (fd >= 0 && n < size) {
		ssize_t rc = write(fd, text + n, size - n);

		if (rc < 0 && errno == EINTR)
			continue;
		if (rc <= 0) {
			close(fd);
			return -1;
		}
		n += (size_t)rc;
	}
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The process' environment with the variables over it; to be freed, its texts not. */
static char **environment(const char *const *variables)
{
	size_t n = 0, n_more = 0, used = 0;
	char **all;

	while (environ[n])
		n++;
	while (variables[n_more])
		n_more++;
	all = lode_alloc0(n + n_more + 1, sizeof(*all));
	for (size_t i = 0; i < n_more; i++)
		all[used++] = (char *)(uintptr_t)variables[i];
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < n_more &&
		       strncmp(environ[i], variables[k], strcspn(variables[k], "=") + 1) != 0)
			k++;
		if (k == n_more)
			all[used++] = environ[i];
	}
	return all;
}

int lode_hook_run(struct lode_hook *hook, const char *const *variables, const char *text,
		  size_t size, struct lode_error *err)
{
	char shell[] = "sh", flag[] = "-c";
	char *argv[] = {shell, flag, (char *)(uintptr_t)hook->command, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	char **env;
	pid_t pid;
	int fd, rc;

	lode_hook_reap(hook);
	if (hook->running.n >= LODE_HOOK_MOST) {
		hook->n_left_out++;
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
				 "%d runs of the hook are still active: not run for this event",
				 LODE_HOOK_MOST);
	}
	fd = text_file(text, size);
	if (fd < 0)
		return lode_fail_errno(err, errno, NULL, "cannot store the hook's input");
	env = environment(variables);
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGINT);
	sigaddset(&usual, SIGTERM);
	sigaddset(&usual, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	/* A group of its own: Ctrl-C ends the watch, not what it has started. */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	rc = posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv, env);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	close(fd);
	free(env);
	if (rc)
		return lode_fail_errno(err, rc, NULL, "cannot run the hook");
	lode_vec_append(&hook->running, pid);
	return LODE_OK;
}

void lode_hook_reap(struct lode_hook *hook)
{
	size_t kept = 0;

	for (size_t i = 0; i < hook->running.n; i++) {
		int status;
		pid_t pid = waitpid(hook->running.at[i], &status, WNOHANG);

		if (pid == 0)
			hook->running.at[kept++] = hook->running.at[i];
		else if (pid > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
			hook->n_failed++;
	}
	hook->running.n = kept;
}

void lode_hook_release(struct lode_hook *hook)
{
	lode_vec_release(&hook->running);
}
