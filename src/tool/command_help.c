/* lode help: help and man pages of commands. */
#include "answers/documents.h"
#include "base/closest_name.h"
#include "tool/command.h"
#include "tool/help.h"
#include "tool/option_values.h"

enum { MOST_DOCUMENTS = 100 };

struct help_options {
	bool wants_man, wants_schema, wants_fields;
};

static const struct lode_option options[] = {
	LODE_FLAG("man", offsetof(struct help_options, wants_man),
		  "print the man page source instead (for man -l, or to install)"),
	LODE_FLAG("schema", offsetof(struct help_options, wants_schema),
		  "print the JSON Schema of a --json document (docs/schema); without a name, list "
		  "the documents"),
	LODE_FLAG("fields", offsetof(struct help_options, wants_fields),
		  "print the fields of a --json document as a table (docs/fields.md)"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"What does lode mine do?", "lode help mine"},
	{"The same as a man page", "lode help --man mine | man -l -"},
	{"What is in the JSON of lode mine?", "lode help --fields mine"},
	{"Its JSON Schema, for a validator", "lode help --schema mine >mine.json"},
	{NULL},
};

static int put_document(const struct lode_command *self, const struct help_options *values,
			const char *name)
{
	const char *names[MOST_DOCUMENTS + 1], *close;
	size_t n = 0;

	for (size_t i = 0; lode_documents[i]; i++) {
		if (n < MOST_DOCUMENTS)
			names[n++] = lode_documents[i]->file;
		if (!name)
			printf("%s\t%s\n", lode_documents[i]->file, lode_documents[i]->title);
		else if (strcmp(lode_documents[i]->file, name) == 0) {
			(values->wants_schema ? lode_document_put_schema
					      : lode_document_put_table)(stdout, lode_documents[i]);
			return LODE_EXIT_OK;
		}
	}
	if (!name)
		return LODE_EXIT_OK;
	names[n] = NULL;
	close = lode_closest_name(name, names);
	return lode_command_misused(
		self, "unknown document '%.60s'; %s%s%s'lode help --schema' lists them", name,
		close ? "did you mean '" : "", close ? close : "", close ? "'? " : "");
}

/* "pio train": NULL when the command has no such part. */
static const struct lode_command *find_part(const struct lode_command *command, const char *word)
{
	for (size_t i = 0; command->parts && command->parts[i]; i++)
		if (strcmp(command->parts[i]->name + strlen(command->name) + 1, word) == 0)
			return command->parts[i];
	return NULL;
}

/* A command's parts, as lode_command_lacks_word wants them; other commands have one help for all
   of their words. */
static int lack_part(const struct lode_command *self, const struct lode_command *command,
		     const char *word)
{
	enum { MOST_PARTS = 16 };
	const char *words[MOST_PARTS + 1] = {NULL};

	if (!command->parts)
		return lode_command_misused(self, "'lode help %s' explains all of lode %s",
					    command->name, command->name);
	for (size_t i = 0; i < MOST_PARTS && command->parts[i]; i++)
		words[i] = command->parts[i]->name + strlen(command->name) + 1;
	return lode_command_lacks_word(command, word, words);
}

static int run_help(const struct lode_command *self, int argc, char **argv)
{
	struct help_options values = {0};
	const struct lode_command *command, *part = NULL;
	bool is_of_document;
	int n, code;

	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	is_of_document = values.wants_schema || values.wants_fields;
	if (n > 2 || (n == 2 && is_of_document))
		return lode_command_misused(self, "give only one %s",
					    is_of_document ? "document" : "command");
	if (is_of_document)
		return put_document(self, &values, n ? argv[0] : NULL);
	if (n == 0) {
		(values.wants_man ? lode_man_overview : lode_help_overview)(stdout);
		return LODE_EXIT_OK;
	}
	command = lode_command_find(argv[0]);
	if (!command && lode_command_closest(argv[0]))
		return lode_command_misused(self,
					    "unknown command '%.60s'; did you mean 'lode help %s'?",
					    argv[0], lode_command_closest(argv[0]));
	if (!command)
		return lode_command_misused(self, "unknown command '%.60s'", argv[0]);
	if (n == 2 && !(part = find_part(command, argv[1])))
		return lack_part(self, command, argv[1]);
	if (part)
		command = part;
	(values.wants_man ? lode_man_command : lode_help_command)(stdout, command);
	return LODE_EXIT_OK;
}

const struct lode_command lode_cmd_help = {
	.name = "help",
	.summary = "explain a command",
	.usage = "[--man] [COMMAND [SUBCOMMAND]] | {--schema | --fields} [DOCUMENT]",
	.description = "Without a command, lists all commands.",
	.options = options,
	.examples = examples,
	.takes_words = true,
	.run = run_help,
};
