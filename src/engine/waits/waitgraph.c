/* Wait graph of one symptom (StackMine, Fig. 2). */
#include "engine/waits/waitgraph.h"

/* Past the nodes `event` and those behind it that are taken: the next event to look at. `taken`
   maps a taken event to one behind it, and paths are halved as they are walked (union-find). */
static uint32_t next_free(struct lode_map *taken, lode_thread_id thread, uint32_t event)
{
	uint64_t row = (uint64_t)thread << 32;
	uint32_t next = lode_map_find(taken, row | event), after;

	while (next != LODE_NONE) {
		after = lode_map_find(taken, row | next);
		if (after == LODE_NONE)
			return next;
		*lode_map_slot(taken, row | event) = after;
		event = after;
		next = lode_map_find(taken, row | event);
	}
	return event;
}

/* Makes nodes of the events [first, end) that are none yet; `root` LODE_NONE: each is its own. */
static void take_range(struct lode_waitgraph *graph, lode_thread_id thread, uint32_t first,
		       uint32_t end, uint32_t root)
{
	for (uint32_t i = next_free(&graph->taken, thread, first); i < end;
	     i = next_free(&graph->taken, thread, i + 1)) {
		struct lode_waitgraph_node node = {
			.thread = thread,
			.event = i,
			.waker = LODE_NONE,
			.root = root == LODE_NONE ? (uint32_t)graph->nodes.n : root,
		};

		*lode_map_slot(&graph->taken, (uint64_t)thread << 32 | i) = i + 1;
		lode_vec_append(&graph->nodes, node);
	}
}

/* Edges of node `n` (by index: the array moves as nodes are added). */
static void follow_waker(struct lode_waitgraph *graph, const struct lode_stream *stream, size_t n)
{
	struct lode_waitgraph_node *node = &graph->nodes.at[n];
	const struct lode_events *events = &stream->threads.at[node->thread].events, *wakers;
	lode_thread_id waker = events->other[node->event];
	int64_t start_ns = events->start_ns[node->event];
	size_t first, end;

	if (events->kind[node->event] != LODE_EVENT_WAITING || waker >= stream->threads.n)
		return;
	wakers = &stream->threads.at[waker].events;
	first = start_ns == INT64_MIN ? 0 : lode_events_find(wakers, start_ns - 1);
	end = lode_events_find(wakers, lode_event_end_ns(events, node->event));
	if (first >= end)
		return;
	node->waker = waker;
	node->first_edge = (uint32_t)first;
	node->n_edges = (uint32_t)(end - first);
	take_range(graph, waker, (uint32_t)first, (uint32_t)end, node->root);
}

void lode_waitgraph_build(struct lode_waitgraph *graph, const struct lode_stream *stream,
			  const struct lode_symptom *symptom)
{
	const struct lode_events *events = &stream->threads.at[symptom->thread].events;

	graph->nodes.n = 0;
	lode_map_release(&graph->taken);
	for (size_t i = lode_scope_first(stream, symptom); i < events->n; i++) {
		if (stream->has_switches && events->start_ns[i] > symptom->t1_ns)
			break;
		if (stream->has_switches ? events->start_ns[i] >= symptom->t0_ns &&
						   lode_event_end_ns(events, i) <= symptom->t1_ns
					 : lode_scope_has_sample(stream, symptom, i))
			take_range(graph, symptom->thread, (uint32_t)i, (uint32_t)i + 1, LODE_NONE);
	}
	for (size_t n = 0; n < graph->nodes.n; n++)
		follow_waker(graph, stream, n);
}

void lode_waitgraph_release(struct lode_waitgraph *graph)
{
	lode_vec_release(&graph->nodes);
	lode_map_release(&graph->taken);
}
