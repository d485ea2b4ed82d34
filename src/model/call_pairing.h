/*
 * One thread's events -> its calls, in blocks. Rules of repair, each use counted
 * (docs/timeline.md):
 *
 *   an exit of what is not open           is dropped
 *   an exit of what is not innermost      ends first what is further in: it lost its exit, and no
 *                                         call outlives its caller
 *   a loss of events                      ends all that is open at the last event before: how long
 *                                         it went on is not known, and a false outlier is worse
 *                                         than a cut call
 *   the thread's end                      ends all that is open at its last event
 *   a time before the last event's        becomes that time
 *   a time more than a day from the last  becomes that time: it is wrong (model/clock_guard.h)
 *   event's, which does not stay
 *   a clock that goes back by more than   continues from the last event: it was set, until it is
 *   a day and stays, or is ahead by more  as before
 *   than a pause can be
 *   events that repeat earlier ones in    are dropped: a buffer that was written twice (searched
 *   order                                 for where time goes back, in the last events)
 *
 * A thread that begins in the middle of a stack has exits without entry: what was open before the
 * first event is not known, so calls that were seen keep the depth that was seen.
 */
#pragma once

#include "model/call_block.h"
#include "model/call_spread.h"
#include "model/call_sums.h"
#include "model/call_trace.h"
#include "model/calls.h"

enum {
	/* Events of a thread in which a repeated buffer is looked for (XRay's are 32,768 long at
	   256 KiB). */
	LODE_PAIRING_HISTORY = 64 << 10,
};

/* What one of our threads needs to take events of any thread of the trace. `{ 0 }` is empty. */
struct lode_pairing_tools {
	struct lode_call_packer packer;
	struct lode_call_sums sums;
	struct lode_call_buckets buckets;
};

void lode_pairing_tools_release(struct lode_pairing_tools *tools);

struct lode_call_pairing;

/* `thread` and `store` are borrowed. */
struct lode_call_pairing *lode_call_pairing_new(struct lode_call_thread *thread,
						struct lode_call_store *store);
void lode_call_pairing_free(struct lode_call_pairing *pairing);

/* Takes `n` events; the array, from malloc, is the pairing's from here on. Keeps the last
 * `history` events (in whole arrays) to find repeats. */
int lode_call_pairing_take(struct lode_call_pairing *pairing, struct lode_pairing_tools *tools,
			   struct lode_call_event *at, size_t n, size_t history,
			   struct lode_error *err);
/* Ends what is open, and makes the thread complete. */
int lode_call_pairing_end(struct lode_call_pairing *pairing, struct lode_pairing_tools *tools,
			  struct lode_error *err);
/* What was wrong with the thread's clock, the caller's to free; NULL: nothing. */
struct lode_losses *lode_call_pairing_take_losses(struct lode_call_pairing *pairing);
