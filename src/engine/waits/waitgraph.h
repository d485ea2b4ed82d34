/*
 * Wait graph of one symptom: who waited for whom, how long (StackMine, Fig. 2).
 *
 *   UI        |run|~~~~~~~~ wait ~~~~~~~~|run|      ~ waiting event
 *   worker          |run|~ wait ~|run|wake UI
 *   disk                    wakes worker
 *
 * A node is an event of the stream. The graph starts with the symptom thread's events that lie
 * inside [t0, t1]. An edge e -> e2 says: e waited, and e2, of the thread that woke it, ended while
 * it did, that is in [start of e, end of e], both ends included as in the paper's TimeSpan. Events
 * are whole: those of other threads may begin before the symptom does.
 */
#pragma once

#include "model/stream.h"
#include "model/symptom.h"

/*
 * The events that end while a node waits are neighbours in their thread, so all edges of a node are
 * one range of events: (waker, first_edge) .. (waker, first_edge + n_edges - 1). Each of them is a
 * node too.
 */
struct lode_waitgraph_node {
	lode_thread_id thread;
	uint32_t event;	      /* index into the thread's events */
	lode_thread_id waker; /* LODE_NONE: no edges */
	uint32_t first_edge, n_edges;
	uint32_t root; /* node of the symptom's thread from which it was reached first */
};

/* `{ 0 }` is an empty graph, ready for lode_waitgraph_build. */
struct lode_waitgraph {
	LODE_VEC(struct lode_waitgraph_node) nodes; /* in order of discovery, each event once */
	struct lode_map taken;			    /* which events are nodes */
};

/*
 * Fills `graph`, whose memory is used again when it held another symptom's. A wait whose waker was
 * not recorded, or that a device ended, has no edge: nothing is guessed. Where the stream has no
 * switches it has no wakers either, and the graph is the thread's samples in [t0, t1].
 * O(events reached * log(events of their threads)), however many edges there are.
 */
void lode_waitgraph_build(struct lode_waitgraph *graph, const struct lode_stream *stream,
			  const struct lode_symptom *symptom);
void lode_waitgraph_release(struct lode_waitgraph *graph);

/*
 * Which events of a thread lie in a symptom: one rule for all scopes.
 *
 * Where switches were recorded, events are a timeline and are cut at the symptom's ends. Otherwise
 * an event is a sample with a weight: it belongs to the symptom in which it was taken, whole.
 */

/* Index of the first event of the symptom's thread that may lie in it. */
static inline size_t lode_scope_first(const struct lode_stream *stream,
				      const struct lode_symptom *symptom)
{
	const struct lode_events *events = &stream->threads.at[symptom->thread].events;

	if (!stream->has_switches || symptom->t0_ns == INT64_MIN)
		return 0;
	return lode_events_find(events, symptom->t0_ns - 1);
}

/*
 * Was sample `i` of the symptom's thread taken in [t0, t1)? A symptom that goes on to the end of
 * the stream has the last sample as well. For streams without switches.
 */
static inline bool lode_scope_has_sample(const struct lode_stream *stream,
					 const struct lode_symptom *symptom, size_t i)
{
	int64_t t = stream->threads.at[symptom->thread].events.start_ns[i];

	return t >= symptom->t0_ns &&
	       (t < symptom->t1_ns || (t == symptom->t1_ns && symptom->t1_ns >= stream->t1_ns));
}
