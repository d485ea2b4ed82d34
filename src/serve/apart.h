/*
 * A question in a process of its own: whatever becomes of it, the server goes on.
 *
 *   server --fork--> child: answer(), within its memory --pipe--> server: the answer
 *      |               crash, no memory, too slow        ------->  an error in a sentence
 *      +-- kills it when its time is over, or the server stops
 *
 * The child has all that the server has, as a copy: nothing that it changes is kept.
 */
#pragma once

#include <stdatomic.h>

#include "serve/site.h"

struct lode_apart_limits {
	size_t memory_bytes; /* beyond what the server has; 0: no limit */
	int64_t time_ms;
	int64_t patience_ms;		/* what is pending is asked again for so long */
	const atomic_bool *is_stopping; /* ends what is asked; NULL: nothing does */
};

/* What `answer` gives and writes, as lode_written_open; or why it did not come to an end
   (LODE_SITE_NO_MEMORY, LODE_SITE_SLOW, LODE_SITE_PENDING, LODE_ERR_LIMIT, LODE_ERR_IO). `*json` is
   the caller's, NULL on errors. */
int lode_apart_answer(char **json, size_t *n, lode_site_answer *answer, void *context,
		      const struct lode_site_query *query, const struct lode_apart_limits *limits,
		      struct lode_error *err);
