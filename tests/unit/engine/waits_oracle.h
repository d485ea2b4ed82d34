/*
 * The plain definitions of docs/waits.md, as slow and as short as they can be.
 */
#ifndef LODE_TEST_WAITS_ORACLE_H
#define LODE_TEST_WAITS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/stream.h"

enum { ORACLE_MAX_LINKS = 64 };

struct oracle_link {
	lode_thread_id thread;
	uint32_t event; /* LODE_NONE: nothing is known of the thread then */
};

/* Who the nanosecond [t, t + 1) of `thread` belongs to: the chain, and its length. */
size_t oracle_chain_at(const struct lode_stream *stream, lode_thread_id thread, int64_t t,
		       struct oracle_link *chain);

/* The client for whom the last thread of a chain worked, as client.h says it; LODE_NONE: none. */
lode_thread_id oracle_client_of(const struct lode_stream *stream, const struct oracle_link *chain,
				size_t n, bool is_seen);

/*
 * To whom [t, t + 1) of a symptom from `t0` on belongs: the same chain, or another one where it
 * stands in the queue of a pool, as worker_pool.h says it.
 */
size_t oracle_turn_at(const struct lode_stream *stream, lode_thread_id thread, int64_t t0,
		      int64_t t, struct oracle_link *chain);

/* Who may have held what `thread` polled for in `wait`, as polled.h says it; LODE_NONE: nobody. */
lode_thread_id oracle_polled_by(const struct lode_stream *stream, lode_thread_id thread,
				uint32_t wait);

#endif
