/*
 * Re-armed waits: consecutive waits at one place that time out are one wait, which ends where the
 * last of them does.
 *
 *   waiter   |~ 5 ms ~|.|~ 5 ms ~|.|~ 5 ms ~|.|~ 2 ms ~|run     . looks, and waits on
 *              timer      timer      timer       ^ the holder lets go
 *   holder   |................ run ................|wake
 *
 * CPython waits like this for its interpreter lock, Java for a monitor, PostgreSQL for a row (its
 * deadlock_timeout interrupts the wait), an event loop for work. The timeout decides when the
 * waiter checks, not what it waits for; the waker of the last wait did what all of them were for.
 * So that waker, the stack of the waking, device and reason become those of the earlier waits,
 * which are marked LODE_EVENT_REARMED, and so is the time for which each of them was ready after
 * its timeout: it would have waited on.
 *
 * The thread's next wait at the same place continues a wait when
 *  - its timeout ended it, or the signal of a timer, by the stack of the waking; a thread
 *    that woke it is believed, and so are timers that bring what was waited for (deferred work).
 *    Some virtual machines trace nothing while a CPU idles: a lock's wait that ended there without
 *    a recorded waking timed out, as threads that wake others are at work and recorded. So did
 *    polls, of which two in a row were as long as time-outs of whole milliseconds are: devices end
 *    polls too, but not by the millisecond,
 *  - the place is the same: user frames, and the reason,
 *  - between the two the thread ran and waited elsewhere for at most a tenth as long as it had
 *    waited; being without a CPU is not counted,
 *  - where the stack does not get beyond the library that waited (no frame pointers), so that many
 *    places look alike, and where a waking was not recorded, also: timeouts are constant or grow,
 *    and the last wait is no longer than the next of them would be. Kernel threads and stacks
 *    without user frames are among these.
 *
 * If stack dumps replaced call chains in between, the place is the same if the unwound stack
 * contains all that the chain names, in its order, and the same function waits.
 *
 * Nothing but the mark changes if the last wait timed out too, was a sleep, or was still open at
 * the end of the recording: its waker is not known. If its waking was lost, the waker of the
 * earlier ones is not known either, unless it was as long as the one before it: then it counts as
 * timed out as well, and they stay the timer's.
 */
#pragma once

struct lode_stream;

/* Once, when wakers, devices and reasons are known. O(events + nodes). */
void lode_stream_join_rearmed(struct lode_stream *stream);
