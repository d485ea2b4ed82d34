/*
 * Options of commands that hold streams against signatures: where signatures are, which streams.
 */
#pragma once

#include "tool/command.h"
#include "tool/option_values.h"
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

/* Signatures are the file's if there is one, else the repository's. */
int lode_signature_sources_open(struct lode_signature_sources *out,
				const struct lode_signature_values *values, struct lode_error *err);
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
