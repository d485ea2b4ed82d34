/*
 * Which stacks contain which patterns, as non-consecutive subsequences.
 *
 * Both directions go through a pattern's rarest function: only stacks that have it are compared,
 * and of those only the ones whose 64-bit frame filter covers the pattern's.
 */
#pragma once

#include "engine/mine/stackset.h"

/* Stacks by function: postings[start[f] .. start[f + 1]) are the stacks that contain frame f. */
struct lode_postings {
	size_t n_frames;
	size_t *start;
	uint32_t *stacks;
};

/* Only how many stacks contain each frame, for lode_postings_rarest: `stacks` is NULL. */
void lode_postings_count(struct lode_postings *out, const struct lode_stackset *set,
			 size_t n_frames, struct lode_arena *arena);
void lode_postings_build(struct lode_postings *out, const struct lode_stackset *set,
			 size_t n_frames, struct lode_arena *arena);

/* The function of the pattern that the fewest stacks contain. */
uint32_t lode_postings_rarest(const struct lode_postings *postings, const uint32_t *frames,
			      size_t n_frames);

/* The bits of lode_frame_bit of all frames of a pattern. */
uint64_t lode_frames_filter(const uint32_t *frames, size_t n_frames);

/* Does stack `s` contain the pattern? `filter` is the pattern's. */
static inline bool lode_stack_contains(const struct lode_stackset *set, size_t s,
				       const uint32_t *frames, size_t n_frames, uint64_t filter)
{
	const uint32_t *at = &set->items[set->start[s]], *end = &set->items[set->start[s + 1]];
	size_t i = 0;

	if (filter & ~set->frames[s])
		return false;
	for (; i < n_frames && (size_t)(end - at) >= n_frames - i; at++)
		i += *at == frames[i];
	return i == n_frames;
}
