/* Folds the events of a symptom's delay to a digest (docs/waits.md). */
#include "engine/waits/aoi.h"

#include "engine/waits/chain.h"
#include "engine/waits/client.h"
#include "engine/waits/fold.h"
#include "engine/waits/critpath.h"
#include "engine/waits/occurrences.h"
#include "engine/waits/polled.h"
#include "engine/waits/ran_instead.h"
#include "engine/waits/waitgraph.h"
#include "engine/waits/worker_pool.h"
#include "model/tracers.h"

/* What a link of a critical path is in the digest; worked out once however many spans it has. */
struct link_stack {
	uint32_t chain;	 /* its stack, chained or own */
	uint32_t last;	 /* the same where it ends the chain; LODE_NONE: not asked for yet */
	uint32_t base;	 /* of the links behind it, all of one thread; LODE_NONE: none yet */
	uint32_t client; /* for whom its thread worked, LODE_NONE or NOT_ASKED */
	uint8_t reason;	 /* of the symptom thread's wait that began the chain */
};

enum { NOT_ASKED = LODE_IDLE };

/* Whose of `n` in turn the time is: of n ns, each has one. */
struct turn {
	int64_t t0_ns;
	size_t index, n;
};

/* The digest being made, and what is used again from symptom to symptom. */
struct aoi {
	const struct lode_stream *stream;
	const struct lode_aoi_options *options;
	struct lode_digest *digest;
	struct lode_chain_joiner joiner;
	struct lode_fold fold;
	struct lode_critpath path;
	struct lode_clients clients;
	struct lode_waitgraph graph;
	LODE_VEC(uint32_t) number_of; /* per node of the graph: its occurrence */
	struct lode_occurrences occurrences;
	struct lode_polled polled;
	struct lode_pools pools;
	struct turn turn;
	LODE_VEC(struct link_stack) link_stacks;
	int64_t lost_cost_ns;
	bool is_cpu_only;
	uint32_t idle_name, unrecorded_name, no_wakeups_name; /* string ids */
	uint32_t recording; /* node of the stream's tree: tracers.h */
	size_t *runs_near;  /* as lode_ran_instead_begin has it */
};

/* How much of [start, end) is whose turn it is. */
static int64_t own_part(const struct turn *turn, int64_t start_ns, int64_t end_ns)
{
	uint64_t from = (uint64_t)start_ns - (uint64_t)turn->t0_ns + turn->index;
	uint64_t to = (uint64_t)end_ns - (uint64_t)turn->t0_ns + turn->index;

	return turn->n > 1 ? (int64_t)(to / turn->n - from / turn->n) : end_ns - start_ns;
}

/* The first ns from `t_ns` on that is its turn. */
static int64_t first_turn(const struct turn *turn, int64_t t_ns)
{
	uint64_t place = (uint64_t)t_ns - (uint64_t)turn->t0_ns + turn->index;

	return t_ns + (int64_t)(turn->n - 1 - place % turn->n);
}

/* Why it is not known that the piece's thread was ready at all: the name of the runner that stands
   for the reason; 0: it is. */
static uint32_t why_unknown(const struct aoi *aoi, const struct lode_piece *piece)
{
	const struct lode_events *events = &aoi->stream->threads.at[piece->thread].events;

	/* When woken threads became ready is not in the recording, and a switch that it lacks may
	   have been to a wait. */
	if (!aoi->stream->has_wakings)
		return aoi->no_wakeups_name;
	return events->flags[piece->event] & LODE_EVENT_INFERRED ? aoi->unrecorded_name : 0;
}

/* Who had the CPU while the piece's thread was ready. */
static void add_runners(struct aoi *aoi, const struct lode_piece *piece, uint32_t row)
{
	int64_t at_ns = piece->start_ns, end_ns = at_ns + piece->cost_ns;
	uint32_t name = why_unknown(aoi, piece);
	struct lode_ran_instead ran;

	if (name) {
		lode_fold_ran(&aoi->fold, row, name, own_part(&aoi->turn, at_ns, end_ns));
		return;
	}

	lode_ran_instead_begin(&ran, aoi->stream, piece->thread, piece->event, piece->start_ns,
			       piece->start_ns + piece->cost_ns, aoi->runs_near);
	while (lode_ran_instead_next(&ran)) {
		if (ran.thread == LODE_IDLE)
			name = aoi->idle_name;
		else if (ran.thread == LODE_NONE)
			name = aoi->unrecorded_name;
		else
			name = lode_chain_thread_name(&aoi->joiner, ran.thread);
		lode_fold_ran(&aoi->fold, row, name,
			      own_part(&aoi->turn, at_ns, at_ns + ran.cost_ns));
		at_ns += ran.cost_ns;
	}
}

