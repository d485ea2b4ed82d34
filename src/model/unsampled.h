/*
 * Where time on a CPU went in which no sample was taken.
 *
 *   sampled      |~~~ wait A ~~~|  f  *  f  |~~~ wait B ~~~|          * a sample: f
 *   unsampled    |~~~ wait A ~~~|     ?     |~~~ wait B ~~~|
 *
 * Runs of one program are of one kind when they begin behind the same user frames and end in the
 * same ones: what samples saw in some of them tells what all of them do. Each sample stands for as
 * much time as any other of its kind. A part of that is in its own run; the runs without a sample
 * are the rest, and get the samples' stacks in order of time, so that a program that changes is
 * followed. Where a kind has too few samples, those of all runs that end in the same frames speak;
 * where these are too few, a run has the callers that are there both before and after it: they are
 * certain.
 */
#pragma once

struct lode_stream;

/* Of fewer samples it is not known to an eighth what share of the time something has. */
enum { LODE_UNSAMPLED_ENOUGH = 16 };

/*
 * Gives the events marked LODE_EVENT_UNSAMPLED, whose stacks are those of the switch-outs, their
 * stacks. Times are left alone. O(events + nodes).
 */
void lode_unsampled_place(struct lode_stream *stream);
