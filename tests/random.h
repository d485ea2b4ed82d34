/*
 * Seeded random numbers for tests (splitmix64): the same on every machine.
 */
#ifndef LODE_TEST_RANDOM_H
#define LODE_TEST_RANDOM_H

#include <stdint.h>

struct test_random {
	uint64_t state; /* the seed */
};

static inline uint64_t test_random_next(struct test_random *random)
{
	uint64_t x = random->state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* 0 .. n - 1; n > 0 */
static inline uint32_t test_random_below(struct test_random *random, uint32_t n)
{
	return (uint32_t)((test_random_next(random) >> 32) * n >> 32);
}

#endif