/* Time of tracing code and of the recorder's own threads. */
static bool is_of_recording(const struct aoi *aoi, const struct lode_piece *piece)
{
	const struct lode_thread *thread = &aoi->stream->threads.at[piece->thread];

	return thread->is_recorder ||
	       (piece->event != LODE_NONE && thread->events.stack[piece->event] == aoi->recording);
}

static void add_piece(struct aoi *aoi, const struct lode_piece *piece)
{
	const struct lode_aoi_options *options = aoi->options;
	const struct lode_piece *part = piece;
	struct lode_piece own, recording;
	uint32_t row;

	if (options->kinds && !(options->kinds >> piece->kind & 1))
		return;
	if (options->reasons && !(options->reasons >> piece->reason & 1))
		return;
	if (aoi->turn.n > 1) {
		own = *piece;
		own.cost_ns =
			own_part(&aoi->turn, piece->start_ns, piece->start_ns + piece->cost_ns);
		own.is_whole = false;
		if (!own.cost_ns)
			return;
		own.start_ns = first_turn(&aoi->turn, piece->start_ns);
		part = &own;
	}
	if (is_of_recording(aoi, piece)) {
		recording = *part;
		recording.stack = lode_chain_recording(&aoi->joiner);
		recording.reason = LODE_REASON_NONE;
		recording.waker = 0;
		part = &recording;
	}
	row = lode_fold_add(&aoi->fold, part, aoi->occurrences.at);
	if (piece->kind == LODE_EVENT_READY && aoi->stream->has_switches)
		add_runners(aoi, piece, row);
}

/* Who ended a waiting event, as a string id of the digest; 0 if it is not known. */
static uint32_t ender_name(struct aoi *aoi, const struct lode_events *events, uint32_t event)
{
	if (events->other[event] < aoi->stream->threads.n)
		return lode_chain_thread_name(&aoi->joiner, events->other[event]);
	if (events->device[event] != LODE_DEVICE_NONE)
		return lode_chain_device_name(&aoi->joiner, events->device[event]);
	return 0;
}

static bool is_ended_by_device(const struct lode_events *events, uint32_t event)
{
	return events->kind[event] == LODE_EVENT_WAITING && events->other[event] == LODE_NONE &&
	       events->device[event] != LODE_DEVICE_NONE;
}

/* The wait that an event is of: itself, or for time that a thread was ready at the end of a wait,
   that wait. */
static uint32_t wait_of(const struct lode_events *events, uint32_t event)
{
	bool is_behind = event > 0 && events->kind[event] == LODE_EVENT_READY &&
			 events->kind[event - 1] == LODE_EVENT_WAITING &&
			 events->stack[event - 1] == events->stack[event] &&
			 lode_event_end_ns(events, event - 1) == events->start_ns[event];

	return is_behind ? event - 1 : event;
}

static bool has_unknown_end(const struct lode_events *events, uint32_t event)
{
	return events->kind[event] == LODE_EVENT_WAITING && events->other[event] == LODE_NONE &&
	       events->device[event] == LODE_DEVICE_NONE &&
	       events->reason[event] != LODE_REASON_IDLE;
}

/* ---- Scopes thread and graph: events with their own stacks ---- */

static void add_event(struct aoi *aoi, lode_thread_id thread, uint32_t event, int64_t start_ns,
		      int64_t cost_ns)
{
	const struct lode_events *events = &aoi->stream->threads.at[thread].events;
	bool is_wait = events->kind[event] == LODE_EVENT_WAITING;
	struct lode_piece piece = {
		.stack = lode_chain_stack(&aoi->joiner, 0, events->stack[event]),
		.waker = is_wait ? ender_name(aoi, events, event) : 0,
		.kind = events->kind[event],
		.reason = events->reason[event],
		.thread = thread,
		.event = event,
		.start_ns = start_ns,
		.cost_ns = cost_ns,
		.is_whole = true, /* an event comes once in these scopes */
		.is_unsampled = events->flags[event] & LODE_EVENT_UNSAMPLED,
	};

	if (has_unknown_end(events, event))
		aoi->lost_cost_ns += cost_ns;
	add_piece(aoi, &piece);
}

