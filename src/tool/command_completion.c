/* lode completion: shell completion scripts. */
#include "tool/command.h"

#include "tool/terminal.h"

/* What may stand behind an option that has choices: one case branch each. */
static void print_choices(FILE *out, const struct lode_command *command)
{
	for (const struct lode_option *o = command->options; o && o->name; o++) {
		if (!o->choices)
			continue;
		fprintf(out, "\t%s:--%s) words=\"", command->name, o->name);
		for (const char *const *c = o->choices; *c; c++)
			fprintf(out, "%s%s", c == o->choices ? "" : " ", *c);
		fprintf(out, "\" ;;\n");
	}
}

static void print_options(FILE *out, const struct lode_command *command)
{
	fprintf(out, "\t%s:*) words=\"--help", command->name);
	for (const struct lode_option *o = command->options; o && o->name; o++)
		fprintf(out, " --%s", o->name);
	for (const struct lode_option *o = lode_common_options; o->name; o++)
		fprintf(out, " --%s", o->name);
	fprintf(out, "\" ;;\n");
}

/* For bash; zsh reads it too, through bashcompinit. */
static void print_completion(FILE *out)
{
	fprintf(out, "# bash completion for lode: source <(lode completion bash)\n"
		     "_lode() {\n"
		     "\tlocal word=${COMP_WORDS[COMP_CWORD]} words=\n"
		     "\tlocal before=${COMP_WORDS[COMP_CWORD-1]}\n"
		     "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
		     "\t\twords=\"--help --version --color --no-pager");
	for (const struct lode_command *const *c = lode_commands; *c; c++)
		fprintf(out, " %s", (*c)->name);
	fprintf(out, "\"\n"
		     "\telse case ${COMP_WORDS[1]}:$before in\n");
	for (const struct lode_command *const *c = lode_commands; *c; c++) {
		print_choices(out, *c);
		print_options(out, *c);
	}
	fprintf(out, "\tesac fi\n"
		     "\tif [ \"$COMP_CWORD\" = 1 ] || [ \"${word:0:1}\" = - ] || "
		     "[ \"${words:0:2}\" != -- ]; then\n"
		     "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
		     "\tfi\n"
		     "}\n"
		     "complete -o default -F _lode lode\n");
}

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
	print_completion(stdout);
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
