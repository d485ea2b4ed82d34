/*
 * The likely holder of what a thread polled for.
 *
 *   teller    |try|~ 2 ms ~|try|~ 2 ms ~|try|~~ 2 ms ~~|try, and goes on     sleeps at one place
 *   auditor   |.......... run, fsync ..................|exit
 *
 * A thread that sleeps and tries again is woken by the clock alone: no recording shows what it
 * waited for. Its time stays its own, and the timer's. The holder is inferred from the other
 * threads of its process. It is
 * one that was at work for at least nine tenths of the time from the first sleep to the last try
 * that failed, and stopped or exited between that and the try after the last sleep; of several, the
 * one that stopped last. A thread that was only at work meanwhile, and did not stop when the
 * polling did, is none: it would be named for every loop of deliberate sleeps.
 *
 * At work means running, ready, or waiting for a disk. Polling means three or more re-armed waits
 * in a row (model/rearmed.h), the last of which timed out as well. Other processes are not
 * examined: too many of them are at work at any time.
 */
#pragma once

#include "model/stream.h"

/* `{ 0 }` before the first question about a stream. */
struct lode_polled {
	/* Per thread, NULL until asked for: */
	LODE_VEC(uint32_t *) holder_at;	 /* per event, its holder or LODE_NONE */
	LODE_VEC(int64_t *) work_ns;	 /* per event, for how long it was at work before */
	LODE_VEC(lode_thread_id) by_pid; /* threads, those of one process together */
};

/*
 * For a wait, or for being ready between two that are one; LODE_NONE: it is not known. The first
 * question about a thread costs O(its events + their series * threads of the process * log events).
 */
lode_thread_id lode_polled_holder(struct lode_polled *polled, const struct lode_stream *stream,
				  lode_thread_id thread, uint32_t event);
void lode_polled_release(struct lode_polled *polled);
