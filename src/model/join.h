/*
 * Recordings of one moment on several hosts as one stream, so that a wait for the other host goes
 * on in the thread that answered.
 *
 *   web1   shop      |send|~~~~~~~~~~ wait ~~~~~~~~~~|receive|     own clock
 *   db1    postgres        |receive| run | send|                   own clock, shifted
 *
 * The recordings' clocks are aligned by what each says of the time of day, or by a given offset,
 * or, where that cannot be right, by the order and sizes of what was sent between them
 * (model/clock_match.h). Then the bytes that went both ways correct it: none is received before it
 * is sent, so the smallest delays there and back bound the offset from both sides. CPUs of the
 * others are numbered behind those of the first.
 */
#pragma once

#include "base/error.h"
#include "model/stream.h"

struct lode_join_part {
	struct lode_stream *stream;  /* of the first one: all of them, afterwards */
	bool has_offset;	     /* `offset_ns` is given: what to add to its times */
	int64_t offset_ns;	     /* afterwards: what was added */
	lode_thread_id first_thread; /* afterwards: its threads are from here on */
	size_t n_links; /* afterwards: receives of other hosts' bytes that its clock was held to */
	size_t n_turns; /* afterwards: turns of messages that gave the offset; 0: none did */
};

/*
 * Joins all parts to the first one's stream, and frees the others'. Threads are named comm@host.
 * LODE_ERR_ARG, and nothing is changed but offsets, when a part has no context switches, or when
 * its clock does not say that it was recorded at the time of the first, and messages between the
 * hosts do not say when. The parts' streams stay the caller's.
 */
int lode_streams_join(struct lode_join_part *parts, size_t n, struct lode_error *err);

/* A time on another clock. "Always", "never", and what is not known there stay as they are. */
int64_t lode_join_shifted(int64_t t_ns, int64_t by_ns);
