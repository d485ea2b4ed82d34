/*
 * Workers that take requests from one queue: a request waits for the work of all of them.
 *
 *   fast      |send|~~~~~~~~~~~~~~~~~~ waits ~~~~~~~~~~~~~~~~~~|      the symptom
 *   nginx            |~~~~~~~~~~~~~~~~ waits ~~~~~~~~~~~~~~~|
 *   worker 1  ....... sort, for another ........|fast's, write|
 *   worker 2  ....... md5, for another ..................|......
 *   whose             1 2 1 2 1 2 1 2 1 2 1 2 1 2        1
 *
 * Chance decides which worker takes a request. While it is queued, its time belongs to all busy
 * workers in turn: each ns to one of them. The workers of a pool have one name and title, are
 * threads of one process or children of one (not of init; recordings as text do not say whose), and
 * have exchanged something with the waiting thread, or with its namesakes: one was woken by the
 * other from a wait for requests or answers. If one of them idles, the request does not queue for
 * all of them: the time is that of the worker that took it. The same holds if that worker itself
 * waits as it does for requests, such as an event loop that passed the request on.
 *
 * A worker idles in waits for requests that a namesake of the waiting thread ended, or at the place
 * of such a wait. Other waits for requests without a known waker do not show whether a worker
 * idles: it is left out. LIMIT: pools of more than LODE_POOL_MOST workers are not examined.
 */
#pragma once

#include "model/stream.h"

enum { LODE_POOL_MOST = 64 };

/* `{ 0 }` before the first question about a stream. */
struct lode_pools {
	bool are_known;
	struct lode_map exchanged; /* (thread, name) */
	struct lode_map place;	   /* (stack, name) -> number */
	struct lode_map idles_at;  /* (thread, number) */
	lode_thread_id waiter, worker;
	LODE_VEC(lode_thread_id) members; /* of the worker's pool, as the waiter sees it */
};

struct lode_pool_moment {
	size_t n; /* at least 1 */
	lode_thread_id threads[LODE_POOL_MOST];
	int64_t until_ns; /* it may change then */
};

/* Who is busy at `t_ns`, in order; `worker`, for whom `waiter` waits, is among them. */
void lode_pool_at(struct lode_pool_moment *out, struct lode_pools *pools,
		  const struct lode_stream *stream, lode_thread_id waiter, lode_thread_id worker,
		  int64_t t_ns);
void lode_pools_release(struct lode_pools *pools);
