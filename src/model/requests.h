/*
 * Requests as their sources deliver them: who asked for what, when it was answered, how long it
 * took (the ApplicationLog of PIO13).
 *
 *   log lines  ->  source  ->  struct lode_request[]  ->  sink
 *
 * A source calls a sink with batches; it keeps nothing, so a log of any size streams through.
 * Requests come in the log's order, which need not be the order of time; a few of odd times may
 * come last. Texts (actions, users) are
 * interned into the sink's names before the batch that uses them is delivered. Lines that cannot be
 * read are counted in `losses`, never guessed.
 */
#pragma once

#include "base/error.h"
#include "base/map.h"
#include "model/loss.h"

#define LODE_UPSTREAM_UNKNOWN ((int64_t)-1)

/* One answered request. Its start is end_ns - response_ns. */
struct lode_request {
	int64_t end_ns;	     /* when the answer was complete; ns since the epoch, UTC */
	int64_t response_ns; /* from the first byte of the request to the last of the answer; >= 0.
				A slow client makes it long although no server was slow */
	int64_t upstream_ns; /* spent by the servers behind the one that logs (a list is summed), or
				LODE_UPSTREAM_UNKNOWN */
	uint32_t action;     /* id in names->actions */
	uint32_t user;	     /* id in names->users, or LODE_NONE: no user is named */
	uint16_t status;     /* HTTP status; 0: not known. 499: the client went away */
};

/* Texts behind ids. Ids are dense, in order of first sight; equal texts have equal ids, over all
   sources of a run. */
struct lode_request_names {
	struct lode_strings actions, users;
};

/* Where the clock of a log leaps by more than a day, and stays: a pause, or it was set. */
struct lode_request_leaps {
	uint64_t n;
	int64_t line, from_ns, to_ns; /* of the first one */
};

struct lode_request_sink {
	void *context;
	struct lode_request_names *names;
	/* Gives LODE_OK, or a failure of the taker's, upon which the source stops and returns it.
	   Called by one thread at a time. */
	int (*requests)(void *context, const struct lode_request *at, size_t n,
			struct lode_error *err);
	struct lode_losses *losses;
};

static inline void lode_request_names_release(struct lode_request_names *names)
{
	lode_strings_release(&names->actions);
	lode_strings_release(&names->users);
}