static void add_samples(struct aoi *aoi, const struct lode_symptom *symptom)
{
	const struct lode_events *events = &aoi->stream->threads.at[symptom->thread].events;

	for (size_t i = 0; i < events->n; i++)
		if (lode_scope_has_sample(aoi->stream, symptom, i))
			add_event(aoi, symptom->thread, (uint32_t)i, events->start_ns[i],
				  events->cost_ns[i]);
}

static void add_thread_aoi(struct aoi *aoi, const struct lode_symptom *symptom)
{
	const struct lode_events *events = &aoi->stream->threads.at[symptom->thread].events;
	int64_t start_ns, end_ns;

	for (size_t i = lode_scope_first(aoi->stream, symptom); i < events->n; i++) {
		start_ns = events->start_ns[i];
		end_ns = lode_event_end_ns(events, i);
		if (start_ns >= symptom->t1_ns)
			break;
		if (start_ns < symptom->t0_ns)
			start_ns = symptom->t0_ns;
		if (end_ns > symptom->t1_ns)
			end_ns = symptom->t1_ns;
		if (start_ns >= end_ns)
			continue;
		lode_occurrences_enter(&aoi->occurrences, (uint32_t)i);
		add_event(aoi, symptom->thread, (uint32_t)i, start_ns, end_ns - start_ns);
	}
}

/* Nodes of the symptom's thread come first; others belong to the occurrence of their root. */
static void add_graph(struct aoi *aoi, const struct lode_symptom *symptom)
{
	lode_waitgraph_build(&aoi->graph, aoi->stream, symptom);
	aoi->number_of.n = 0;
	for (size_t i = 0; i < aoi->graph.nodes.n; i++) {
		const struct lode_waitgraph_node *node = &aoi->graph.nodes.at[i];
		const struct lode_events *events = &aoi->stream->threads.at[node->thread].events;

		if (node->root != i)
			aoi->occurrences.at = aoi->number_of.at[node->root];
		else if (aoi->stream->has_switches)
			lode_occurrences_enter(&aoi->occurrences, node->event);
		lode_vec_append(&aoi->number_of, aoi->occurrences.at);
		add_event(aoi, node->thread, node->event, events->start_ns[node->event],
			  events->cost_ns[node->event]);
	}
}

/* ---- Scope critical: spans with chained stacks ---- */

/* Stacks of links from `first` on, parents first: a link's stack is its parent's and what it adds.
 */
static void make_link_stacks(struct aoi *aoi, size_t first)
{
	const struct lode_critpath *path = &aoi->path;
	struct link_stack *stacks, *parent;

	lode_vec_reserve(&aoi->link_stacks, path->links.n);
	stacks = aoi->link_stacks.at;
	for (size_t i = first; i < path->links.n; i++) {
		const struct lode_link *link = &path->links.at[i];
		const struct lode_events *events = &aoi->stream->threads.at[link->thread].events;
		uint32_t base = 0;

		stacks[i].base = stacks[i].last = LODE_NONE;
		stacks[i].client = NOT_ASKED;
		stacks[i].reason = LODE_REASON_NONE;
		if (link->event == LODE_NONE) {
			stacks[i].chain = lode_chain_unrecorded(&aoi->joiner);
			continue;
		}
		if (link->parent == LODE_NONE) {
			stacks[i].reason = events->reason[link->event];
		} else {
			parent = &stacks[link->parent];
			if (parent->base == LODE_NONE && !aoi->options->own_stacks)
				parent->base =
					lode_chain_server(&aoi->joiner, parent->chain, link->thread,
							  path->links.at[link->parent].serving);
			stacks[i].reason = parent->reason;
			base = aoi->options->own_stacks ? 0 : parent->base;
		}
		stacks[i].chain = lode_chain_stack(&aoi->joiner, base, events->stack[link->event]);
	}
}

