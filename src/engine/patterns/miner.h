/*
 * Costly maximal patterns: the longest call paths, with holes, that still cost λ (docs/mining.md;
 * StackMine §V; BIDE [BIDE04]).
 *
 *   input    sequences of functions (root first) with a cost each
 *   Cost(P)  sum of the costs of the sequences that contain P as a non-consecutive subsequence
 *   output   every P with Cost(P) >= λ of which no proper super-sequence reaches λ
 *
 * Exactly these: no sampling, no length cap. Deterministic: sorted by cost (descending), then by
 * the functions' ids; the same for any number of threads.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "base/memory_bound.h"

/* Sequences, one behind the other: sequence i is items[start[i] .. start[i + 1]). */
struct lode_sequences {
	size_t n;
	const uint32_t *items; /* any ids; need not be dense */
	const size_t *start;   /* n + 1 */
	const int64_t *cost;   /* >= 0 */
};

/* For a pass over n sequences that has come to sequence `s`: where they are on the disk, the next
   ones are read at once. */
static inline void lode_sequences_pass(const uint32_t *items, const size_t *start, size_t n,
				       size_t s)
{
	enum { AHEAD = 4096 };

	if (s % AHEAD == 0)
		lode_memory_read_ahead(items + start[s],
				       (start[s + AHEAD < n ? s + AHEAD : n] - start[s]) *
					       sizeof(*items));
}

struct lode_pattern_set {
	LODE_VEC(uint32_t) items;
	LODE_VEC(size_t) start; /* n + 1 once filled */
	LODE_VEC(int64_t) cost;
	size_t n;
};

/* Three searches with the same result. Which is fastest depends on the input, and is not known
 * before.
 */
enum lode_miner_method {
	LODE_MINER_ALL,	       /* in turns, until one is done: turns.h */
	LODE_MINER_PREFIXES,   /* prefix_search.h */
	LODE_MINER_INSERTIONS, /* explore.h */
	LODE_MINER_ENUMERATION /* enumerate.h; the others where patterns are too many or too long */
};

#define LODE_MINER_WORK_PER_PATTERN 8192

/* What is known when mining stopped at a bound, and what it took, also when it did not stop. */
struct lode_miner_stop {
	bool is_too_long; /* past max_work or max_lookups; else past max_patterns, if at all */
	size_t lookups;	  /* bytes that are looked up at random, when these are past max_lookups */
	uint64_t work;	  /* in the steps of max_work; with one thread always the same */
	/* At least λ, or 0: every λ from here to there gives too many patterns as well. */
	int64_t crowded_to;
};

struct lode_miner_options {
	int64_t min_cost;    /* λ, > 0 */
	size_t max_patterns; /* past this: LODE_ERR_LIMIT; 0 = no bound */
	/* Steps of some 10 ns, besides LODE_MINER_WORK_PER_PATTERN for every pattern that is found.
	   Past this: LODE_ERR_LIMIT; 0 = no bound. */
	uint64_t max_work;
	/* What is left of the sequences at λ is looked up at random, in as many passes as it has
	   functions. Past so many bytes: LODE_ERR_LIMIT before any; 0 = no bound. */
	size_t max_lookups;
	/* A larger λ, or 0. Where an eighth of max_work is too little for that one, λ itself would
	   take more than all of it: LODE_ERR_LIMIT as soon as that is known. */
	int64_t test_cost;
	unsigned n_threads; /* 0 = 1 */
	enum lode_miner_method method;
	/* For tests: from how many functions on something is taken for deep. 0: good numbers. */
	uint32_t deep;
	struct lode_miner_stop *stop; /* may be NULL; set by every call */
	/* Where progress is wanted; may be NULL. Called now and then from one thread. */
	void (*progress)(void *context, double done);
	void *progress_context;
};

/* `*out` must be { 0 }; on failure it is left empty. */
int lode_mine_patterns(struct lode_pattern_set *out, const struct lode_sequences *sequences,
		       const struct lode_miner_options *options, struct lode_error *err);

void lode_pattern_set_release(struct lode_pattern_set *set);
