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
#include <sys/types.h>

#include "serve/site.h"

struct lode_apart_limits {
	size_t memory_bytes; /* beyond what the server has; 0: no limit */
	int64_t time_ms;
	int64_t patience_ms;		/* what is pending is asked again for so long */
	const atomic_bool *is_stopping; /* ends what is asked; NULL: nothing does */
};

enum {
	/* LIMIT: of the time that a question takes; less than what a client has for it (server.h).
	 */
	LODE_APART_MS = 120000,
	LODE_APART_LOOK_MS = 100, /* for the server's end */
};

/* How long what is pending is asked again before the client is asked to. A change waits as long as
   for others that write; pages do not ask for it again. */
static inline int64_t lode_apart_patience_ms(bool is_change)
{
	return is_change ? 10000 : 1000;
}

/* What `answer` gives and writes, as lode_written_open; or why it did not come to an end
   (LODE_SITE_NO_MEMORY, LODE_SITE_SLOW, LODE_SITE_PENDING, LODE_ERR_LIMIT, LODE_ERR_IO). `*json` is
   the caller's, NULL on errors. */
int lode_apart_answer(char **json, size_t *n, lode_site_answer *answer, void *context,
		      const struct lode_site_query *query, const struct lode_apart_limits *limits,
		      struct lode_error *err);

/* ---- For those who keep a child themselves (serve/maker.h) ---- */

/* In a fresh child: it ends with the thread of `server` that made it, leaves no core, has `ours` of
   the server's pipes and sockets alone, and may write to `memory_bytes` more memory (0: no limit).
 */
void lode_apart_begin(const int ours[2], pid_t server, size_t memory_bytes);
/* False: who was to read is gone. */
bool lode_apart_write(int fd, const void *bytes, size_t n);
/* Why a child that was to make `what` ("the answer") ended, by what waitpid gave and what it said
   last (""). */
int lode_apart_fail(int status, const char *what, const char *said, size_t memory_bytes,
		    struct lode_error *err);
