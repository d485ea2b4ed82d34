/*
 * Distinct stacks of a digest with their costs: the miner's input.
 *
 *   stack 0   main > a > b > c     cost 120      rows 3, 17
 *   stack 1   main > a > c         cost  45      rows 4
 *
 * A stack's rows lead back to the symptoms, kinds and reasons it came from. Stacks are in order of
 * their nodes in the digest's tree. Everything lives in the arena that it was built in.
 */
#pragma once

#include "engine/patterns/miner.h"
#include "model/digest.h"

struct lode_stackset {
	size_t n;
	uint32_t *items;   /* frame ids, stack behind stack */
	size_t *start;	   /* n + 1, into items */
	int64_t *cost_ns;  /* over the rows of the kinds asked for */
	uint64_t *frames;  /* 64-bit filter: bit of every frame in the stack */
	size_t *row_start; /* n + 1, into rows */
	uint32_t *rows;	   /* indices of digest rows */
	int64_t total_ns;
};

/* Stacks of the rows whose kind is in `kinds` (a bit per enum lode_event_kind), without time that
   the recording itself took (model/tracers.h). */
void lode_stackset_build(struct lode_stackset *out, const struct lode_digest *digest,
			 unsigned kinds, struct lode_arena *arena);

/* The miner's view of the stacks chosen by `pick` (all when NULL); borrows, needs `arena`. */
struct lode_sequences lode_stackset_sequences(const struct lode_stackset *set, const uint8_t *pick,
					      struct lode_arena *arena);

/* As lode_sequences_pass. */
static inline void lode_stackset_pass(const struct lode_stackset *set, size_t s)
{
	lode_sequences_pass(set->items, set->start, set->n, s);
}

static inline uint64_t lode_frame_bit(uint32_t frame)
{
	return (uint64_t)1 << (lode_hash_u64(frame) & 63);
}

/*
 * Which stacks contain which patterns, as non-consecutive subsequences.
 *
 * Both directions go through a pattern's rarest function: only stacks that have it are compared,
 * and of those only the ones whose 64-bit frame filter covers the pattern's.
 */

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
