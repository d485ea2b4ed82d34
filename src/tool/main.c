/* The program's entry. */
#include <errno.h>
#include <lode/lode.h>
#include <signal.h>

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
	if (close)
		fprintf(stderr, "lode: unknown command '%s'; did you mean 'lode %s'?\n", safe,
			close);
	else
		fprintf(stderr,
			"lode: unknown command '%s'\n"
			"Try 'lode --help'.\n",
			safe);
	return LODE_EXIT_USAGE;
}

static int run_main(int argc, char **argv)
{
	const struct lode_command *command;

	if (argc < 2) {
		lode_help_overview(stderr);
		return LODE_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("lode %s\n", lode_version());
		return LODE_EXIT_OK;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		lode_help_overview(stdout);
		return LODE_EXIT_OK;
	}
	command = lode_command_find(argv[1]);
	if (!command)
		return usage_of_unknown(argv[1]);
	lode_memory_keep_to(lode_memory_budget(0));
	return command->run(command, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
	int code;

	/* A closed pipe ends lode quietly, also where the parent process ignores the signal. */
	signal(SIGPIPE, SIG_DFL);
	code = run_main(argc, argv);
	/* A result that could not be written whole is no result. */
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "lode: cannot write the result: %s\n",
			errno ? strerror(errno) : "output error");
		return LODE_EXIT_FAILURE;
	}
	lode_pager_end();
	return code;
}
