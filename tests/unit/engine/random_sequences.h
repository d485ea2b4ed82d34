/*
 * Random sequences for the miner, more and longer than an oracle can do: variants of each other,
 * with common ends and repeats, as stacks have.
 */
#ifndef LODE_TEST_RANDOM_SEQUENCES_H
#define LODE_TEST_RANDOM_SEQUENCES_H

#include "engine/patterns/miner.h"
#include "random.h"

enum { MOST_SEQUENCES = 32, LONGEST = 32 };

struct large {
	size_t n, start[MOST_SEQUENCES + 1];
	uint32_t items[MOST_SEQUENCES * LONGEST];
	int64_t cost[MOST_SEQUENCES];
	int64_t total;
};

void random_large(struct large *input, struct test_random *random);
struct lode_sequences view_large(const struct large *input);

/* Some λ that is neither sure to find nothing nor sure to find all. */
int64_t random_min_cost(const struct large *input, struct test_random *random);

/* Fails, and names the seed, unless both hold the same patterns in the same order. */
void assert_equal_sets(const struct lode_pattern_set *a, const struct lode_pattern_set *b,
		       uint64_t seed);

#endif
