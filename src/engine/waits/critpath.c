/* Critical path of one symptom (docs/waits.md). */
#include "engine/waits/critpath.h"

#include "model/connections.h"

/* A thread on the chain and how far its part of the symptom is accounted for. */
struct level {
	lode_thread_id thread;
	uint32_t parent; /* link of the wait that led here; LODE_NONE for the symptom's thread */
	size_t next;	 /* first event that may end after `at_ns` */
	int64_t at_ns, end_ns;
};

/* The chain being followed: levels instead of recursion, so that no input can exhaust the stack. */
struct walk {
	struct lode_critpath *path;
	const struct lode_stream *stream;
	size_t n_levels;
	struct level levels[LODE_CRITPATH_MAX_LINKS];
};

static void push_level(struct walk *walk, lode_thread_id thread, uint32_t parent, int64_t start_ns,
		       int64_t end_ns)
{
	const struct lode_events *events = &walk->stream->threads.at[thread].events;
	size_t *last = &walk->path->last_found.at[thread];

	/* Time only goes on: where the thread was looked for last is close by. */
	*last = lode_events_find_near(events, start_ns, *last);
	walk->levels[walk->n_levels++] = (struct level){
		.thread = thread,
		.parent = parent,
		.next = *last,
		.at_ns = start_ns,
		.end_ns = end_ns,
	};
}

static uint32_t add_link(struct walk *walk, const struct level *level, uint32_t event)
{
	struct lode_link link = {level->parent, level->thread, event, LODE_NONE, false};

	lode_vec_append(&walk->path->links, link);
	return (uint32_t)(walk->path->links.n - 1);
}

static void add_span(struct walk *walk, int64_t start_ns, int64_t end_ns, uint32_t link)
{
	struct lode_critpath *path = walk->path;
	struct lode_span span = {start_ns, end_ns, link};

	if (path->spans.n && path->spans.at[path->spans.n - 1].link == link &&
	    path->spans.at[path->spans.n - 1].end_ns == start_ns)
		path->spans.at[path->spans.n - 1].end_ns = end_ns;
	else
		lode_vec_append(&path->spans, span);
}

/* Accounts for the time up to `end_ns` in which nothing is known of the level's thread. */
static void add_gap(struct walk *walk, struct level *level, int64_t end_ns)
{
	uint32_t link = level->parent;

	if (link == LODE_NONE)
		link = add_link(walk, level, LODE_NONE);
	add_span(walk, level->at_ns, end_ns, link);
	level->at_ns = end_ns;
}

static bool is_in_chain(const struct walk *walk, lode_thread_id thread)
{
	for (size_t i = 0; i < walk->n_levels; i++)
		if (walk->levels[i].thread == thread)
			return true;
	return false;
}

/* The thread whose doings explain this event's time; LODE_NONE: the time is the event's own. */
static lode_thread_id thread_to_follow(const struct walk *walk, const struct lode_events *events,
				       size_t event)
{
	lode_thread_id waker;

	/* Ready between two waits that are one: as the wait before it. */
	if (events->kind[event] == LODE_EVENT_READY && events->flags[event] & LODE_EVENT_REARMED &&
	    event > 0)
		event--;
	waker = events->other[event];
	if (events->kind[event] != LODE_EVENT_WAITING || waker >= walk->stream->threads.n ||
	    events->reason[event] == LODE_REASON_TIMER ||
	    events->reason[event] == LODE_REASON_IDLE || walk->n_levels == LODE_CRITPATH_MAX_LINKS)
		return LODE_NONE;
	return is_in_chain(walk, waker) ? LODE_NONE : waker;
}

/* The thread itself, or, before it was born, who was to create it; *until_ns: no longer than that.
 */
