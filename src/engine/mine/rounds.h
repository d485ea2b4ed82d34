/*
 * Residual rounds (docs/mining.md): mine; then mine what holds no pattern found so far; until
 * nothing is found. Maximal patterns alone lose the cost of stacks that hold only the shorter of
 * two variants.
 *
 * Every stack that a pattern explains belongs to one pattern: of those of its round that it
 * contains, the longest, ties by cost, then by name.
 */
#pragma once

#include "engine/mine/stackset.h"
#include "engine/patterns/miner.h"

struct lode_round_pattern {
	const uint32_t *frames;
	size_t n_frames;
	uint32_t round; /* from 1 */
	uint64_t filter;
	int64_t cost_ns; /* in the stacks of its round; over all stacks once measured */
};

struct lode_rounds {
	struct lode_round_pattern *patterns; /* by round, then cost (descending), then name */
	size_t n_patterns;
	uint32_t n_rounds;
	uint32_t *owner; /* per stack: index of the pattern that it belongs to, or LODE_NONE */
};

/* Orders patterns by their functions' names: `name_rank[frame]` is a frame's place among all names.
 */
int lode_frames_compare(const uint32_t *name_rank, const uint32_t *a, size_t n_a, const uint32_t *b,
			size_t n_b);

/*
 * `name_rank[frame]` orders frames by their full names, so that nothing depends on ids. With
 * `classic` only the first round runs.
 */
int lode_rounds_mine(struct lode_rounds *out, const struct lode_stackset *set,
		     const uint32_t *name_rank, const struct lode_miner_options *options,
		     bool classic, struct lode_arena *arena, struct lode_error *err);

/*
 * Hands stacks of one group that patterns of another own to the pattern of their own group that
 * they contain, chosen as above; those that contain none keep their owner.
 */
void lode_rounds_regroup(struct lode_rounds *rounds, const struct lode_stackset *set,
			 const uint32_t *group_of_pattern, const uint32_t *group_of_stack,
			 unsigned n_threads);