/*
 * By inference. Where sends and receives were recorded, they say whether the thread was at
 * another's request, and mostly whose.
 */
static lode_thread_id client_of(struct aoi *aoi, uint32_t index)
{
	struct link_stack *stack = &aoi->link_stacks.at[index];
	const struct lode_link *wait = &aoi->path.links.at[aoi->path.links.at[index].parent];

	if (stack->client == NOT_ASKED)
		stack->client =
			aoi->stream->connections && (!wait->is_queued || wait->serving != LODE_NONE)
				? LODE_NONE
				: lode_client_of(&aoi->clients, aoi->stream, &aoi->path, index,
						 false);
	return stack->client;
}

/* Whether the thread of a link, which is not the first of its chain, is at another's request. */
static bool is_queued(struct aoi *aoi, uint32_t index)
{
	const struct lode_link *links = aoi->path.links.at;

	return links[links[index].parent].is_queued || client_of(aoi, index) != LODE_NONE;
}

/* Stack of a link that ends its chain: with the client for whom its thread worked. */
static uint32_t last_stack(struct aoi *aoi, uint32_t index)
{
	const struct lode_link *link = &aoi->path.links.at[index];
	struct link_stack *stack = &aoi->link_stacks.at[index];
	lode_thread_id client;
	uint32_t base;

	if (stack->last != LODE_NONE)
		return stack->last;
	stack->last = stack->chain;
	if (link->parent == LODE_NONE || aoi->options->own_stacks)
		return stack->last;
	client = client_of(aoi, index);
	if (client == LODE_NONE)
		return stack->last;
	base = lode_chain_client(&aoi->joiner, aoi->link_stacks.at[link->parent].base, client);
	return stack->last = lode_chain_stack(
		       &aoi->joiner, base,
		       aoi->stream->threads.at[link->thread].events.stack[link->event]);
}

/*
 * A piece of a thread that polls, with what the likely holder was at behind its stack: the time
 * stays the poller's, and so do its kind and its waker. `unknown`: the stack where nothing is known
 * of the holder.
 */
static void add_held(struct aoi *aoi, const struct lode_piece *whole, lode_thread_id holder,
		     uint32_t unknown)
{
	const struct lode_events *events = &aoi->stream->threads.at[holder].events;
	uint32_t base = lode_chain_holder(&aoi->joiner, whole->stack, holder);
	int64_t at_ns = whole->start_ns, end_ns = at_ns + whole->cost_ns;
	struct lode_piece piece = *whole;

	piece.is_whole = false;
	for (size_t i = lode_events_find(events, at_ns); at_ns < end_ns;) {
		bool is_known = i < events->n && events->start_ns[i] <= at_ns;
		int64_t next_ns = end_ns;

		if (i < events->n)
			next_ns = is_known ? lode_event_end_ns(events, i) : events->start_ns[i];
		piece.start_ns = at_ns;
		piece.cost_ns = (next_ns < end_ns ? next_ns : end_ns) - at_ns;
		piece.stack =
			is_known ? lode_chain_stack(&aoi->joiner, base, events->stack[i]) : unknown;
		if (piece.cost_ns > 0) {
			add_piece(aoi, &piece);
			at_ns += piece.cost_ns;
		}
		i += is_known;
	}
}

/* A piece that ends its chain: whom a device ended, or who polls, has a link to that behind it.
   Ready time is at the place of the wait before it: with a CPU there would be none. */
static void add_end(struct aoi *aoi, struct lode_piece *piece)
{
	const struct lode_events *events = &aoi->stream->threads.at[piece->thread].events;
	uint32_t ended = piece->stack, wait = wait_of(events, piece->event);
	lode_thread_id holder =
		lode_polled_holder(&aoi->polled, aoi->stream, piece->thread, piece->event);

	if (is_ended_by_device(events, wait))
		ended = lode_chain_device(&aoi->joiner, piece->stack, events->device[wait]);
	if (holder != LODE_NONE) {
		add_held(aoi, piece, holder, ended);
		return;
	}
	piece->stack = ended;
	add_piece(aoi, piece);
}