static lode_thread_id maker_at(const struct walk *walk, lode_thread_id thread, int64_t t_ns,
			       int64_t *until_ns)
{
	const struct lode_thread *threads = walk->stream->threads.at;

	while (t_ns < threads[thread].born_ns) {
		lode_thread_id parent = threads[thread].parent;

		if (parent >= walk->stream->threads.n ||
		    threads[parent].born_ns >= threads[thread].born_ns)
			break;
		if (threads[thread].born_ns < *until_ns)
			*until_ns = threads[thread].born_ns;
		thread = parent;
	}
	return thread;
}

/* Takes the innermost level one event, or one gap, further. */
static void step(struct walk *walk)
{
	struct level *level = &walk->levels[walk->n_levels - 1];
	const struct lode_events *events = &walk->stream->threads.at[level->thread].events;
	int64_t start_ns = level->at_ns, end_ns, until_ns;
	lode_thread_id waker, maker, serving = LODE_NONE;
	bool is_queued = false;
	uint32_t link;
	size_t i;

	while (level->next < events->n && (lode_event_end_ns(events, level->next) <= start_ns ||
					   events->cost_ns[level->next] <= 0))
		level->next++;
	i = level->next;
	if (i == events->n || events->start_ns[i] >= level->end_ns) {
		add_gap(walk, level, level->end_ns);
		return;
	}
	if (events->start_ns[i] > start_ns) {
		add_gap(walk, level, events->start_ns[i]);
		return;
	}
	end_ns = lode_event_end_ns(events, i);
	if (end_ns > level->end_ns)
		end_ns = level->end_ns;
	waker = thread_to_follow(walk, events, i);
	maker = waker == LODE_NONE ? waker : maker_at(walk, waker, start_ns, &end_ns);
	if (maker != waker) {
		waker = is_in_chain(walk, maker) ? LODE_NONE : maker;
	} else if (waker != LODE_NONE && walk->stream->connections) {
		serving = lode_connections_serves(walk->stream, level->thread, i, waker, start_ns,
						  &until_ns, &is_queued);
		if (until_ns < end_ns)
			end_ns = until_ns;
	}
	level->at_ns = end_ns;
	link = add_link(walk, level, (uint32_t)i);
	walk->path->links.at[link].serving = serving;
	walk->path->links.at[link].is_queued = is_queued;
	if (waker == LODE_NONE)
		add_span(walk, start_ns, end_ns, link);
	else
		push_level(walk, waker, link, start_ns, end_ns);
}

/* Follows all levels but the first `n_done`. */
static void follow(struct walk *walk, size_t n_done)
{
	while (walk->n_levels > n_done) {
		if (walk->levels[walk->n_levels - 1].at_ns >=
		    walk->levels[walk->n_levels - 1].end_ns)
			walk->n_levels--;
		else
			step(walk);
	}
}

void lode_critpath_build(struct lode_critpath *path, const struct lode_stream *stream,
			 const struct lode_symptom *symptom)
{
	struct walk walk = {.path = path, .stream = stream};

	path->links.n = path->spans.n = 0;
	while (path->last_found.n < stream->threads.n)
		lode_vec_append(&path->last_found, 0);
	push_level(&walk, symptom->thread, LODE_NONE, symptom->t0_ns, symptom->t1_ns);
	follow(&walk, 0);
}

void lode_critpath_branch(struct lode_critpath *path, const struct lode_stream *stream,
			  uint32_t parent, lode_thread_id thread, int64_t t0_ns, int64_t t1_ns)
{
	struct walk walk = {.path = path, .stream = stream};
	size_t n_done;

	/* Who is in the chain already is not followed to again. */
	for (uint32_t link = parent; link != LODE_NONE; link = path->links.at[link].parent)
		walk.levels[walk.n_levels++].thread = path->links.at[link].thread;
	n_done = walk.n_levels;
	push_level(&walk, thread, parent, t0_ns, t1_ns);
	follow(&walk, n_done);
}

void lode_critpath_release(struct lode_critpath *path)
{
	lode_vec_release(&path->links);
	lode_vec_release(&path->spans);
	lode_vec_release(&path->last_found);
}
