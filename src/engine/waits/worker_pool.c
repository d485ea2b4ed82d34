/* Which workers of a pool are busy at a moment. */
#include "engine/waits/worker_pool.h"

#include "engine/waits/client.h"

enum { INIT = 1 }; /* makes daemons that have nothing to do with each other */

static uint64_t pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* ---- What the recording shows of all threads ---- */

static void note_exchange(struct lode_pools *pools, const struct lode_stream *stream,
			  lode_thread_id waited, uint32_t stack, lode_thread_id by)
{
	const struct lode_thread *threads = stream->threads.at;
	uint32_t place =
		lode_map_number(&pools->place, pair(stack, threads[by].comm), pools->place.n);

	*lode_map_slot(&pools->exchanged, pair(waited, threads[by].comm)) = 1;
	*lode_map_slot(&pools->exchanged, pair(by, threads[waited].comm)) = 1;
	*lode_map_slot(&pools->idles_at, pair(waited, place)) = 1;
}

static void look_around(struct lode_pools *pools, const struct lode_stream *stream)
{
	for (lode_thread_id t = 0; t < stream->threads.n; t++) {
		const struct lode_events *events = &stream->threads.at[t].events;

		for (size_t i = 0; i < events->n; i++)
			if (events->other[i] < stream->threads.n &&
			    lode_has_brought_request(events, i))
				note_exchange(pools, stream, t, events->stack[i], events->other[i]);
	}
	pools->are_known = true;
	pools->waiter = pools->worker = LODE_NONE;
}

/* ---- One pool ---- */

static lode_thread_id parent_of(const struct lode_stream *stream, const struct lode_thread *thread)
{
	const struct lode_thread *threads = stream->threads.at;

	/* Of a thread that its process made, the process's. */
	while (thread->parent < stream->threads.n && threads[thread->parent].pid == thread->pid &&
	       thread->tid != thread->pid)
		thread = &threads[thread->parent];
	return thread->parent < stream->threads.n ? thread->parent : LODE_NONE;
}

static bool are_fellows(const struct lode_pools *pools, const struct lode_stream *stream,
			lode_thread_id a, lode_thread_id b, uint32_t waiter_comm)
{
	const struct lode_thread *p = &stream->threads.at[a], *q = &stream->threads.at[b];
	lode_thread_id parent;

	if (p->comm != q->comm || p->title != q->title ||
	    lode_map_find(&pools->exchanged, pair(b, waiter_comm)) == LODE_NONE)
		return false;
	parent = parent_of(stream, p);
	return p->pid == q->pid ||
	       (parent == parent_of(stream, q) &&
		(parent == LODE_NONE || stream->threads.at[parent].tid != INIT));
}

static void find_members(struct lode_pools *pools, const struct lode_stream *stream,
			 lode_thread_id waiter, lode_thread_id worker)
{
	uint32_t comm = stream->threads.at[waiter].comm;

	pools->waiter = waiter;
	pools->worker = worker;
	pools->members.n = 0;
	for (lode_thread_id t = 0; t < stream->threads.n; t++)
		if (t == worker || (t != waiter && are_fellows(pools, stream, worker, t, comm)))
			lode_vec_append(&pools->members, t);
	if (pools->members.n > LODE_POOL_MOST) {
		pools->members.n = 1;
		pools->members.at[0] = worker;
	}
}

enum state { UNKNOWN, IDLE, BUSY };

static enum state state_of(const struct lode_pools *pools, const struct lode_stream *stream,
			   lode_thread_id thread, size_t event)
{
	const struct lode_events *events = &stream->threads.at[thread].events;
	uint32_t comm = stream->threads.at[pools->waiter].comm, place;
	lode_thread_id by = events->other[event];

	if (!lode_is_for_requests(events, event))
		return BUSY;
	if (by < stream->threads.n && stream->threads.at[by].comm == comm)
		return IDLE;
	place = lode_map_find(&pools->place, pair(events->stack[event], comm));
	if (place != LODE_NONE && lode_map_find(&pools->idles_at, pair(thread, place)) != LODE_NONE)
		return IDLE;
	return by < stream->threads.n ? BUSY : UNKNOWN;
}

void lode_pool_at(struct lode_pool_moment *out, struct lode_pools *pools,
		  const struct lode_stream *stream, lode_thread_id waiter, lode_thread_id worker,
		  int64_t t_ns)
{
	bool does_one_idle = false;

	if (!pools->are_known)
		look_around(pools, stream);
	if (waiter != pools->waiter || worker != pools->worker)
		find_members(pools, stream, waiter, worker);
	out->n = 0;
	out->until_ns = INT64_MAX;
	for (size_t k = 0; k < pools->members.n; k++) {
		lode_thread_id t = pools->members.at[k];
		const struct lode_events *events = &stream->threads.at[t].events;
		size_t i = lode_events_find(events, t_ns);
		bool is_there = i < events->n && events->start_ns[i] <= t_ns;
		int64_t end_ns = INT64_MAX;
		enum state state = UNKNOWN;

		if (is_there)
			state = state_of(pools, stream, t, i);
		if (i < events->n)
			end_ns = is_there ? lode_event_end_ns(events, i) : events->start_ns[i];
		if (end_ns < out->until_ns)
			out->until_ns = end_ns;
		if (t == worker || state == BUSY)
			out->threads[out->n++] = t;
		does_one_idle |= state == IDLE;
	}
	if (does_one_idle) {
		out->n = 1;
		out->threads[0] = worker;
	}
}

void lode_pools_release(struct lode_pools *pools)
{
	lode_map_release(&pools->exchanged);
	lode_map_release(&pools->place);
	lode_map_release(&pools->idles_at);
	lode_vec_release(&pools->members);
	*pools = (struct lode_pools){0};
}
