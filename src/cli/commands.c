#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "base/closest_name.h"
#include "base/escape.h"

const struct lode_command *const lode_commands[] = {
	&lode_cmd_analyze,
	&lode_cmd_serve,
	&lode_cmd_mine,
	&lode_cmd_suspects,
	&lode_cmd_timeline,
	&lode_cmd_pio,
	&lode_cmd_digest,
	&lode_cmd_import,
	&lode_cmd_repo,
	&lode_cmd_sign,
	&lode_cmd_coverage,
	&lode_cmd_triage,
	&lode_cmd_diff,
	&lode_cmd_next,
	&lode_cmd_info,
	&lode_cmd_record,
	&lode_cmd_help,
	&lode_cmd_completion,
	NULL,
};

const struct lode_command *lode_command_find(const char *name)
{
	const struct lode_command *const *c = lode_commands;

	while (*c && strcmp((*c)->name, name) != 0)
		c++;
	return *c;
}

int lode_command_misused(const struct lode_command *self, const char *format, ...)
{
	char message[512];
const char *lode_command_closest(const char *name)
{
	const char *names[sizeof(lode_commands) / sizeof(*lode_commands)] = {NULL};

	for (size_t i = 0; lode_commands[i]; i++)
		names[i] = lode_commands[i]->name;
	return lode_closest_name(name, names);
}

	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(stderr, "lode %s: %s\nTry 'lode %s --help'.\n", self->name, message, self->name);
	return LODE_EXIT_USAGE;
}

bool lode_command_start(const struct lode_command *self, void *values, int argc, char **argv,
			int *n_operands, int *exit_code)
{
	struct lode_error err;
	int rc = lode_options_parse(self->options, values, argc, argv, self->first_operand_ends,
				    n_operands, &err);

	if (rc == LODE_OPTIONS_HELP) {
		lode_help_command(stdout, self);
		*exit_code = LODE_EXIT_OK;
		return false;
	}
	if (rc < 0) {
		*exit_code = lode_command_misused(self, "%s", err.message);
		return false;
	}
	return true;
}
