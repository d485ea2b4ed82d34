#include <stdio.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/option_values.h"

struct help_options {
	bool wants_man;
};

static const struct lode_option options[] = {
	{.name = "man",
	 .help = "print the manual page's source instead (for man -l, or to install)",
	 .set = lode_set_flag,
	 .offset = offsetof(struct help_options, wants_man)},
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"What can lode mine do?", "lode help mine"},
	{"The same as a manual page", "lode help --man mine | man -l -"},
	{NULL},
};

static int run(const struct lode_command *self, int argc, char **argv)
{
	struct help_options values = {0};
	const struct lode_command *command;
	int n, code;

	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n > 1)
		return lode_command_misused(self, "one command at a time");
	if (n == 0) {
		(values.wants_man ? lode_man_overview : lode_help_overview)(stdout);
		return LODE_EXIT_OK;
	}
	command = lode_command_find(argv[0]);
	if (!command && lode_command_closest(argv[0]))
		return lode_command_misused(self,
					    "there is no command '%.60s'; did you mean 'lode help "
					    "%s'?",
					    argv[0], lode_command_closest(argv[0]));
	if (!command)
		return lode_command_misused(self, "there is no command '%.60s'", argv[0]);
	(values.wants_man ? lode_man_command : lode_help_command)(stdout, command);
	return LODE_EXIT_OK;
}

const struct lode_command lode_cmd_help = {
	.name = "help",
	.summary = "explain a command",
	.usage = "[--man] [COMMAND]",
	.description = "Without a command: what commands there are.",
	.options = options,
	.examples = examples,
	.takes_words = true,
	.run = run,
};
