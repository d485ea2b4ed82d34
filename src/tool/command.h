/*
 * Commands: what `lode NAME` is, for running it and for explaining it.
 */
#pragma once

#include "base/exit_codes.h"
#include "document/findings.h"
#include "tool/command_list.h"
#include "tool/options.h"

struct lode_example {
	const char *what, *command; /* `command` NULL ends a list */
};

struct lode_command {
	const char *name;
	const char *summary;	 /* half a line */
	const char *usage;	 /* what follows the name: "[OPTION]... INPUT..." */
	const char *description; /* paragraphs separated by an empty line */
	unsigned reads; /* enum lode_holds: help lists the formats that hold it; 0: no list */
	const struct lode_option *options;
	const struct lode_example *examples;
	/* The first operand begins another program's command line. */
	bool first_operand_ends;
	/* Operands are words, not files that are read. */
	bool takes_words;
	/* Subcommands with a help of their own, called "pio train"; NULL ends the list. */
	const struct lode_command *const *parts;
	/* `argv` is what follows the command's name. Gives an exit code. */
	int (*run)(const struct lode_command *self, int argc, char **argv);
};

/* Each command, and all in the order of help; NULL ends the list. */
#define LODE_DECLARE_COMMAND(name) extern const struct lode_command lode_cmd_##name;
LODE_COMMANDS(LODE_DECLARE_COMMAND)
extern const struct lode_command *const lode_commands[];

const struct lode_command *lode_command_find(const char *name);
/* The command that was meant, perhaps; NULL: none is close. */
const char *lode_command_closest(const char *name);

/*
 * What every command does first: parse its options, and see to it that no file is written that is
 * read, or that another program made (store/outputs.h). Gives true when the command goes on;
 * otherwise help was shown or the mistake was said, and *exit_code is set.
 */
bool lode_command_start(const struct lode_command *self, void *values, int argc, char **argv,
			int *n_operands, int *exit_code);

/* The first word of a command is none of its subcommands (NULL-terminated); NULL: it is not there.
   Gives LODE_EXIT_USAGE. */
int lode_command_lacks_word(const struct lode_command *self, const char *word,
			    const char *const *words);
/* Wrong usage found after parsing: says it and points to --help. Gives LODE_EXIT_USAGE. */
int lode_command_misused(const struct lode_command *self, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The command line that an answer is asked for by, in the parts that its next command is made of.
 *
 * Of argv as lode_command_start left it: operands, then the words of options. Left out are options
 * without which the answer is the same, and files that are written; whether one is a page is kept.
 * `next` (NULL: none) is the command that usually comes next: next_options have only what it knows.
 * To be released.
 */
void lode_asked_make(struct lode_asked *out, const struct lode_command *self, int argc,
		     char *const *argv, int n_operands, const struct lode_command *next);
