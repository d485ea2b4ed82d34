/* The program's entry. */
#include <errno.h>
#include <lode/lode.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/memory_bound.h"
#include "base/memory_limit.h"
#include "tool/command.h"
#include "tool/help.h"
#include "tool/terminal.h"

static int usage_of_unknown(const char *name)
{
	const char *close = lode_command_closest(name);
	char safe[80];

	lode_escape_fit(safe, sizeof(safe), name, 60);
	if (name[0] == '-')
		fprintf(stderr,
			"lode: unknown option %s: options of a command follow its name\n"
			"Try 'lode --help'.\n",
			safe);
	else if (close)
		fprintf(stderr, "lode: unknown command '%s'; did you mean 'lode %s'?\n", safe,
			close);
	else
		fprintf(stderr,
			"lode: unknown command '%s'\n"
			"Try 'lode --help'.\n",
			safe);
	return LODE_EXIT_USAGE;
}

/* A command, or an option that stands alone. */
static int run_word(int argc, char **argv)
{
	static char help[] = "--help";
	const struct lode_command *command = lode_command_find(argv[0]);

	if (command) {
		lode_memory_keep_to(lode_memory_budget(0));
		return command->run(command, argc - 1, argv + 1);
	}
	if (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0) {
		printf("lode %s\n", lode_version());
		return LODE_EXIT_OK;
	}
	if (strcmp(argv[0], "--help") != 0 && strcmp(argv[0], "-h") != 0)
		return usage_of_unknown(argv[0]);
	command = argc > 1 ? lode_command_find(argv[1]) : NULL;
	if (command) /* lode --help COMMAND */
		return command->run(command, 1, (char *[]){help, NULL});
	lode_help_overview(stdout);
	return LODE_EXIT_OK;
}

static int run_main(int argc, char **argv)
{
	struct lode_error err;
	int n = lode_common_options_take(argc - 1, argv + 1, &err);

	if (n < 0) {
		fprintf(stderr, "lode: %s\nTry 'lode --help'.\n", err.message);
		return LODE_EXIT_USAGE;
	}
	if (n + 1 >= argc) {
		lode_help_overview(stderr);
		return LODE_EXIT_USAGE;
	}
	return run_word(argc - 1 - n, argv + 1 + n);
}

/* A closed pipe ends lode quietly, whatever the parent process ignores or blocks. */
static void heed_closed_pipes(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A result that could not be written whole is no result. Commands that run on ignore the signal:
   when their reader has gone away, they end by it here. */
static int fail_output(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	int errnum = errno;

	if (poll(&out, 1, 0) == 1 && out.revents & POLLERR) {
		heed_closed_pipes();
		raise(SIGPIPE);
	}
	fprintf(stderr, "lode: cannot write the result: %s\n",
		errnum ? strerror(errnum) : "output error");
	return LODE_EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	int code;

	heed_closed_pipes();
	code = run_main(argc, argv);
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return fail_output();
	lode_pager_end();
	return code;
}
