/*
 * The client that a busy server works for while another thread waits for it.
 *
 *   redis-cli  |send|~~~~~~~~~~~~~~ waits for its answer ~~~~~~~~~~~~~~|
 *   server     ~ wait ~|run  keysCommand                    |write|run, write
 *   getter                       |send|~~~~~~~~~~~~ waits ~~~~~~~~~~~~~~~~~|     the symptom
 *
 * A request that comes while its server is busy wakes no thread: it waits in a queue (of a socket,
 * a listener, a pool) until the server takes it. The critical path shows what the server did
 * meanwhile; this infers the client it worked for. All waits of the chain must be waits for answers
 * or requests: for the network, IPC, or in polls.
 *
 *  1. The client is the thread that ended the server's latest wait for requests. If that thread is
 *     also the waiter in the chain, it passed a request on (nginx to a worker of its pool), and
 *     counts as the server, at that time.
 *  2. If the server worked on since before the symptom's thread asked, but that client has its
 *     answer already, or is the symptom's thread with an earlier request: the client is the thread
 *     that it answers next, preferably one of another name than the symptom's thread, which waits
 *     in the queue as well. If the symptom's thread woke the server: the first thread of another
 *     name that it answers nevertheless.
 *
 * A client is of another process than the server, of another name than the thread in question
 * (workers of a pool are not each other's clients), asked before the symptom's thread did, and has
 * no answer yet. Threads that the server itself asks do not qualify: it awaits them at other places
 * than the waiter in the chain. Threads that it only informs (a log) do not: it never awaits them.
 * By (2) a client is only a thread that the server was seen to await. LIMIT: a loop that awaits all
 * at one place cannot be distinguished by that.
 */
#pragma once

#include "engine/waits/critpath.h"

/* A wait for requests, or for answers. */
static inline bool lode_is_for_requests(const struct lode_events *events, size_t i)
{
	return events->kind[i] == LODE_EVENT_WAITING &&
	       (events->reason[i] == LODE_REASON_NETWORK || events->reason[i] == LODE_REASON_POLL ||
		events->reason[i] == LODE_REASON_IPC);
}

/* The same, ended by a request or an answer; it was not taken up again. */
static inline bool lode_has_brought_request(const struct lode_events *events, size_t i)
{
	return lode_is_for_requests(events, i) && !(events->flags[i] & LODE_EVENT_REARMED);
}

/* A wait for requests that a thread ended. */
struct lode_answer {
	int64_t end_ns;
	lode_thread_id thread; /* who waited */
	uint32_t event;
};

/* `{ 0 }` before the first symptom of a stream. */
struct lode_clients {
	LODE_VEC(struct lode_answer) answers; /* by who ended them, then by time */
	LODE_VEC(size_t) first;		      /* per thread: its first answer; and one behind */
	LODE_VEC(uint32_t *)
	latest; /* per thread, NULL until asked for: per event, the
		   latest wait for requests before it */
};

/*
 * The client for whom the thread of `link`, which is not the first of its chain, did what its event
 * says; LODE_NONE: the symptom's own request, or not shown by the recording. `is_seen`:
 * only who was seen to ask for it, by (1). The first call for a stream takes O(events), others
 * O(links * log events).
 */
lode_thread_id lode_client_of(struct lode_clients *clients, const struct lode_stream *stream,
			      const struct lode_critpath *path, uint32_t link, bool is_seen);
void lode_clients_release(struct lode_clients *clients);
