/*
 * The common part of a cluster in short: the frames that tell most, one line per thread.
 *
 *   session_restore › session_state_get › pthread_mutex_lock
 *   → ph-store   store_checkpoint › journal_append
 *   → ph-journal journal_flush_segment › fsync
 *
 * "›" joins frames that stand side by side in the common part, "…" stands for frames left out.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/digest.h"

enum { LODE_COMMON_LINE = 1024 }; /* bytes of one line at most */

/*
 * Writes up to `max_lines` lines into `buffer`, parted by line feeds, escaped: the first of at most
 * `columns` columns, the others of `more_columns`. `gap_before` may be NULL. With more threads than
 * lines, those in the middle are left out: the first (the symptom's) and the last (the root) tell
 * most.
 */
const char *lode_common_part_short(char *buffer, size_t size, const struct lode_digest *digest,
				   const uint32_t *frames, const bool *gap_before, size_t n,
				   size_t columns, size_t more_columns, size_t max_lines);

/* The program's own function that tells most among these frames; LODE_NONE when there is none. */
uint32_t lode_telling_frame(const struct lode_digest *digest, const uint32_t *frames, size_t n);

/* A function's name for one line: arguments and templates of C++ names folded, escaped. */
const char *lode_short_label(char *buffer, size_t size, const struct lode_calltree *tree,
			     uint32_t frame);
