/* For whom a thread works: from its latest wait for requests back to who sent one. */
#include "engine/waits/client.h"

#include "base/sorted.h"

/* LIMIT: so many waits of a server, and answers before and after a time, are looked at. */
enum { MAX_LOOKED_AT = 32 };

/* What is asked: the chain of a critical path, and the time of its last event. */
struct question {
	struct lode_clients *clients;
	const struct lode_stream *stream;
	const struct lode_critpath *path;
	const struct lode_link *first, *last;
	int64_t asked_ns, answered_ns; /* from when to when the symptom's thread waits */
	int64_t at_ns;
	bool is_seen; /* who asks is not guessed by who is answered */
};

static const struct lode_events *events_of(const struct question *q, lode_thread_id thread)
{
	return &q->stream->threads.at[thread].events;
}

/* ---- Tables ---- */

LODE_COMPARE(answer_compare, struct lode_answer,
	     LODE_ORDER(a->end_ns, b->end_ns) ?: LODE_ORDER(a->thread, b->thread)
		     ?: LODE_ORDER(a->event, b->event))

static void find_answers(struct lode_clients *clients, const struct lode_stream *stream)
{
	size_t n = stream->threads.n, *first;

	for (size_t i = 0; i < n + 2; i++)
		lode_vec_append(&clients->first, 0);
	for (size_t i = 0; i < n; i++)
		lode_vec_append(&clients->latest, NULL);
	first = clients->first.at;
	/* first[t + 1] is where thread t is filled next, and thus ends as first[t + 1]. */
	for (int pass = 0; pass < 2; pass++) {
		for (lode_thread_id t = 0; t < n; t++) {
			const struct lode_events *events = &stream->threads.at[t].events;

			for (size_t i = 0; i < events->n; i++) {
				lode_thread_id by = events->other[i];

				if (by >= n || !lode_has_brought_request(events, i))
					continue;
				if (pass == 0)
					first[by + 2]++;
				else
					clients->answers.at[first[by + 1]++] =
						(struct lode_answer){lode_event_end_ns(events, i),
								     t, (uint32_t)i};
			}
		}
		for (size_t t = 2; pass == 0 && t < n + 2; t++)
			first[t] += first[t - 1];
		lode_vec_reserve(&clients->answers, first[n + 1]);
		clients->answers.n = first[n + 1];
	}
	for (size_t t = 0; t < n; t++)
		lode_sort(clients->answers.at + first[t], first[t + 1] - first[t], answer_compare);
}

/* The thread's first answer after `t_ns`. */
static size_t first_answer(const struct lode_clients *clients, lode_thread_id thread, int64_t t_ns)
{
	size_t first = clients->first.at[thread], n = clients->first.at[thread + 1] - first;
	const struct lode_answer *answers = clients->answers.at;

	return n ? first + lode_sorted_up_to(answers + first, n, sizeof(*answers), t_ns) : first;
}

static const uint32_t *latest_of(const struct question *q, lode_thread_id thread)
{
	const struct lode_events *events = events_of(q, thread);
	uint32_t **table = &q->clients->latest.at[thread], latest = LODE_NONE;

	if (*table)
		return *table;
	*table = lode_alloc(events->n * sizeof(**table));
	for (size_t i = 0; i < events->n; i++) {
		(*table)[i] = latest;
		if (lode_has_brought_request(events, i))
			latest = (uint32_t)i;
	}
	return *table;
}

/* Its latest wait for requests that had ended at `t_ns`; LODE_NONE: none was recorded. */
static uint32_t latest_request(const struct question *q, lode_thread_id thread, int64_t t_ns)
{
	const struct lode_events *events = events_of(q, thread);
	size_t next = lode_events_find(events, t_ns);

	if (next > 0 && lode_has_brought_request(events, next - 1))
		return (uint32_t)next - 1;
	return next > 0 ? latest_of(q, thread)[next - 1] : LODE_NONE;
}