static void add_span(struct aoi *aoi, const struct lode_span *span)
{
	const struct lode_link *link = &aoi->path.links.at[span->link];
	const struct lode_events *events = &aoi->stream->threads.at[link->thread].events;
	struct lode_piece piece = {
		.stack = last_stack(aoi, span->link),
		.kind = LODE_EVENT_WAITING, /* all that is known of unrecorded time */
		.reason = aoi->link_stacks.at[span->link].reason,
		.thread = link->thread,
		.event = link->event,
		.start_ns = span->start_ns,
		.cost_ns = span->end_ns - span->start_ns,
		.is_whole = link->event == LODE_NONE,
	};

	if (link->event != LODE_NONE) {
		piece.kind = events->kind[link->event];
		piece.is_unsampled = events->flags[link->event] & LODE_EVENT_UNSAMPLED;
		piece.is_whole = piece.cost_ns == events->cost_ns[link->event];
		if (piece.kind == LODE_EVENT_WAITING)
			piece.waker = ender_name(aoi, events, link->event);
		else if (link->parent != LODE_NONE)
			piece.waker = lode_chain_thread_name(&aoi->joiner, link->thread);
		if (has_unknown_end(events, link->event))
			aoi->lost_cost_ns += own_part(&aoi->turn, span->start_ns, span->end_ns);
		if (!aoi->options->own_stacks) {
			add_end(aoi, &piece);
			return;
		}
	}
	add_piece(aoi, &piece);
}

/* What another worker of the pool of `queued` was at. */
static void add_fellow(struct aoi *aoi, uint32_t queued, lode_thread_id fellow, int64_t start_ns,
		       int64_t end_ns)
{
	struct lode_critpath *path = &aoi->path;
	size_t n_links = path->links.n, n_spans = path->spans.n;
	struct lode_link wait = path->links.at[path->links.at[queued].parent];

	/* A wait of its own: the links behind one are all of one thread. */
	wait.serving = LODE_NONE;
	lode_vec_append(&path->links, wait);
	lode_critpath_branch(path, aoi->stream, (uint32_t)n_links, fellow, start_ns, end_ns);
	make_link_stacks(aoi, n_links);
	/* Who will be answered next tells nothing of one that did not take the request. */
	for (size_t i = n_links; i < path->links.n; i++)
		aoi->link_stacks.at[i].client = i > n_links
							? lode_client_of(&aoi->clients, aoi->stream,
									 path, (uint32_t)i, true)
							: LODE_NONE;
	for (size_t i = n_spans; i < path->spans.n; i++)
		add_span(aoi, &path->spans.at[i]);
	path->links.n = n_links;
	path->spans.n = n_spans;
}

/*
 * Of whose queue the time is from `t_ns` until *until_ns: the first link of the chain that has
 * other threads at work; LODE_NONE: none has. *pool: of that link, if any.
 */
static uint32_t queue_at(struct aoi *aoi, uint32_t index, int64_t t_ns, int64_t *until_ns,
			 struct lode_pool_moment *pool)
{
	const struct lode_link *links = aoi->path.links.at;
	uint32_t chain[LODE_CRITPATH_MAX_LINKS];
	size_t n = 0;

	for (; links[index].parent != LODE_NONE; index = links[index].parent)
		chain[n++] = index;
	while (n--) {
		if (!is_queued(aoi, chain[n]))
			continue;
		lode_pool_at(pool, &aoi->pools, aoi->stream, links[links[chain[n]].parent].thread,
			     links[chain[n]].thread, t_ns);
		if (pool->until_ns < *until_ns)
			*until_ns = pool->until_ns;
		if (pool->n > 1)
			return chain[n];
	}
	return LODE_NONE;
}

/* A span, of which all who work on one queue get their share while the queue is not empty. */
static void add_chain_span(struct aoi *aoi, struct lode_span span)
{
	int64_t end_ns = span.end_ns;
	struct lode_pool_moment pool;

	for (; span.start_ns < end_ns; span.start_ns = span.end_ns) {
		uint32_t queue;

		span.end_ns = end_ns;
		queue = queue_at(aoi, span.link, span.start_ns, &span.end_ns, &pool);
		if (queue == LODE_NONE) {
			add_span(aoi, &span);
			continue;
		}
		aoi->turn.n = pool.n;
		for (aoi->turn.index = 0; aoi->turn.index < pool.n; aoi->turn.index++)
			if (pool.threads[aoi->turn.index] == aoi->path.links.at[queue].thread)
				add_span(aoi, &span);
			else
				add_fellow(aoi, queue, pool.threads[aoi->turn.index], span.start_ns,
					   span.end_ns);
		aoi->turn.n = 1;
	}
}

