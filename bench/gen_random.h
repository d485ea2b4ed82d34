/*
 * Random numbers for generated benchmarks: a seed gives the same numbers on every machine.
 */
#ifndef GEN_RANDOM_H
#define GEN_RANDOM_H

#include <math.h>
#include <stdint.h>

struct gen_random {
	uint64_t state;
};

static inline uint64_t gen_u64(struct gen_random *r)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline uint32_t gen_below(struct gen_random *r, uint32_t n)
{
	return (uint32_t)((gen_u64(r) >> 32) * n >> 32);
}

/* In [0, 1). */
static inline double gen_unit(struct gen_random *r)
{
	return (double)(gen_u64(r) >> 11) * 0x1p-53;
}

/* Exponentially distributed with that mean, at least `least`. */
static inline int64_t gen_exponential(struct gen_random *r, double mean, int64_t least)
{
	return least + (int64_t)(-log(1 - gen_unit(r)) * mean);
}

/* 0..n-1 where i + 1 is about (i + 1)^-1 as likely as 1: log-uniform, cheap and heavy-tailed. */
static inline uint32_t gen_zipf(struct gen_random *r, uint32_t n)
{
	uint32_t i = (uint32_t)(exp(gen_unit(r) * log((double)n + 1)) - 1);

	return i < n ? i : n - 1;
}

#endif