/* ---- The chain ---- */

/* The link of `thread` in the chain, or NULL. */
static const struct lode_link *link_of(const struct question *q, lode_thread_id thread)
{
	const struct lode_link *link = q->last;

	while (link->thread != thread && link->parent != LODE_NONE)
		link = &q->path->links.at[link->parent];
	return link->thread == thread ? link : NULL;
}

/* ---- Who is a client ---- */

/* Stacks in which a server waits for a client. */
struct places {
	uint32_t at[3 * MAX_LOOKED_AT];
	size_t n;
};

/* Where `server` was seen to await `thread` around the time in question, or its namesakes before
   the symptom's thread had its answer. Of waits that began before the recording it is not known. */
static void find_places(struct places *places, const struct question *q, lode_thread_id thread,
			lode_thread_id server)
{
	const struct lode_thread *threads = q->stream->threads.at;
	const struct lode_events *events = events_of(q, server);
	uint32_t wait = latest_request(q, server, q->answered_ns);
	size_t begin = q->clients->first.at[thread], end = q->clients->first.at[thread + 1];
	size_t middle = first_answer(q->clients, thread, q->at_ns);

	places->n = 0;
	for (int i = 0; i < MAX_LOOKED_AT && wait != LODE_NONE; i++) {
		lode_thread_id by = events->other[wait];

		if (by < q->stream->threads.n && threads[by].comm == threads[thread].comm &&
		    events->stack[wait])
			places->at[places->n++] = events->stack[wait];
		wait = latest_of(q, server)[wait];
	}
	if (middle - begin > MAX_LOOKED_AT)
		begin = middle - MAX_LOOKED_AT;
	if (end - middle > MAX_LOOKED_AT)
		end = middle + MAX_LOOKED_AT;
	for (; begin < end; begin++) {
		const struct lode_answer *answer = &q->clients->answers.at[begin];

		if (answer->thread == server && events->stack[answer->event])
			places->at[places->n++] = events->stack[answer->event];
	}
}

/*
 * Whether the server awaits `client` where it awaits who waits for it in the chain: whom it asks
 * itself, it mostly awaits elsewhere, and whom it only tells something, not at all. `otherwise`:
 * what is true if it was not seen to await it.
 */
static bool is_awaited_alike(const struct question *q, lode_thread_id client, lode_thread_id server,
			     bool otherwise)
{
	struct places places, known;

	find_places(&places, q, client, server);
	find_places(&known, q, q->path->links.at[link_of(q, server)->parent].thread, server);
	for (size_t i = 0; i < places.n; i++)
		for (size_t k = 0; k < known.n; k++)
			if (places.at[i] == known.at[k])
				return true;
	return places.n == 0 && otherwise;
}

/* Apart from when it asked. `has_asked`: it was seen to wake the server. */
static bool can_be_client(const struct question *q, lode_thread_id client, lode_thread_id server,
			  bool has_asked)
{
	const struct lode_thread *threads = q->stream->threads.at;

	return !link_of(q, client) && threads[client].pid != threads[server].pid &&
	       threads[client].comm != threads[q->last->thread].comm &&
	       is_awaited_alike(q, client, server, has_asked);
}

/* Whether `client`, which woke the server at `t_ns`, has no answer yet, and gets it next. */
static bool is_unanswered(const struct question *q, lode_thread_id client, lode_thread_id server,
			  int64_t t_ns)
{
	const struct lode_events *events = events_of(q, client);
	size_t i = lode_events_find(events, t_ns);

	while (i < events->n && !lode_is_for_requests(events, i) && events->start_ns[i] <= q->at_ns)
		i++;
	return i < events->n && lode_is_for_requests(events, i) && events->other[i] == server &&
	       lode_event_end_ns(events, i) > q->at_ns;
}

