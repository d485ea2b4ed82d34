/* lode completion: shell completion scripts. */
#include "tool/command.h"
#include "tool/completion.h"

static const struct lode_option options[] = {LODE_OPTIONS_END};

static const struct lode_example examples[] = {
	{"For the current shell", "source <(lode completion bash)"},
	{"Permanently", "lode completion bash > ~/.local/share/bash-completion/completions/lode"},
	{"In zsh", "autoload bashcompinit && bashcompinit && source <(lode completion bash)"},
	{NULL},
};

static int run_completion(const struct lode_command *self, int argc, char **argv)
{
	int n, code;

	if (!lode_command_start(self, NULL, argc, argv, &n, &code))
		return code;
	if (n != 1 || strcmp(argv[0], "bash") != 0)
		return lode_command_misused(self, "name the shell: bash");
	lode_completion_bash(stdout);
	return LODE_EXIT_OK;
}

const struct lode_command lode_cmd_completion = {
	.name = "completion",
	.summary = "print a completion script for the shell",
	.usage = "bash",
	.description = "Completes commands, options and the values of options.",
	.options = options,
	.examples = examples,
	.takes_words = true,
	.run = run_completion,
};
