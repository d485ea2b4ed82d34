/*
 * Where signatures are kept: a repository, or a file of text (model/signature.h). Either is read
 * into one list; what is done to the list is written back whole.
 *
 *   read    open --> signatures --> release
 *   change  begin --> signatures, changed --> save --> release
 *
 * The repository is locked from begin to save, against changes by other processes. What is begun
 * and not saved has never been.
 */
#pragma once

#include "model/signature.h"
#include "store/repo.h"

struct lode_signature_store {
	struct lode_signatures signatures;
	struct lode_repo *repo; /* borrowed; NULL: a file */
	const char *path;	/* borrowed; of the file, or of the repository */
	bool is_held;
	struct lode_repo_signatures rows; /* of a repository, as they were */
};

/*
 * Reads them. A file that is not there is an empty list with `may_be_new`. A repository that is
 * only read needs no more than LODE_REPO_READ.
 */
int lode_signature_store_open(struct lode_signature_store *out, struct lode_repo *repo,
			      const char *path, bool may_be_new, struct lode_error *err);
/* The same, to change them. */
int lode_signature_store_begin(struct lode_signature_store *out, struct lode_repo *repo,
			       const char *path, bool may_be_new, struct lode_error *err);
/* Writes what has changed: a file atomically, a repository in one transaction. */
int lode_signature_store_save(struct lode_signature_store *store, struct lode_error *err);
void lode_signature_store_release(struct lode_signature_store *store);
