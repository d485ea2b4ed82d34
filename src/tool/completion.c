/* Generates shell completion scripts from option tables. */
#include "tool/completion.h"

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

void lode_completion_bash(FILE *out)
{
	fprintf(out, "# bash completion for lode: source <(lode completion bash)\n"
		     "_lode() {\n"
		     "\tlocal word=${COMP_WORDS[COMP_CWORD]} words=\n"
		     "\tlocal before=${COMP_WORDS[COMP_CWORD-1]}\n"
		     "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
		     "\t\twords=\"--help --version");
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
