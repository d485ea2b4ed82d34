/*
 * Options of a command: one table says all about them.
 *
 *   table --> parsing     --top 10, --top=10, -n 10, -n10; a unique beginning of a name will do
 *         --> --help      grouped, wrapped to the terminal
 *         --> man page    lode help --man COMMAND
 *         --> completion  lode completion bash
 *
 * Each option names the field of the command's own struct that it sets (`offset`) and the function
 * that reads its value (option_values.h). A table ends with an entry without a name.
 */
#pragma once

#include "store/outputs.h"

/* Words, such as texts given by an option that may be repeated; borrowed from argv. */
typedef LODE_VEC(const char *) lode_text_list;

struct lode_option;

/* Reads `text` into `field`; `text` is NULL for an option without an argument. */
typedef int lode_option_setter(const struct lode_option *option, void *field, const char *text,
			       struct lode_error *err);

struct lode_option {
	const char *name;     /* long name without dashes */
	const char *argument; /* what stands for the value in help; NULL: takes none */
	const char *help;     /* without a full stop at its end */
	lode_option_setter *set;
	size_t offset;		    /* of the field in the command's struct */
	const char *const *choices; /* names that may be given, NULL-terminated; NULL: any */
	const char *group;	    /* heading in help; given by the first option of a group */
	/* What the value names, if it is a file. Any output of lode is WRITTEN or UPDATED: that is
	   how store/outputs.h knows of it. */
	const char *file_otherwise; /* what is written without the option */
	enum lode_file_use file;
	enum lode_file_kind kind; /* of it, as in struct lode_named_file */
	char letter;		  /* short name, or 0 */
	bool may_be_stdout;	  /* "-" is standard output */
	bool is_force;		  /* --force */
	bool is_aside; /* the answer is the same without it: how it is shown, or worked out */
};

/*
 * An entry of a table: --name VALUE, the setter and the offset of what it sets, its help. What
 * stands behind goes into the entry as it is: .letter = 'n', .group = "Output".
 */
#define LODE_OPTION(long_name, value, setter, at, what, ...)                               \
	{                                                                                  \
		.name = (long_name), .argument = (value), .set = (setter), .offset = (at), \
		.help = (what), __VA_ARGS__                                                \
	}

#define LODE_OPTIONS_END \
	{                \
		NULL     \
	}

enum {
	LODE_OPTIONS_HELP = 1,	  /* --help or -h was given: parsing stopped there */
	LODE_OPTIONS_VERSION = 2, /* --version was given */
};

/*
 * Parses argv[0..argc) into `values`. What is no option goes to the front of argv, in order, and is
 * counted in *n_operands; the words of options stand behind, in their order. "--" ends the options;
 * so does the first operand when `first_operand_ends` (a command line that belongs to another
 * program follows). The files that options name, also those that are written without being named,
 * are added to `files` (NULL: to nothing). Gives 0, LODE_OPTIONS_HELP, LODE_OPTIONS_VERSION, or
 * LODE_ERR_ARG with a sentence that says what was meant, perhaps.
 */
int lode_options_parse(const struct lode_option *options, void *values, int argc, char **argv,
		       bool first_operand_ends, int *n_operands, struct lode_named_files *files,
		       struct lode_error *err);

/*
 * The words of argv that set options for which `is_wanted`, with their values, as they stand: to
 * hand them on to another command. Of a command line that lode_options_parse took, its operands
 * left out. Appended to `*out`.
 */
void lode_options_words(lode_text_list *out, const struct lode_option *options,
			const char *const *argv, size_t argc,
			bool (*is_wanted)(const void *context, const struct lode_option *option),
			const void *context);
