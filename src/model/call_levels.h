/*
 * The last step of a thread: what late calls add to their blocks, and the levels above the blocks.
 */
#pragma once

#include "model/call_block.h"
#include "model/call_sums.h"
#include "model/call_trace.h"

/*
 * thread->levels[0] has the blocks, their sums in `early` and without the time of late calls, all
 * of which have ended. Makes the other levels and everything else that a reader expects.
 */
int lode_call_levels_make(struct lode_call_thread *thread, const struct lode_call_pieces *early,
			  struct lode_call_store *store, struct lode_call_sums *sums,
			  struct lode_call_packer *packer, struct lode_error *err);

/* A span's shape from those of its parts; sums apart. */
struct lode_call_span lode_call_span_over(const struct lode_call_span *parts, size_t n);
