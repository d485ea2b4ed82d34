/*
 * Options of commands that have to do with a repository: which one it is, and labels.
 */
#pragma once

#include "tool/command.h"
#include "tool/option_values.h"
#include "store/repo.h"

/*
 * Entries of an option table, each of a `const char *`. What comes after the help text goes into
 * the entry as it is: .group = "Repository". `heading`: of the group that it begins, or NULL.
 */
#define LODE_REPO_OPTION(at, what, ...)                                       \
	LODE_OPTION("repo", "FILE", lode_set_text, (at), what, .letter = 'R', \
		    .file = LODE_FILE_UPDATED, .kind = LODE_KIND_REPOSITORY, __VA_ARGS__)
#define LODE_WHERE_OPTION(place, heading)                                                        \
	LODE_OPTION("where", "QUERY", lode_set_text, (place),                                    \
		    "only recordings of the repository that match: 'release=2.1 and host~web*'," \
		    " 'age<7d' (docs/repo.md)",                                                  \
		    .letter = 'w', .group = (heading))

/* What was given, else $LODE_REPO, else NULL. */
const char *lode_repo_option_path(const char *given);

/* Opens it; says what is wrong. Gives an exit code. */
int lode_repo_option_open(const struct lode_command *self, struct lode_repo **out,
			  const char *given, enum lode_repo_mode mode);

/* Texts such as "release=2.1", parted in the arena; with `may_remove` also "release=", which takes
   a label away. Says what is wrong. Gives an exit code. */
int lode_repo_option_labels(const struct lode_command *self, struct lode_repo_label **labels,
			    const char *const *texts, size_t n, bool may_remove,
			    struct lode_arena *arena);

/* A command line behind the options that a repository's digests were made with. `{ 0 }` is none. */
struct lode_repo_words {
	lode_text_list list; /* once parsed, the operands are its first */
	char *shape;	     /* which the words of options point into */
};

/*
 * Parses a command line once more, as lode_options_parse does, into `values` that were initialised
 * again: the options of the repository's shape (streams/shape.h; NULL: there is no repository),
 * which need not be said again, then what was `given`, which was right without them. Which table of
 * symptoms it was is not known: --symptoms is left out; and so is, if `leaves_out_given`, what was
 * given differently, where a scope brings its own stacks. Gives an exit code; what is wrong was
 * said. `values` point into `words`, the caller's to release.
 */
int lode_repo_words_parse(struct lode_repo_words *words, const struct lode_command *self,
			  void *values, const struct lode_repo *repo, const lode_text_list *given,
			  bool leaves_out_given, int *n_operands);
void lode_repo_words_release(struct lode_repo_words *words);
