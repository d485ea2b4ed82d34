/*
 * Running a command that holds streams against signatures (lode coverage, lode triage): twice over
 * its command line, since the repository says how its digests were made.
 *
 *   words --> where signatures are --> repository --> its options + words --> the command itself
 */
#pragma once

#include "tool/reading_options.h"
#include "tool/command.h"
#include "tool/repo_options.h"
#include "answers/sign/signature_store.h"

struct lode_signature_values {
	const char *repo, *signatures;
};

/* Both of what they name, open to be read. */
struct lode_signature_sources {
	struct lode_repo *repo; /* NULL: none given */
	struct lode_signature_store store;
};

/* Takes $LODE_REPO where neither is given. NULL, or what is wrong with them. */
const char *lode_signature_values_settle(struct lode_signature_values *values);

void lode_signature_sources_close(struct lode_signature_sources *sources);

/* Entries of an option table; `at` is the offset of struct lode_signature_values in the values. */
#define LODE_SIGNATURE_OPTIONS(at, repo_help)                                                      \
	LODE_OPTION("repo", "FILE", lode_set_text,                                                 \
		    (at) + offsetof(struct lode_signature_values, repo), repo_help, .letter = 'R', \
		    .file = LODE_FILE_READ, .kind = LODE_KIND_REPOSITORY, .group = "Signatures"),  \
		LODE_OPTION("signatures", "FILE", lode_set_text,                                   \
			    (at) + offsetof(struct lode_signature_values, signatures),             \
			    "read signatures from this text file (lode sign --export) instead",    \
			    .letter = 's', .file = LODE_FILE_READ)

/* What parts one such command from another; `values` is its own struct of them. */
struct lode_signature_run {
	size_t size; /* of that struct, which is all 0 but for these, by their offsets: */
	size_t known_at, aoi_at, input_at; /* struct lode_signature_values, lode_aoi_values and
					      lode_input_options */
	size_t top_at;			   /* a size_t: SIZE_MAX unless --top is given */
	const struct lode_command *next;   /* as lode_asked_make takes it */
	/* What is wrong was said: gives an exit code. Settles what signatures need. */
	int (*check)(const struct lode_command *self, void *values, size_t n_inputs);
	/* With the sources open; gives the exit code. */
	int (*run)(const struct lode_command *self, const void *values,
		   const struct lode_signature_sources *sources, const struct lode_asked *asked,
		   char **inputs, size_t n_inputs);
};

/* `values` as they are before anything is parsed. */
void lode_signature_run_init(const struct lode_signature_run *how, void *values);

/*
 * Opens what the values name, then parses the options of the repository's digests and what was
 * `given` into them. Gives an exit code; what is wrong was said. Sources and words are the caller's
 * to close and to release, also on failure.
 */
int lode_signature_run_open(const struct lode_signature_run *how, const struct lode_command *self,
			    void *values, struct lode_signature_sources *sources,
			    struct lode_repo_words *words, const lode_text_list *given,
			    int *n_operands);

/* Of lode_command.run: gives the exit code. `values` need not be initialised. */
int lode_signature_run(const struct lode_signature_run *how, const struct lode_command *self,
		       void *values, int argc, char **argv);
