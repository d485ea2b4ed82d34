/*
 * Random numbers that are the same everywhere for a seed (splitmix64). Not for secrets.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lode_random {
	uint64_t state; /* the seed; any value will do */
};

static inline uint64_t lode_random_next(struct lode_random *random)
{
	uint64_t x = random->state += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* 0 .. n-1, n > 0; the bias of n / 2^64 is of no consequence here. */
static inline size_t lode_random_below(struct lode_random *random, size_t n)
{
	return (size_t)(((__uint128_t)lode_random_next(random) * n) >> 64);
}

static inline void lode_random_shuffle(struct lode_random *random, uint32_t *at, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = lode_random_below(random, i);
		uint32_t swapped = at[i - 1];

		at[i - 1] = at[j];
		at[j] = swapped;
	}
}
