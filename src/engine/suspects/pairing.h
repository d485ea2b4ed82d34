/*
 * Pairing: which begin an end belongs to.
 *
 *   lane (thread 17)   read( ......... )read   poll( ... write( .. )write ... )poll
 *   lane (CPU 1)           irq 24( .. )irq 24
 *
 * A lane is where begins wait for their ends: a thread, a CPU, whatever a metric pairs by. In it
 * calls nest: an end belongs to the innermost open call of its own kind (`what`).
 *
 *   )read   open: read             paired
 *   )read   open: poll, read       paired; poll goes on
 *   )read   open: read, poll       paired; the end of poll was lost
 *   )read   open: poll             its begin was lost, and the end of poll: both are left out
 *   )read   open: nothing          its begin was lost, or before the recording
 *   read(   open: read             unless calls of one kind may nest: the first one's end was lost
 *
 * What is left out goes to `lost`. Memory is that of what is open; a lane without any is gone.
 * O(1).
 */
#pragma once

#include "engine/suspects/execution.h"

struct lode_lane {
	uint64_t words[2];
	uint32_t space; /* lanes of different spaces have nothing in common */
};

/* A call whose end has not come yet. */
struct lode_open_call {
	int64_t start_ns;
	uint32_t what;
	uint32_t stack, cpu;
	int32_t tid;
	uint32_t flags; /* the caller's */
};

/* LIMIT: calls open in one lane; the outermost is left out when there are more. */
enum { LODE_PAIRING_DEPTH = 64 };
#define LODE_ANY_CALL UINT32_MAX /* as `what` of an end: of the innermost, whatever it is */

struct lode_nested_call {
	struct lode_open_call call;
	uint32_t outer; /* index of the call around it, LODE_NONE; of a free place, see free_call */
	uint32_t depth; /* calls around it */
};
struct lode_lane_slot;

/* `{ 0 }` with `lost` set is ready. */
struct lode_pairing {
	/* `loss`: NO_END, MISMATCHED, or what lode_pairing_close was told. */
	void (*lost)(void *context, const struct lode_lane *lane, const struct lode_open_call *call,
		     enum lode_execution_loss loss);
	void *context;
	struct lode_lane_slot *slots; /* open addressing; the number is a power of two */
	size_t n_slots, n_lanes;
	LODE_VEC(struct lode_nested_call) calls;
	uint32_t free_call; /* index + 1 of a free place in `calls`; 0: none */
};

enum lode_paired {
	LODE_PAIRED,
	LODE_PAIRED_NO_START,	/* nothing was open */
	LODE_PAIRED_MISMATCHED, /* nothing of that kind was; the innermost went to `lost` */
};

/* `may_nest`: a call of the same kind may be open around it. */
void lode_pairing_begin(struct lode_pairing *pairing, const struct lode_lane *lane,
			const struct lode_open_call *call, bool may_nest);
/* `*out` is the call that has ended, if any has. */
enum lode_paired lode_pairing_end(struct lode_pairing *pairing, const struct lode_lane *lane,
				  uint32_t what, struct lode_open_call *out);
/* The innermost open call of a lane, NULL if there is none; until the next call of any function. */
struct lode_open_call *lode_pairing_innermost(struct lode_pairing *pairing,
					      const struct lode_lane *lane);
/* Everything that is open in a lane is lost, outermost last. */
void lode_pairing_close(struct lode_pairing *pairing, const struct lode_lane *lane,
			enum lode_execution_loss loss);
void lode_pairing_close_all(struct lode_pairing *pairing, enum lode_execution_loss loss);
/* Without a word to `lost`. */
void lode_pairing_release(struct lode_pairing *pairing);