/*
 * Whom the server answers next of those that wait for it: who asked before the symptom's thread, of
 * another name than that if there is one. If it works on what that asked (`is_own`), only such as
 * have their answers before it: what it found when it woke.
 */
static lode_thread_id answered_next(const struct question *q, lode_thread_id server, bool is_own)
{
	const struct lode_thread *threads = q->stream->threads.at;
	size_t i = first_answer(q->clients, server, q->at_ns);
	size_t end = q->clients->first.at[server + 1];
	lode_thread_id next = LODE_NONE;

	if (q->is_seen)
		return LODE_NONE;
	if (end - i > MAX_LOOKED_AT)
		end = i + MAX_LOOKED_AT;
	for (; i < end; i++) {
		const struct lode_answer *answer = &q->clients->answers.at[i];
		lode_thread_id client = answer->thread;
		int64_t start_ns = events_of(q, client)->start_ns[answer->event];
		bool is_namesake = threads[client].comm == threads[q->first->thread].comm;

		if (is_own ? answer->end_ns >= q->answered_ns || start_ns > q->at_ns || is_namesake
			   : start_ns >= q->asked_ns)
			continue;
		if ((is_namesake && next != LODE_NONE) || !can_be_client(q, client, server, false))
			continue;
		if (!is_namesake)
			return client;
		next = client;
	}
	return next;
}

/* When the symptom's thread had an answer before: what it asked until then is done. */
static int64_t answered_before_ns(const struct question *q)
{
	uint32_t wait = latest_request(q, q->first->thread, q->asked_ns);

	return wait == LODE_NONE ? INT64_MIN
				 : lode_event_end_ns(events_of(q, q->first->thread), wait);
}

static lode_thread_id find_client(const struct question *q)
{
	lode_thread_id server = q->last->thread, client;
	int64_t t_ns = q->at_ns;
	uint32_t wait;

	for (int hops = 0; hops < LODE_CRITPATH_MAX_LINKS; hops++) {
		wait = latest_request(q, server, t_ns);
		if (wait == LODE_NONE)
			return LODE_NONE;
		client = events_of(q, server)->other[wait];
		t_ns = lode_event_end_ns(events_of(q, server), wait);
		if (client >= q->stream->threads.n)
			return LODE_NONE;
		if (client == q->first->thread && t_ns >= answered_before_ns(q))
			return answered_next(q, server, true);
		if (client != q->first->thread && link_of(q, client)) {
			server = client;
			continue;
		}
		if (t_ns >= q->asked_ns)
			return LODE_NONE;
		if (can_be_client(q, client, server, true) &&
		    is_unanswered(q, client, server, t_ns))
			return client;
		return answered_next(q, server, false);
	}
	return LODE_NONE;
}

lode_thread_id lode_client_of(struct lode_clients *clients, const struct lode_stream *stream,
			      const struct lode_critpath *path, uint32_t link, bool is_seen)
{
	struct question q = {
		.clients = clients,
		.stream = stream,
		.path = path,
		.last = &path->links.at[link],
		.is_seen = is_seen,
	};

	for (q.first = q.last; q.first->parent != LODE_NONE;) {
		q.first = &path->links.at[q.first->parent];
		if (!lode_is_for_requests(events_of(&q, q.first->thread), q.first->event))
			return LODE_NONE;
	}
	if (clients->first.n == 0)
		find_answers(clients, stream);
	q.asked_ns = events_of(&q, q.first->thread)->start_ns[q.first->event];
	q.answered_ns = lode_event_end_ns(events_of(&q, q.first->thread), q.first->event);
	q.at_ns = events_of(&q, q.last->thread)->start_ns[q.last->event];
	if (q.at_ns < q.asked_ns)
		q.at_ns = q.asked_ns;
	return find_client(&q);
}

void lode_clients_release(struct lode_clients *clients)
{
	lode_vec_release_each(&clients->latest, it, free(*it));
	lode_vec_release(&clients->answers);
	lode_vec_release(&clients->first);
}
