/*
 * Which events of a thread lie in a symptom: one rule for all scopes.
 *
 * Where switches were recorded, events are a timeline and are cut at the symptom's ends. Otherwise
 * an event is a sample with a weight: it belongs to the symptom in which it was taken, whole.
 */
#pragma once

#include "model/stream.h"
#include "model/symptom.h"

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
