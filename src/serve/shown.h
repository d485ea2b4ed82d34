/*
 * What a server shows at the moment: a site with its answers as bytes. Another may take its place
 * while requests are under way; each sees to its end the one that it began with.
 *
 *   take --> request --> release          show another: from here on `take` gives that
 *   take --> request ---------------> release: its last one; the old site is let go
 *
 * Inside of src/serve. All calls from any thread.
 */
#pragma once

#include <pthread.h>

#include "serve/kept.h"
#include "serve/site.h"

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
