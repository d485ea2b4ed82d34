/*
 * Options of commands that have to do with a repository: which one it is, and labels.
 */
#ifndef LODE_REPO_OPTIONS_H
#define LODE_REPO_OPTIONS_H

#include "cli/command.h"
#include "cli/option_values.h"
#include "store/repo.h"

/*
 * Entries of an option table, each of a `const char *`. What stands behind the help goes into the
 * entry as it is: .letter = 'w', .group = "Repository".
 */
#define LODE_REPO_OPTION(at, what, ...)                                            \
	{                                                                          \
		.name = "repo", .letter = 'R', .argument = "FILE", .help = (what), \
		.set = lode_set_text, .offset = (at), __VA_ARGS__                  \
	}
#define LODE_WHERE_OPTION(at, what, ...)                                                    \
	{                                                                                   \
		.name = "where", .argument = "QUERY", .help = (what), .set = lode_set_text, \
		.offset = (at), __VA_ARGS__                                                 \
	}

/* What was given, else $LODE_REPO, else NULL. */
const char *lode_repo_option_path(const char *given);

/* Opens it; says what is wrong. Gives an exit code. */
int lode_repo_option_open(const struct lode_command *self, struct lode_repo **out,
			  const char *given, enum lode_repo_mode mode);

/* "release=2.1", parted in the arena; says what is wrong. Gives an exit code. */
int lode_repo_option_label(const struct lode_command *self, struct lode_repo_label *label,
			   const char *text, struct lode_arena *arena);

/*
 * Appends the words of a command line that say a shape (job/shape.h): the options that a
 * repository's digests were made with, which need not be said again. Words point into `shape`,
 * which is cut up. Which table of symptoms it was is not known: --symptoms is left out, and so is
 * what stands among `given` (NULL: nothing does); a scope that is given brings its own stacks.
 */
void lode_repo_option_words(lode_text_list *words, char *shape, const lode_text_list *given);

#endif
