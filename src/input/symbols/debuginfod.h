/*
 * Files by build-id from debuginfod servers, those of $DEBUGINFOD_URLS: only where a user asked for
 * it, and for no longer than that user said. Fetched files stay in the library's own cache.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lode_debuginfod;

/* `budget_ns`: for all that is asked, together. LODE_ERR_ARG if no server is named,
   LODE_ERR_UNSUPPORTED without libdebuginfod. */
int lode_debuginfod_new(struct lode_debuginfod **out, int64_t budget_ns, struct lode_error *err);
void lode_debuginfod_free(struct lode_debuginfod *servers);

/*
 * The path (heap) of the program with that build-id, or of its debug file; NULL: no server has it,
 * or
 * `*is_over`: the time was over. Thread-safe: one is asked for at a time.
 */
char *lode_debuginfod_find(struct lode_debuginfod *servers, const uint8_t *build_id, size_t size,
			   bool want_program, bool *is_over);
