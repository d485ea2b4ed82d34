/*
 * What people do to signatures, on a list in memory: signing, editing, retiring, deleting. The
 * rules are the same wherever it is asked for (`lode sign`, `lode serve`); keeping the list is
 * signature_store's.
 *
 *   cluster (cluster_choice.h) --+
 *   typed patterns --------------+--> signature --> list
 *   what is said of it ----------+
 *
 * All fail with LODE_ERR_ARG and a sentence for who asked, and then leave the list as it was.
 */
#pragma once

#include "answers/clusters/cluster_choice.h"
#include "model/signature.h"

/* What is said of a signature; NULL: nothing is. An empty text takes a field away. */
struct lode_signature_words {
	const char *bug, *owner, *note;
	const char *kind, *reason; /* names joined by commas: "run,wait" */
	/* Patterns to add: those of a cluster (NULL: none), and typed ones. */
	const struct lode_cluster_choice *cluster;
	const char *const *patterns;
	size_t n_patterns;
};

/* Changes to one that is there. */
struct lode_signature_edit {
	struct lode_signature_words words;
	const char *rename;	 /* NULL: it keeps its name */
	const char *const *drop; /* patterns to remove, in any form; each must be there */
	size_t n_drop;
};

/* The signature of that name, or NULL and a sentence that says which may have been meant. */
struct lode_signature *lode_signature_named(const struct lode_signatures *list, const char *name,
					    struct lode_error *err);

/* A new one; its kinds are the cluster's, unless the words have others. At least one pattern. */
int lode_signature_sign(struct lode_signatures *list, const char *name,
			const struct lode_signature_words *words, int64_t now_s,
			struct lode_error *err);
int lode_signature_edit(struct lode_signatures *list, const char *name,
			const struct lode_signature_edit *edit, int64_t now_s,
			struct lode_error *err);
/* Retired: it explains nothing any more. Its time changes only if its state does. */
int lode_signature_set_retired(struct lode_signatures *list, const char *name, bool is_retired,
			       int64_t now_s, struct lode_error *err);
int lode_signature_delete(struct lode_signatures *list, const char *name, struct lode_error *err);

/* What became of the signatures of a list that were taken into another. */
struct lode_signature_merge {
	size_t n_new, n_changed, n_same;
};
/* Adds those of `from` that are new; those of a known name become what `from` says. */
int lode_signature_merge(struct lode_signature_merge *out, struct lode_signatures *list,
			 const struct lode_signatures *from, int64_t now_s, struct lode_error *err);

/* ---- A change as JSON ---- */

/*
 * A change to signatures as a JSON object, as the pages of `lode serve` post it (docs/serve.md):
 *
 *   sign    {"name", "cluster"?, "patterns"?: [], "bug"?, "owner"?, "note"?, "kind"?, "reason"?}
 *   edit    {"name", "rename"?, "cluster"?, "add"?: [], "drop"?: [], "bug"?, ... "reason"?}
 *   retire, activate, delete    {"name"}
 *
 * Untrusted: members that are not known, given twice, or of another type are errors that name them.
 */
enum lode_signature_act {
	LODE_SIGNATURE_SIGN,
	LODE_SIGNATURE_EDIT,
	LODE_SIGNATURE_RETIRE,
	LODE_SIGNATURE_ACTIVATE,
	LODE_SIGNATURE_DELETE,
	LODE_N_SIGNATURE_CHANGES,
	/* No change of one signature, and not for pages. */
	LODE_SIGNATURE_LIST = LODE_N_SIGNATURE_CHANGES,
	LODE_SIGNATURE_SHOW,
	LODE_SIGNATURE_EXPORT,
	LODE_SIGNATURE_IMPORT,
	LODE_N_SIGNATURE_ACTS
};
/* "sign", of a change. */
const char *lode_signature_act_name(enum lode_signature_act act);

struct lode_signature_request {
	enum lode_signature_act act;
	const char *name;
	const char *cluster; /* whose patterns are wanted; NULL: none */
	/* What is said of it; words.cluster is for the caller to find. `rename` and `drop` are an
	   edit's. */
	struct lode_signature_edit edit;
	struct lode_arena arena; /* of the texts */
};

/* LODE_ERR_ARG, or LODE_ERR_LIMIT for what is nested too deep. `*out` is the caller's to release,
   also on failure. `text` is NUL-terminated, `size` bytes before that. */
int lode_signature_request_parse(struct lode_signature_request *out, enum lode_signature_act act,
				 const char *text, size_t size, struct lode_error *err);
void lode_signature_request_release(struct lode_signature_request *request);

/* Does it to a list; `words.cluster` is set if `cluster` is. */
int lode_signature_request_apply(struct lode_signatures *list,
				 const struct lode_signature_request *request, int64_t now_s,
				 struct lode_error *err);
