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

#include <pthread.h>

#include "serve/http_library.h"
#include "serve/site.h"

/* A document and its responses, made once. Shared: released by each holder. */
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

/*
 * What a server shows at the moment: a site with its answers as bytes. Another may take its place
 * while requests are under way; each sees to its end the one that it began with.
 *
 *   take --> request --> release          show another: from here on `take` gives that
 *   take --> request ---------------> release: its last one; the old site is let go
 *
 * Inside of src/serve. All calls from any thread.
 */
struct lode_shown {
	struct lode_site *site;
	struct lode_made **made; /* per document */
	struct lode_kept *kept;	 /* lasting answers */
	int n_users;
};

/* Where the one is that is shown. */
struct lode_showcase {
	pthread_mutex_t lock;
	struct lode_shown *now;
};

/* Holds the site, ends its filling, and makes the answers that never change. */
struct lode_shown *lode_shown_new(struct lode_site *site);
void lode_shown_release(struct lode_shown *shown); /* NULL does nothing */

/* Takes `first` over. */
void lode_showcase_init(struct lode_showcase *showcase, struct lode_shown *first);
/* The caller's, to release. */
struct lode_shown *lode_showcase_take(struct lode_showcase *showcase);
/* Takes `next` over, and releases what was shown. */
void lode_showcase_put(struct lode_showcase *showcase, struct lode_shown *next);
/* After the last call; harmless without a first one. */
void lode_showcase_release(struct lode_showcase *showcase);
