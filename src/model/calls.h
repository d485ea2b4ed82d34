/*
 * Function traces as their sources deliver them: entries and exits of functions, per thread.
 *
 *   thread 7   > main   > read_page   < read_page   > evict ...        (> enters, < leaves)
 *
 * A source calls a sink. It names threads and functions once each, then hands over batches of
 * events of one thread, each thread's in the order of its time as far as the recorder promises it;
 * batches of different threads come in any order. Nothing is paired or repaired here: exits
 * without entries, entries without exits, times that go backwards are the receiver's to repair and
 * to count (docs/timeline.md), because it must do so the same way for every format. What a format
 * itself marks (lost buffers, records that cannot be decoded) the source adds to `losses`.
 */
#pragma once

#include "base/error.h"
#include "model/loss.h"

/* One entry or exit: 16 bytes, so that a batch is a plain array. */
struct lode_call_event {
	int64_t t_ns;	   /* on the trace's own clock */
	uint32_t function; /* id given by `function` */
	uint8_t kind;	   /* enum lode_call_event_kind */
};

enum lode_call_event_kind {
	LODE_CALL_ENTER,
	LODE_CALL_EXIT,	      /* of `function` */
	LODE_CALL_EXIT_TAIL,  /* left by jumping into the next function entered, at the same time */
	LODE_CALL_EXIT_ANY,   /* of whatever is innermost: the format names no function at exits */
	LODE_CALL_CUT,	      /* events before here were lost on this thread: what is open is not
				 known; `function` is 0 */
	LODE_CALL_STILL_OPEN, /* what is open was so until now, the trace's end */
};

/* Facts on the trace as a whole, all optional ("" or 0). */
struct lode_calls_about {
	const char *format; /* "XRay flight data recorder", "uftrace", ... */
	const char *command, *host;
	double ticks_per_ns; /* of the recorder's clock, where times were ticks; else 0 */
};

struct lode_call_sink {
	void *context;
	void (*about)(void *context, const struct lode_calls_about *about);
	/* A dense index for a thread: the same (pid, tid) gives the same. `name` NULL: not known
	   (yet); a later call with a name sets it. */
	uint32_t (*thread)(void *context, int32_t pid, int32_t tid, const char *name);
	/* A dense id for a function; `module` may be NULL. Called once per function of the source:
	   equal names may come twice and are then the same function. */
	uint32_t (*function)(void *context, const char *module, const char *name);
	/* n events of one thread. Gives LODE_OK, or a failure of the taker's (a full disk), upon
	   which the source stops and returns it. */
	int (*events)(void *context, uint32_t thread, const struct lode_call_event *at, size_t n,
		      struct lode_error *err);
	struct lode_losses *losses;
};
