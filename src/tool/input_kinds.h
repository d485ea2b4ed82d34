/*
 * Inputs that were skipped or are incomplete for the same reason, as one kind: of a million
 * recordings, a thousand lack something, and a terminal has no room for a thousand lines.
 *
 *   web-1: lost events (3): CPU 2        kind 0, 2 inputs, as web-1
 *   web-2: unknown format                kind 1, 1 input
 *   web-7: lost events (12): CPU 0       kind 0: numbers make no difference
 */
#pragma once

#include "streams/digest_job.h"

struct lode_input_kind {
	const struct lode_skipped_input *first;
	size_t n;
};

struct lode_input_kinds {
	LODE_VEC(struct lode_input_kind) list; /* in the order of their first */
};

/* The inputs are borrowed. O(length of their reasons). */
void lode_input_kinds_build(struct lode_input_kinds *out, const struct lode_skipped_input *inputs,
			    size_t n);
void lode_input_kinds_release(struct lode_input_kinds *kinds);