/* The event of the symptom's thread during which a span is. */
static uint32_t first_event(const struct lode_critpath *path, const struct lode_span *span)
{
	const struct lode_link *link = &path->links.at[span->link];

	while (link->parent != LODE_NONE)
		link = &path->links.at[link->parent];
	return link->event;
}

static void add_critical(struct aoi *aoi, const struct lode_symptom *symptom)
{
	lode_critpath_build(&aoi->path, aoi->stream, symptom);
	make_link_stacks(aoi, 0);
	aoi->turn = (struct turn){symptom->t0_ns, 0, 1};
	for (size_t i = 0; i < aoi->path.spans.n; i++) {
		const struct lode_span *span = &aoi->path.spans.at[i];

		lode_occurrences_enter(&aoi->occurrences, first_event(&aoi->path, span));
		add_chain_span(aoi, *span);
	}
}

/* ---- Digest ---- */

static uint32_t intern(struct lode_digest *digest, const char *text)
{
	if (!text)
		text = "";
	return lode_strings_intern(&digest->tree.strings, text, strlen(text));
}

/* The chains of the rows become nodes of the tree, and the rows take their places. */
static void plant_rows(struct aoi *aoi)
{
	struct lode_digest *digest = aoi->digest;
	bool *is_wanted = lode_alloc0(lode_chain_count(&aoi->joiner), sizeof(*is_wanted));

	for (size_t i = 0; i < digest->rows.n; i++)
		is_wanted[digest->rows.at[i].stack] = true;
	lode_chain_plant(&aoi->joiner, is_wanted);
	for (size_t i = 0; i < digest->rows.n; i++)
		digest->rows.at[i].stack = aoi->joiner.node_of.at[digest->rows.at[i].stack];
	lode_digest_rows_sort(digest->rows.at, digest->rows.n);
	free(is_wanted);
}

/* Of all its samples: what content filters leave out of them is symptom time as well. */
static int64_t cpu_time_of(const struct lode_stream *stream, const struct lode_symptom *symptom)
{
	const struct lode_events *events = &stream->threads.at[symptom->thread].events;
	int64_t sum_ns = 0;

	for (size_t i = 0; i < events->n; i++)
		if (lode_scope_has_sample(stream, symptom, i))
			sum_ns += events->cost_ns[i];
	return sum_ns;
}

static void add_symptom(struct aoi *aoi, const struct lode_symptom *symptom)
{
	const struct lode_thread *thread = &aoi->stream->threads.at[symptom->thread];
	struct lode_calltree *tree = &aoi->digest->tree;
	const char *comm = aoi->stream->tree.strings.text.at[thread->comm];
	struct lode_digest_symptom digested = {
		.stream = 0,
		.pid = thread->pid,
		.tid = thread->tid,
		.comm = lode_strings_intern(&tree->strings, comm, strlen(comm)),
		.t0_ns = symptom->t0_ns,
		.t1_ns = symptom->t1_ns,
		.is_cpu_time = aoi->is_cpu_only && symptom->is_life,
	};

	if (digested.is_cpu_time)
		digested.cpu_ns = cpu_time_of(aoi->stream, symptom);
	lode_vec_append(&aoi->digest->symptoms, digested);
	lode_occurrences_start(&aoi->occurrences, &thread->events);
	if (aoi->options->scope == LODE_SCOPE_GRAPH)
		add_graph(aoi, symptom);
	else if (!aoi->stream->has_switches)
		add_samples(aoi, symptom);
	else if (aoi->options->scope == LODE_SCOPE_THREAD || aoi->stream->is_one_cpu)
		add_thread_aoi(aoi, symptom);
	else
		add_critical(aoi, symptom);
	lode_fold_finish(&aoi->fold, aoi->digest, (uint32_t)aoi->digest->symptoms.n - 1);
}

