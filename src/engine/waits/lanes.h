/*
 * Lanes: the critical path of one symptom as a picture of threads, small enough to be looked at.
 *
 *   UI      |run|~~~~~~~~~~~~~ lock ~~~~~~~~~~~~~|ready|run|    events of the thread
 *            ===                                  ===== ===     === on the path
 *   worker   ~~~ lock ~~~|run|~~~~ disk ~~~~|run|
 *                         === ============== ===  ^ wakes UI
 *
 * Spans say whose each stretch of the symptom is (critpath.h); they touch and sum to its length.
 * Lanes are the threads of the path, the symptom's first. What is too short for a picture is merged
 * with its neighbours: a span keeps what most of it was and says how many it stands for. Nothing
 * here borrows from the stream.
 */
#pragma once

#include "engine/waits/critpath.h"
#include "model/frame.h"
#include "model/stream.h"
#include "model/symptom.h"

/*
 * LIMIT: how much a picture holds. Threads beyond have no lane; their spans stay. Short spans and
 * events are merged until there are about that many (of each lane), wakes of short waits left out.
 */
struct lode_lanes_bounds {
	size_t lanes, spans, events, wakes;
	/* Events have stacks: only those of one stack are merged, unless there are more of them
	   than the bound. */
	bool has_stacks;
};
#define LODE_LANES_BOUNDS ((struct lode_lanes_bounds){16, 2000, 1000, 1000, false})
/* For files that other tools show, which zoom in: nothing is merged but in recordings of minutes.
 */
#define LODE_LANES_WHOLE ((struct lode_lanes_bounds){4096, 1000000, 200000, 1000000, true})

struct lode_lane_span {
	int64_t start_ns, end_ns;
	uint32_t lane;	 /* LODE_NONE: a thread without one */
	uint32_t stack;	 /* of `tree`, 0: nothing was recorded */
	uint32_t merged; /* spans that it merges */
	uint8_t kind, reason, device;
};

/* What a lane's thread did; also off the path. */
struct lode_lane_event {
	int64_t start_ns, end_ns;
	uint32_t stack; /* of `tree`, with `has_stacks`, else 0 */
	uint8_t kind, reason;
};

struct lode_thread_lane {
	int32_t pid, tid;
	uint32_t comm;	 /* string of `tree` */
	int64_t path_ns; /* of the path that is its */
	LODE_VEC(struct lode_lane_event) events;
};

/* `from` ended the wait of `to`. */
struct lode_lane_wake {
	int64_t t_ns, wait_ns;
	uint32_t from, to; /* lanes; `from` LODE_NONE: a device */
};

struct lode_lanes {
	int64_t t0_ns, t1_ns;
	LODE_VEC(struct lode_thread_lane) lanes;
	LODE_VEC(struct lode_lane_span) spans;
	LODE_VEC(struct lode_lane_wake) wakes; /* in order of time */
	size_t n_threads;		       /* of the path, with those that have no lane */
	struct lode_calltree tree;
};

/* The stream must have switches. O(spans of the path + events of its threads meanwhile). */
void lode_lanes_build(struct lode_lanes *out, const struct lode_stream *stream,
		      const struct lode_symptom *symptom, const struct lode_lanes_bounds *bounds);
void lode_lanes_release(struct lode_lanes *lanes);
