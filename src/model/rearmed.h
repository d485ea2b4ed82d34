/*
 * Waits that time out and are taken up again: consecutive waits at one place are one wait, which
 * ends where the last of them does.
 *
 *   waiter   |~ 5 ms ~|.|~ 5 ms ~|.|~ 5 ms ~|.|~ 2 ms ~|run     . looks, and waits on
 *              timer      timer      timer       ^ the holder lets go
 *   holder   |................ run ................|wake
 *
 * CPython asks for its interpreter lock so, Java for a monitor, PostgreSQL for a row (its
 * deadlock_timeout interrupts the wait), an event loop for work. The time-out says when the waiter
 * looked, not what it waited for; whoever ended the last wait did what all of them were for. So
 * that wait's ender, stack of the waking, device and reason become those of the earlier ones, which
 * are marked LODE_EVENT_REARMED, and so is the time for which each of them was ready behind its
 * time-out: it would have waited on.
 *
 * A wait is taken up again by the thread's next one at the same place when
 *  - its time-out ended it, or the signal of a timer, as the stack of the waking tells; a thread
 *    that woke it is believed, and so are timers that bring what was waited for (put off work).
 *    Some virtual machines trace nothing while a CPU idles: a lock's wait that ended there without
 *    a recorded waking timed out, as threads that wake others are at work and recorded,
 *  - the place is the same: user frames, and the reason,
 *  - between the two the thread ran and waited elsewhere for at most a tenth as long as it had
 *    waited; being without a CPU is not counted,
 *  - where the stack does not get beyond the library that waited (no frame pointers), so that many
 *    places look alike, and where a waking was not recorded, also: time-outs are constant or grow,
 *    and the last wait is no longer than the next of them would be. Kernel threads and stacks
 *    without user frames are among these.
 *
 * Where stack dumps took the place of call chains in between, the place is the same if all that the
 * chain names is in the unwound stack, in its order, and the same function waits.
 *
 * Nothing but the mark changes where the last wait timed out too, was a sleep, or was still open at
 * the end of the recording: nobody is known to have ended that. If its waking was lost, nobody is
 * known to have ended the earlier ones either, unless it was as long as the one before it: then it
 * is taken to have timed out as well, and they stay the timer's.
 */
#pragma once

struct lode_stream;

/* Once, when wakers, devices and reasons are known. O(events + nodes). */
void lode_stream_join_rearmed(struct lode_stream *stream);