static void describe_stream(struct lode_digest *digest, const struct lode_stream *stream,
			    int64_t lost_cost_ns)
{
	struct lode_digest_stream digested = {
		.path = intern(digest, stream->path),
		.content_hash = stream->content_hash,
		.host = intern(digest, stream->host),
		.kernel = intern(digest, stream->kernel),
		.t0_ns = stream->t0_ns,
		.t1_ns = stream->t1_ns,
		.has_wall_clock = stream->has_wall_clock,
		.wall_offset_ns = stream->has_wall_clock ? stream->wall_offset_ns : 0,
		.lost_cost_ns = lost_cost_ns,
		.n_records = stream->n_samples,
	};
	struct lode_loss_note losses[LODE_N_LOSS_KINDS];
	uint32_t unit = intern(digest, stream->unit);

	digest->unit = digest->tree.strings.text.at[unit];
	lode_digest_losses_copy(digest, &digested, losses,
				lode_losses_list(losses, &stream->losses));
	lode_vec_append(&digest->streams, digested);
}

static int check_symptoms(const struct lode_stream *stream, const struct lode_symptom *symptoms,
			  size_t n_symptoms, struct lode_error *err)
{
	int64_t length_ns;

	for (size_t i = 0; i < n_symptoms; i++) {
		if (symptoms[i].thread >= stream->threads.n)
			return lode_fail(err, LODE_ERR_ARG, stream->path, -1,
					 "symptom %zu is of thread %u, the recording has %zu", i,
					 symptoms[i].thread, stream->threads.n);
		if (symptoms[i].t1_ns < symptoms[i].t0_ns)
			return lode_fail(err, LODE_ERR_ARG, stream->path, -1,
					 "symptom %zu ends before it starts", i);
		if (__builtin_sub_overflow(symptoms[i].t1_ns, symptoms[i].t0_ns, &length_ns))
			return lode_fail(err, LODE_ERR_ARG, stream->path, -1,
					 "symptom %zu is longer than 292 years", i);
	}
	return LODE_OK;
}

int lode_aoi_digest(struct lode_digest **out, const struct lode_stream *stream,
		    const struct lode_symptom *symptoms, size_t n_symptoms,
		    const struct lode_aoi_options *options, struct lode_error *err)
{
	struct aoi aoi = {.stream = stream,
			  .options = options,
			  .turn = {.n = 1},
			  .is_cpu_only = lode_stream_is_cpu_only(stream)};
	int rc = check_symptoms(stream, symptoms, n_symptoms, err);

	*out = NULL;
	if (rc < 0)
		return rc;
	aoi.digest = lode_digest_new();
	lode_chain_init(&aoi.joiner, &aoi.digest->tree, stream);
	aoi.runs_near = lode_alloc0(stream->cpus.n + 1, sizeof(*aoi.runs_near));
	aoi.idle_name = intern(aoi.digest, LODE_RUNNER_IDLE);
	aoi.unrecorded_name = intern(aoi.digest, LODE_RUNNER_UNRECORDED);
	if (stream->has_switches && !stream->has_wakings)
		aoi.no_wakeups_name = intern(aoi.digest, LODE_RUNNER_NO_WAKEUPS);
	aoi.recording = lode_tracers_recording(&stream->tree);
	for (size_t i = 0; i < n_symptoms; i++)
		add_symptom(&aoi, &symptoms[i]);
	plant_rows(&aoi);
	describe_stream(aoi.digest, stream, aoi.lost_cost_ns);
	lode_content_filter(aoi.digest, options);
	for (size_t i = 0; i < aoi.digest->rows.n; i++)
		aoi.digest->n_events += aoi.digest->rows.at[i].n_events;
	lode_name_stats_add_stream(&aoi.digest->names, &aoi.digest->tree, stream);
	lode_chain_release(&aoi.joiner);
	lode_fold_release(&aoi.fold);
	lode_critpath_release(&aoi.path);
	lode_clients_release(&aoi.clients);
	lode_waitgraph_release(&aoi.graph);
	lode_vec_release(&aoi.number_of);
	lode_polled_release(&aoi.polled);
	lode_pools_release(&aoi.pools);
	lode_vec_release(&aoi.link_stacks);
	free(aoi.runs_near);
	*out = aoi.digest;
	return LODE_OK;
}
