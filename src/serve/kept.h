/*
 * Answers that were made, as bytes that are ready to be sent: those that never change need not be
 * made again. Bounded: what was not asked for in a long time goes.
 *
 *   young [ c d e ]   what was asked for since `old` was young
 *   old   [ a b c ]   goes when `young` is full; what is found here becomes young again
 *
 * All calls from any thread.
 */
#pragma once

#include <microhttpd.h>

#include "serve/site.h"

/* A document and its responses, made once. Shared: released by everybody who has it. */
struct lode_made {
	struct lode_site_document document;
	struct MHD_Response *plain, *packed; /* packed NULL: that is no gain */
	struct lode_arena arena;	     /* the document's, unless it is the site's */
	int n_users;
};

/* Of a site's document, which outlives it; or of bytes, which are copied. */
struct lode_made *lode_made_of_document(const struct lode_site_document *document);
struct lode_made *lode_made_of_json(const char *json, size_t n);
void lode_made_release(struct lode_made *made); /* NULL does nothing */

/* Adds what every answer says, and how its content is to be taken. */
void lode_made_headers(struct MHD_Response *response, const char *type);

struct lode_kept;

/* LIMIT: keeps at most `most_bytes`, or the last answer if that alone is larger. */
struct lode_kept *lode_kept_new(size_t most_bytes);
void lode_kept_free(struct lode_kept *kept);

/* The caller's, to release; NULL: it is not there. */
struct lode_made *lode_kept_find(struct lode_kept *kept, const char *key);
/* Keeps it, too: the caller still has to release it. */
void lode_kept_put(struct lode_kept *kept, const char *key, struct lode_made *made);
