/*
 * Holders of a lock that a single time-out waited for: by whom the waiter wakes when it returns.
 *
 *   waiter   |~~~~~~~ 5 ms ~~~~~~~|run|wake         the time-out asks for the lock
 *   holder   |......... run ...........|~~~| run     lets go, and waits until it was taken
 *
 * CPython's interpreter lock is handed over like this: a waiter whose wait timed out asks the
 * holder to let go; the holder does, and waits until the other has the lock, which wakes it. So the
 * waking goes from the waiter to the holder, and that of the wait is its time-out, or none.
 *
 * A wait for a lock that timed out takes the thread for its waker that
 *  - is of the same process,
 *  - the waiter woke first of all when it ran again, before it waited again,
 *  - waits for a lock there, no earlier than when the wait had all but ended: a tenth of it,
 *  - was on a CPU, or ready for one, for nine tenths of the wait.
 * The stack of its waking is that of the holder's wait: where it let go.
 */
#pragma once

#include "model/stream.h"

typedef bool lode_timed_out(const void *context, const struct lode_events *events, uint32_t wait);

/* Of `is_timed_out`, with `context`, it asks about waits without a waker. O(events * log). */
void lode_stream_find_holders(struct lode_stream *stream, lode_timed_out *is_timed_out,
			      const void *context);
