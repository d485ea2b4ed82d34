/*
 * lode sign: names for what was mined.
 *
 *	request --> signatures of a file or a repository, listed or changed --> answer --> text,
 * JSON
 *
 * What a signature is: model/signature.h; where they are kept: signature_store.h.
 */
#pragma once

#include "answers/sign/signature_request.h"
#include "document/fields.h"
#include "document/findings.h"
#include "document/text_page.h"

struct lode_sign_request {
	/* What is done, to which signature. A cluster in it is one of `from`, or of what the last
	   mining of the repository showed. */
	struct lode_signature_request change;
	const char *repo, *signatures; /* where they are: a repository, or a file */
	const char *from;	       /* document of lode mine --json; NULL: none */
	const char *other; /* file to export to, or to import from; "-": standard ones */
	int64_t now_s;	   /* since the epoch */
};

struct lode_sign_answer {
	struct lode_opening opening;
	enum lode_signature_act act;
	const char *action; /* "listed", "signed", "changed", "retired", ... */
	const char *path;   /* of the repository or the file */
	bool is_of_repo;
	const char *name; /* of the one signature that it was about */
	const char *other;
	bool is_bare; /* exported to standard output: as text, whatever it would be else */
	const struct lode_signatures *all;
	const struct lode_signature *signatures; /* those it was about; of deleting none */
	size_t n_signatures;
	size_t n_patterns;			   /* that were given */
	const struct lode_cluster_choice *cluster; /* of that number; NULL: none was given */
	struct lode_signature_merge merge;	   /* of an import */

	struct lode_sign_state *state; /* what all of this points into */
};

/*
 * `*out` is the caller's to free, also on failure. LODE_ERR_ARG: there is no such signature or
 * cluster, or it cannot be so; else as lode_signature_store_begin and _save.
 */
int lode_sign_run(struct lode_sign_answer **out, const struct lode_sign_request *request,
		  struct lode_error *err);
void lode_sign_free(struct lode_sign_answer *answer);

/* "lode/sign/1", docs/signatures.md. */
extern const struct lode_document lode_sign_document;

/* A table of signatures, one in full, or what was done. */
void lode_sign_text(FILE *out, const struct lode_sign_answer *answer,
		    const struct lode_text_page *page);

/* A signature as documents have it. Where it was filled it must stay. */
struct lode_signature_row {
	const struct lode_signature *signature;
	char kinds[LODE_SIGNATURE_BITS_BYTES], reasons[LODE_SIGNATURE_BITS_BYTES];
	char created[LODE_SIGNATURE_TIME_BYTES], updated[LODE_SIGNATURE_TIME_BYTES];
	const char *kind, *reason, *created_at, *updated_at;
};
void lode_signature_row_fill(struct lode_signature_row *row,
			     const struct lode_signature *signature);
extern const struct lode_record lode_signature_row_record;
