/*
 * Stacks for time on a CPU in which no sample was taken.
 *
 *   sampled      |~~~ wait A ~~~|  f  *  f  |~~~ wait B ~~~|          * a sample: f
 *   unsampled    |~~~ wait A ~~~|     ?     |~~~ wait B ~~~|
 *
 * Runs of one program are of one kind when they begin behind the same user frames and end in the
 * same ones: samples in some of them show what all of them do. Each sample represents as
 * much time as any other of its kind. A part of that is in its own run; the runs without a sample
 * are the rest, and get the samples' stacks in order of time, which follows changes of the
 * program. If a kind has too few samples, those of all runs that end in the same frames are used;
 * if these are too few, a run gets the callers common to the stacks before and after it: these are
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
