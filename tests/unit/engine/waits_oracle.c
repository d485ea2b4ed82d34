#include "unit/engine/waits_oracle.h"

/* The thread's event that covers [t, t + 1), or LODE_NONE. */
static uint32_t event_at(const struct lode_events *events, int64_t t)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->start_ns[i] <= t && t < events->start_ns[i] + events->cost_ns[i])
			return (uint32_t)i;
	return LODE_NONE;
}

static size_t extend(const struct lode_stream *stream, int64_t t, struct oracle_link *chain,
		     size_t n)
{
	const struct oracle_link *last = &chain[n - 1];
	const struct lode_events *events = &stream->threads.at[last->thread].events;
	lode_thread_id waker = events->other[last->event];
	uint32_t event;

	if (events->kind[last->event] != LODE_EVENT_WAITING || waker == LODE_NONE)
		return n;
	if (events->reason[last->event] == LODE_REASON_TIMER)
		return n;
	for (size_t i = 0; i < n; i++)
		if (chain[i].thread == waker)
			return n;
	event = event_at(&stream->threads.at[waker].events, t);
	if (event == LODE_NONE || n == ORACLE_MAX_LINKS)
		return n;
	chain[n] = (struct oracle_link){waker, event};
	return extend(stream, t, chain, n + 1);
}

size_t oracle_chain_at(const struct lode_stream *stream, lode_thread_id thread, int64_t t,
		       struct oracle_link *chain)
{
	chain[0].thread = thread;
	chain[0].event = event_at(&stream->threads.at[thread].events, t);
	if (chain[0].event == LODE_NONE)
		return 1;
	return extend(stream, t, chain, 1);
}
