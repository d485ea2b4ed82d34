/*
 * From one point to another: which begins and ends make a request.
 *
 *   scope 7   B . B . . E . . E . B ~ lost ~ E      one request, from the first B to the first E
 *             |---------|         |- in doubt -|    an end without a begin is none
 *
 * A scope is a thread, or a key that begins and ends share. A begin in an open request belongs to
 * it. Where begins and ends are entries and returns of one function, they nest: the request is the
 * outermost call.
 *
 * Where the recorder dropped events of the CPU of begin or end in between, the end may be that of
 * a later request: it is in doubt, and no request. A begin behind such a gap starts over.
 */
#pragma once

#include "base/mem.h"

struct lode_point_event {
	int64_t t_ns;
	uint32_t scope;		/* dense; of a request */
	uint32_t cpu;		/* UINT32_MAX: any */
	uint32_t thread, order; /* the caller's */
	bool begins, ends;	/* both: it ends one, then begins the next */
};

/* Events of a CPU (UINT32_MAX: any) were dropped before. */
struct lode_event_gap {
	int64_t t_ns;
	uint32_t cpu;
};

struct lode_point_pair {
	const struct lode_point_event *begin, *end; /* begin->t_ns < end->t_ns */
};

struct lode_point_pairs {
	LODE_VEC(struct lode_point_pair) at; /* in order of their ends */
	uint64_t n_unfinished;		     /* begun, and no end came */
	uint64_t n_doubtful;
	int64_t first_ns; /* when the first of either began; INT64_MIN: there is none */
};

/* Events and gaps in order of time; `events` is borrowed by what is found. O(events + gaps met). */
void lode_point_pairs_find(struct lode_point_pairs *out, const struct lode_point_event *events,
			   size_t n_events, const struct lode_event_gap *gaps, size_t n_gaps,
			   bool is_nesting);
void lode_point_pairs_release(struct lode_point_pairs *pairs);
