/*
 * Where signatures are kept: a repository, or a file of text (model/signature.h). Either is read
 * into one list; what is done to the list is written back whole.
 */
#ifndef LODE_SIGNATURE_STORE_H
#define LODE_SIGNATURE_STORE_H

#include <stdbool.h>

#include "base/error.h"
#include "model/signature.h"
#include "store/repo.h"

struct lode_signature_store {
	struct lode_signatures signatures;
	struct lode_repo *repo;		  /* borrowed; NULL: a file */
	const char *path;		  /* borrowed */
	struct lode_repo_signatures rows; /* of a repository, as they were */
};

/*
 * Reads them. A file that is not there is an empty list with `may_be_new`. A repository that is
 * only read needs no more than LODE_REPO_READ.
 */
int lode_signature_store_open(struct lode_signature_store *out, struct lode_repo *repo,
			      const char *path, bool may_be_new, struct lode_error *err);
/* Writes what has changed: a file atomically, a repository's rows in one transaction (and those
   that are gone, one by one, after it). */
int lode_signature_store_save(struct lode_signature_store *store, struct lode_error *err);
void lode_signature_store_release(struct lode_signature_store *store);

#endif
