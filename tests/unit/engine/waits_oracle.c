#include "unit/engine/waits_oracle.h"

#include <stdint.h>

enum { ORACLE_MAX_ANSWERS = 1024 };

/* The thread's event that covers [t, t + 1), or LODE_NONE. */
static uint32_t event_at(const struct lode_events *events, int64_t t)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->start_ns[i] <= t && t < events->start_ns[i] + events->cost_ns[i])
			return (uint32_t)i;
	return LODE_NONE;
}

/* Who is there at `t` of the thread and those it descends from; itself, if none is. */
static lode_thread_id there_at(const struct lode_stream *stream, lode_thread_id thread, int64_t t)
{
	const struct lode_thread *it = &stream->threads.at[thread];

	if (t >= it->born_ns || it->parent == LODE_NONE ||
	    stream->threads.at[it->parent].born_ns >= it->born_ns)
		return thread;
	return there_at(stream, it->parent, t);
}

static size_t extend(const struct lode_stream *stream, int64_t t, struct oracle_link *chain,
		     size_t n)
{
	const struct oracle_link *last = &chain[n - 1];
	const struct lode_events *events = &stream->threads.at[last->thread].events;
	uint32_t wait = last->event, event;
	lode_thread_id waker;

	/* Ready between two waits that are one belongs to whom the first does. */
	if (events->kind[wait] == LODE_EVENT_READY && events->flags[wait] & LODE_EVENT_REARMED) {
		if (wait == 0)
			return n;
		wait--;
	}
	waker = events->other[wait];
	if (events->kind[wait] != LODE_EVENT_WAITING || waker == LODE_NONE)
		return n;
	if (events->reason[wait] == LODE_REASON_TIMER || events->reason[wait] == LODE_REASON_IDLE)
		return n;
	for (size_t i = 0; i < n; i++)
		if (chain[i].thread == waker)
			return n;
	waker = there_at(stream, waker, t);
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

/* ---- Clients ---- */

struct asking {
	const struct lode_stream *stream;
	const struct oracle_link *chain;
	size_t n;
	int64_t asked, answered, at;
};

struct answer {
	lode_thread_id thread;
	size_t event;
	int64_t end;
};

static bool is_for_requests(const struct lode_events *events, size_t i)
{
	return events->kind[i] == LODE_EVENT_WAITING &&
	       (events->reason[i] == LODE_REASON_NETWORK || events->reason[i] == LODE_REASON_POLL ||
		events->reason[i] == LODE_REASON_IPC);
}

/* The same, and it was not taken up again. */
static bool has_brought_one(const struct lode_events *events, size_t i)
{
	return is_for_requests(events, i) && !(events->flags[i] & LODE_EVENT_REARMED);
}

/* All waits for requests that `by` ended, in order of time, thread and event. */
static size_t answers_of(const struct lode_stream *stream, lode_thread_id by, struct answer *out)
{
	size_t n = 0;

	for (lode_thread_id t = 0; t < stream->threads.n; t++) {
		const struct lode_events *events = &stream->threads.at[t].events;

		for (size_t i = 0; i < events->n; i++) {
			int64_t end = events->start_ns[i] + events->cost_ns[i];
			size_t k = n;

			if (events->other[i] != by || !has_brought_one(events, i) ||
			    n == ORACLE_MAX_ANSWERS)
				continue;
			for (; k > 0 && out[k - 1].end > end; k--)
				out[k] = out[k - 1];
			out[k] = (struct answer){t, i, end};
			n++;
		}
	}
	return n;
}

/* Who ended the last wait for requests of `thread` before `t`, and when; false: none was there. */
static bool asked_by(const struct lode_stream *stream, lode_thread_id thread, int64_t t,
		     lode_thread_id *client, int64_t *when)
{
	const struct lode_events *events = &stream->threads.at[thread].events;
	bool is_found = false;

	for (size_t i = 0; i < events->n; i++) {
		int64_t end = events->start_ns[i] + events->cost_ns[i];

		if (!has_brought_one(events, i) || end > t)
			continue;
		is_found = true;
		*client = events->other[i];
		*when = end;
	}
	return is_found;
}

static size_t place_in_chain(const struct asking *a, lode_thread_id thread)
{
	size_t i = 0;

	while (i < a->n && a->chain[i].thread != thread)
		i++;
	return i;
}

/* Was `server` seen to await `thread` or a namesake at `stack` (LODE_NONE: anywhere), in its last
   32 waits before the symptom's thread had its answer, or in 32 answers of `thread` before and
   after the time in question? */
static bool was_seen(const struct asking *a, lode_thread_id thread, lode_thread_id server,
		     uint32_t stack)
{
	const struct lode_thread *threads = a->stream->threads.at;
	const struct lode_events *events = &threads[server].events;
	struct answer all[ORACLE_MAX_ANSWERS];
	size_t n = answers_of(a->stream, thread, all), middle = 0;
	int n_seen = 0;

	for (size_t i = events->n; i-- > 0 && n_seen < 32;) {
		if (events->start_ns[i] + events->cost_ns[i] > a->answered ||
		    !has_brought_one(events, i))
			continue;
		n_seen++;
		if (events->stack[i] && events->other[i] != LODE_NONE &&
		    threads[events->other[i]].comm == threads[thread].comm &&
		    (stack == LODE_NONE || events->stack[i] == stack))
			return true;
	}
	while (middle < n && all[middle].end <= a->at)
		middle++;
	for (size_t i = 0; i < n; i++)
		if (i + 32 >= middle && i < middle + 32 && all[i].thread == server &&
		    events->stack[all[i].event] &&
		    (stack == LODE_NONE || events->stack[all[i].event] == stack))
			return true;
	return false;
}

static bool can_be_client(const struct asking *a, lode_thread_id client, lode_thread_id server,
			  bool has_asked)
{
	const struct lode_thread *threads = a->stream->threads.at;
	lode_thread_id waiter = a->chain[place_in_chain(a, server) - 1].thread;

	if (place_in_chain(a, client) < a->n || threads[client].pid == threads[server].pid ||
	    threads[client].comm == threads[a->chain[a->n - 1].thread].comm)
		return false;
	if (!was_seen(a, client, server, LODE_NONE))
		return has_asked;
	for (uint32_t stack = 1; stack < a->stream->tree.nodes.n; stack++)
		if (was_seen(a, client, server, stack) && was_seen(a, waiter, server, stack))
			return true;
	return false;
}

/* Is the first wait for requests of `client` that ends after `t` for the server, and beyond the
   time in question? Only waits count before which the client did nothing that began after that
   time. */
static bool is_unanswered(const struct asking *a, lode_thread_id client, lode_thread_id server,
			  int64_t t)
{
	const struct lode_events *events = &a->stream->threads.at[client].events;

	for (size_t i = 0; i < events->n; i++) {
		int64_t end = events->start_ns[i] + events->cost_ns[i];

		if (end <= t)
			continue;
		if (is_for_requests(events, i))
			return events->other[i] == server && end > a->at;
		if (events->start_ns[i] > a->at)
			return false;
	}
	return false;
}

static lode_thread_id answered_next(const struct asking *a, lode_thread_id server, bool is_own)
{
	struct answer all[ORACLE_MAX_ANSWERS];
	const struct lode_thread *threads = a->stream->threads.at;
	size_t n = answers_of(a->stream, server, all), n_seen = 0;
	lode_thread_id same = LODE_NONE;

	for (size_t i = 0; i < n; i++) {
		lode_thread_id client = all[i].thread;
		int64_t start = threads[client].events.start_ns[all[i].event];
		bool is_namesake = threads[client].comm == threads[a->chain[0].thread].comm;

		if (all[i].end <= a->at || n_seen++ >= 32)
			continue;
		if (is_own && (is_namesake || all[i].end >= a->answered || start > a->at))
			continue;
		if (!is_own && start >= a->asked)
			continue;
		if (!can_be_client(a, client, server, false))
			continue;
		if (!is_namesake)
			return client;
		if (same == LODE_NONE)
			same = client;
	}
	return same;
}

lode_thread_id oracle_client_of(const struct lode_stream *stream, const struct oracle_link *chain,
				size_t n, bool is_seen)
{
	const struct lode_thread *threads = stream->threads.at;
	const struct oracle_link *last = &chain[n - 1];
	const struct lode_events *own = &threads[chain[0].thread].events;
	int64_t asked = own->start_ns[chain[0].event];
	struct asking a = {stream,
			   chain,
			   n,
			   asked,
			   asked + own->cost_ns[chain[0].event],
			   threads[last->thread].events.start_ns[last->event]};
	lode_thread_id server = last->thread, client = LODE_NONE, nobody;
	int64_t t, answered = INT64_MIN;

	for (size_t i = 0; i + 1 < n; i++)
		if (!is_for_requests(&threads[chain[i].thread].events, chain[i].event))
			return LODE_NONE;
	a.at = a.at < a.asked ? a.asked : a.at;
	t = a.at;
	asked_by(stream, chain[0].thread, a.asked, &nobody, &answered);
	for (int hops = 0; hops < 64 && asked_by(stream, server, t, &client, &t); hops++) {
		size_t place = place_in_chain(&a, client);

		if (client == LODE_NONE)
			return LODE_NONE;
		if (place == 0 && t >= answered)
			return is_seen ? LODE_NONE : answered_next(&a, server, true);
		if (place == 0 || place == n) {
			if (t >= a.asked)
				return LODE_NONE;
			if (can_be_client(&a, client, server, true) &&
			    is_unanswered(&a, client, server, t))
				return client;
			return is_seen ? LODE_NONE : answered_next(&a, server, false);
		}
		server = client;
	}
	return LODE_NONE;
}

/* ---- Pools ---- */

/* Has one of the two threads, or a namesake of the second, ended a wait for requests of the other?
 */
static bool have_exchanged(const struct lode_stream *stream, lode_thread_id a, lode_thread_id b)
{
	const struct lode_thread *threads = stream->threads.at;

	for (lode_thread_id t = 0; t < stream->threads.n; t++)
		for (size_t i = 0; i < threads[t].events.n; i++) {
			lode_thread_id by = threads[t].events.other[i];

			if (by == LODE_NONE || !has_brought_one(&threads[t].events, i))
				continue;
			if ((t == a && threads[by].comm == threads[b].comm) ||
			    (by == a && threads[t].comm == threads[b].comm))
				return true;
		}
	return false;
}

static bool are_fellows(const struct lode_stream *stream, lode_thread_id a, lode_thread_id b)
{
	const struct lode_thread *p = &stream->threads.at[a], *q = &stream->threads.at[b];

	return p->comm == q->comm && p->title == q->title &&
	       (p->pid == q->pid ||
		(p->parent == q->parent &&
		 (p->parent == LODE_NONE || stream->threads.at[p->parent].tid != 1)));
}

/* 1: it idles, -1: it is busy, 0: unknown. */
static int idles_at(const struct lode_stream *stream, lode_thread_id thread, lode_thread_id waiter,
		    int64_t t)
{
	const struct lode_thread *threads = stream->threads.at;
	const struct lode_events *events = &threads[thread].events;
	uint32_t event = event_at(events, t);
	lode_thread_id by;

	if (event == LODE_NONE)
		return 0;
	if (!is_for_requests(events, event))
		return -1;
	by = events->other[event];
	if (by != LODE_NONE && threads[by].comm == threads[waiter].comm)
		return 1;
	for (size_t i = 0; i < events->n; i++)
		if (has_brought_one(events, i) && events->other[i] != LODE_NONE &&
		    threads[events->other[i]].comm == threads[waiter].comm &&
		    events->stack[i] == events->stack[event])
			return 1;
	return by == LODE_NONE ? 0 : -1;
}

/* Of whom `chain[k]` is one in a pool at `t`; 0: in none, or it or another one idles. */
static size_t busy_at(const struct lode_stream *stream, const struct oracle_link *chain, size_t k,
		      int64_t t, lode_thread_id *busy)
{
	lode_thread_id worker = chain[k].thread, waiter = chain[k - 1].thread;
	size_t n = 0;

	for (lode_thread_id v = 0; v < stream->threads.n; v++) {
		int idles = idles_at(stream, v, waiter, t);

		if (v != worker && (v == waiter || !are_fellows(stream, worker, v) ||
				    !have_exchanged(stream, v, waiter)))
			continue;
		if (idles > 0)
			return 0;
		if (v == worker || idles < 0)
			busy[n++] = v;
	}
	return n;
}

size_t oracle_turn_at(const struct lode_stream *stream, lode_thread_id thread, int64_t t0,
		      int64_t t, struct oracle_link *chain)
{
	size_t n = oracle_chain_at(stream, thread, t, chain);
	lode_thread_id busy[64];

	for (size_t k = 1; k < n; k++) {
		size_t n_busy;

		if (oracle_client_of(stream, chain, k + 1, false) == LODE_NONE)
			continue;
		n_busy = busy_at(stream, chain, k, t, busy);
		for (size_t i = 0; n_busy > 1 && i < n_busy; i++) {
			if ((t - t0 + 1 + (int64_t)i) % (int64_t)n_busy)
				continue;
			if (busy[i] == chain[k].thread)
				return n;
			chain[k] = (struct oracle_link){
				busy[i], event_at(&stream->threads.at[busy[i]].events, t)};
			return extend(stream, t, chain, k + 1);
		}
	}
	return n;
}

/* ---- Polling ---- */

static bool has_timed_out(const struct lode_events *e, uint32_t i)
{
	bool is_sleep = e->device[i] == LODE_DEVICE_NONE && e->reason[i] == LODE_REASON_TIMER;

	return e->other[i] == LODE_NONE && (e->device[i] == LODE_DEVICE_TIMER || is_sleep);
}

/* Equal user frames; equal frames, where there are no user frames. */
static bool is_same_place(const struct lode_stream *stream, uint32_t a, uint32_t b)
{
	const struct lode_calltree *tree = &stream->tree;
	uint32_t stacks[2] = {a, b};

	for (int k = 0; k < 2; k++) {
		uint32_t at = stacks[k];

		while (at && tree->frames.at[tree->nodes.at[at].frame].flags & LODE_FRAME_KERNEL)
			at = tree->nodes.at[at].parent;
		stacks[k] = at ? at : stacks[k];
	}
	return stacks[0] == stacks[1];
}

/* The wait that takes `i` up again; LODE_NONE: none does. */
static uint32_t taken_up_by(const struct lode_stream *stream, const struct lode_events *e,
			    uint32_t i)
{
	if (e->kind[i] != LODE_EVENT_WAITING || !has_timed_out(e, i) ||
	    !(e->flags[i] & LODE_EVENT_REARMED))
		return LODE_NONE;
	for (uint32_t k = i + 1; k < e->n; k++)
		if (e->kind[k] == LODE_EVENT_WAITING &&
		    is_same_place(stream, e->stack[i], e->stack[k]))
			return k;
	return LODE_NONE;
}

/* Is the thread at work in [t, t + 1)? */
static bool works_at(const struct lode_events *e, int64_t t)
{
	uint32_t i = event_at(e, t);

	return i != LODE_NONE &&
	       (e->kind[i] != LODE_EVENT_WAITING || e->reason[i] == LODE_REASON_DISK ||
		e->reason[i] == LODE_REASON_FAULT);
}

static int64_t work_between(const struct lode_events *e, int64_t t0, int64_t t1)
{
	int64_t sum = 0;

	for (int64_t t = t0; t < t1; t++)
		sum += works_at(e, t);
	return sum;
}

lode_thread_id oracle_polled_by(const struct lode_stream *stream, lode_thread_id thread,
				uint32_t wait)
{
	const struct lode_events *e = &stream->threads.at[thread].events;
	uint32_t first = wait, last = wait, n = 1;
	lode_thread_id holder = LODE_NONE;
	int64_t latest_ns = INT64_MIN, start_ns, tried_ns, end_ns;

	if (e->kind[wait] != LODE_EVENT_WAITING || !has_timed_out(e, wait))
		return LODE_NONE;
	for (uint32_t k = wait; k-- > 0;)
		if (taken_up_by(stream, e, k) == first)
			first = k;
	for (last = first; taken_up_by(stream, e, last) != LODE_NONE; n++)
		last = taken_up_by(stream, e, last);
	if (n < 3 || !has_timed_out(e, last) || e->flags[last] & LODE_EVENT_REARMED)
		return LODE_NONE;
	start_ns = e->start_ns[first];
	tried_ns = e->start_ns[last];
	while (last < e->n && e->kind[last] != LODE_EVENT_RUNNING)
		last++;
	if (last == e->n)
		return LODE_NONE;
	end_ns = e->start_ns[last];
	for (lode_thread_id i = 0; i < stream->threads.n; i++) {
		const struct lode_events *of = &stream->threads.at[i].events;
		int64_t died_ns = stream->threads.at[i].died_ns, stop_ns = INT64_MIN, work_ns;

		if (i == thread || stream->threads.at[i].pid != stream->threads.at[thread].pid)
			continue;
		if (died_ns >= tried_ns && died_ns <= end_ns)
			stop_ns = died_ns;
		for (uint32_t k = (uint32_t)of->n; k-- > 0;)
			if (of->start_ns[k] >= tried_ns && of->start_ns[k] <= end_ns &&
			    of->kind[k] == LODE_EVENT_WAITING &&
			    of->reason[k] != LODE_REASON_DISK && of->reason[k] != LODE_REASON_FAULT)
				stop_ns = of->start_ns[k];
		work_ns = work_between(of, start_ns, tried_ns);
		if (tried_ns > start_ns &&
		    work_ns >= tried_ns - start_ns - (tried_ns - start_ns) / 10 &&
		    stop_ns > latest_ns) {
			latest_ns = stop_ns;
			holder = i;
		}
	}
	return holder;
}
