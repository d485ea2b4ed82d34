/*
 * Three exact searches, taking turns until one is done: which of them is fastest depends on the
 * input, and is not known beforehand.
 *
 *   enumeration  short patterns: lists all that reach λ          enumerate.h
 *   insertions   many patterns over shared paths                 explore.h
 *   prefixes     long, nearly equal sequences, items repeated    prefix_search.h
 *
 * Insertions and prefixes go on where they stopped. How large the branches are that insertions have
 * done, beside those that are left, tells how long they still take: when that is not long, prefixes
 * wait; else prefixes get most of the time.
 * Enumeration comes first: where it fares well it is many times faster than the others, and
 * elsewhere it sees soon that patterns are too long. On large inputs, whose first step alone takes
 * long, it waits.
 */
#pragma once

#include "engine/patterns/miner.h"
#include "engine/patterns/reduce.h"

/* Items are the caller's, written out from the reduced ones. */
struct lode_result {
	int64_t cost;
	const uint32_t *items;
	size_t n;
};

struct lode_results {
	LODE_VEC(struct lode_result) all; /* in no order */
	struct lode_arena arena;
	uint64_t work; /* steps of all searches, in those of max_work */
};

enum lode_turns_end {
	LODE_TURNS_DONE,
	LODE_TURNS_TOO_MANY, /* more than max_patterns */
	LODE_TURNS_TOO_LONG, /* max_work is used up */
};

/*
 * All maximal patterns when done; with too many, some of them, and more than max_patterns; else
 * none. `*out` must be { 0 }.
 */
enum lode_turns_end lode_turns_run(struct lode_results *out, const struct lode_reduced *reduced,
				   const struct lode_miner_options *options);
void lode_results_release(struct lode_results *results);
