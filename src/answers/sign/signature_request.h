/*
 * A change to signatures as a JSON object, as the pages of `lode serve` post it (docs/serve.md):
 *
 *   sign    {"name", "cluster"?, "patterns"?: [], "bug"?, "owner"?, "note"?, "kind"?, "reason"?}
 *   edit    {"name", "rename"?, "cluster"?, "add"?: [], "drop"?: [], "bug"?, ... "reason"?}
 *   retire, activate, delete    {"name"}
 *
 * Untrusted: members that are not known, given twice, or of another type are errors that name them.
 */
#pragma once

#include "answers/sign/signature_change.h"

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
	const char *cluster; /* whose patterns are wanted; NULL: nobody's */
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
