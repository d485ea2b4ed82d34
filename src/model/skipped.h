/*
 * Callers that a walk by frame pointers skipped.
 *
 *   save_state -> write (libc, no frame pointer)      called
 *   main -> write                                     recorded: save_state is missing
 */
#pragma once

#include "model/stream.h"

struct lode_skipped_callers {
	uint64_t n_events;	   /* whose stack lacks the caller of its innermost user function */
	int64_t cost_ns, whole_ns; /* of these; of all events with a stack */
	/* Most of it is in this module, and there in this function ("": without a name), whose
	   callers are missing; NULL: there is none. */
	const char *module, *function;
};

/* Of the recorded command's threads, or of all. O(events). */
void lode_skipped_callers_count(struct lode_skipped_callers *out, const struct lode_stream *stream,
				bool of_command);
