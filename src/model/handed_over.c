/* Who held the lock that a wait timed out on: whom the waiter woke when it returned. */
#include "model/handed_over.h"

#include "base/sorted.h"

enum { PART = 10 }; /* of a wait: how late the holder lets go at the earliest */

/* A wait for a lock that a thread ended. */
struct handed {
	lode_thread_id waker, thread;
	uint32_t wait; /* of `thread` */
	int64_t end_ns;
};

typedef LODE_VEC(struct handed) handed_list;

LODE_COMPARE(by_waker_and_time, struct handed,
	     LODE_ORDER(a->waker, b->waker)
		     ?: LODE_ORDER(a->end_ns, b->end_ns)
		     ?: LODE_ORDER(a->thread, b->thread)
		     ?: LODE_ORDER(a->wait, b->wait))

/* All waits that a thread ended: the first that a waiter ended decides. */
static void find_handed(handed_list *list, const struct lode_stream *stream)
{
	for (lode_thread_id t = 0; t < stream->threads.n; t++) {
		const struct lode_events *e = &stream->threads.at[t].events;

		for (uint32_t i = 0; i < e->n; i++)
			if (e->kind[i] == LODE_EVENT_WAITING && e->other[i] != LODE_NONE)
				lode_vec_append(list, ((struct handed){e->other[i], t, i,
								       lode_event_end_ns(e, i)}));
	}
	lode_sort(list->at, list->n, by_waker_and_time);
}

/* The first waking of a thread at `from_ns` or later; NULL: there is none. */
static const struct handed *first_waking(const handed_list *list, lode_thread_id waker,
					 int64_t from_ns)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct handed *h = &list->at[middle];

		if (h->waker < waker || (h->waker == waker && h->end_ns < from_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->n && list->at[low].waker == waker ? &list->at[low] : NULL;
}

/* For how long of [from, to) a thread did not wait, up to its event `last`, which begins in it or
   behind it. */
static int64_t at_work_ns(const struct lode_events *e, uint32_t last, int64_t from_ns,
			  int64_t to_ns)
{
	int64_t sum_ns = 0;

	for (uint32_t i = last; i-- > 0 && lode_event_end_ns(e, i) > from_ns;) {
		int64_t start_ns = e->start_ns[i] > from_ns ? e->start_ns[i] : from_ns;
		int64_t end_ns = lode_event_end_ns(e, i) < to_ns ? lode_event_end_ns(e, i) : to_ns;

		if (e->kind[i] != LODE_EVENT_WAITING && end_ns > start_ns)
			sum_ns += end_ns - start_ns;
	}
	return sum_ns;
}

/* Where the thread waits next; INT64_MAX: it does not. */
static int64_t next_wait_ns(const struct lode_events *e, uint32_t wait)
{
	for (uint32_t i = wait + 1; i < e->n; i++)
		if (e->kind[i] == LODE_EVENT_WAITING)
			return e->start_ns[i];
	return INT64_MAX;
}

static const struct handed *holder_of(const struct lode_stream *stream, const handed_list *list,
				      lode_thread_id waiter, uint32_t wait)
{
	const struct lode_events *e = &stream->threads.at[waiter].events, *of;
	int64_t start_ns = e->start_ns[wait], end_ns = lode_event_end_ns(e, wait);
	int64_t part_ns = e->cost_ns[wait] / PART;
	const struct handed *h = first_waking(list, waiter, end_ns);

	if (!h || h->thread == waiter || h->end_ns > next_wait_ns(e, wait) ||
	    stream->threads.at[h->thread].pid != stream->threads.at[waiter].pid)
		return NULL;
	of = &stream->threads.at[h->thread].events;
	if (of->reason[h->wait] != LODE_REASON_LOCK || of->start_ns[h->wait] < end_ns - part_ns ||
	    at_work_ns(of, h->wait, start_ns, end_ns) < e->cost_ns[wait] - part_ns)
		return NULL;
	return h;
}

void lode_stream_find_holders(struct lode_stream *stream, lode_timed_out *is_timed_out,
			      const void *context)
{
	handed_list list = {0};

	find_handed(&list, stream);
	for (lode_thread_id t = 0; t < stream->threads.n; t++) {
		struct lode_events *e = &stream->threads.at[t].events;

		for (uint32_t i = 0; i < e->n; i++) {
			const struct handed *h;

			if (e->kind[i] != LODE_EVENT_WAITING || e->reason[i] != LODE_REASON_LOCK ||
			    e->cost_ns[i] <= 0 || !is_timed_out(context, e, i))
				continue;
			h = holder_of(stream, &list, t, i);
			if (!h)
				continue;
			e->other[i] = h->thread;
			e->other_stack[i] = stream->threads.at[h->thread].events.stack[h->wait];
			e->device[i] = LODE_DEVICE_NONE;
			e->flags[i] &= (uint8_t)~LODE_EVENT_NO_WAKER;
		}
	}
	lode_vec_release(&list);
}
