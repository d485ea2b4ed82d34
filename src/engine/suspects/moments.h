/*
 * Mean and σ of any number of integers, exactly.
 *
 * Sums of values and of their squares are kept as integers, so the result depends neither on the
 * order of the values nor on how they were split: moments of parts add up to those of the whole. A
 * value is labelled by comparing it with floor(mean + k·σ), which is exact as well: no value is on
 * the wrong side of its bound by a rounding error.
 */
#pragma once

#include <stdint.h>

typedef unsigned __int128 lode_u128;

/* `{ 0 }` is of no values. */
struct lode_moments {
	uint64_t n;
	lode_u128 sum;
	lode_u128 squares;	 /* low 128 bits of the sum of squares */
	uint64_t squares_high;	 /* and what does not fit there */
	uint64_t least, largest; /* when n > 0 */
};

/* `value` is not negative. */
static inline void lode_moments_add(struct lode_moments *m, int64_t value)
{
	uint64_t v = (uint64_t)value;
	lode_u128 square = (lode_u128)v * v;

	if (m->n == 0 || v < m->least)
		m->least = v;
	if (v > m->largest)
		m->largest = v;
	m->n++;
	m->sum += v;
	m->squares += square;
	m->squares_high += m->squares < square;
}

void lode_moments_merge(struct lode_moments *into, const struct lode_moments *from);

/* Rounded to the nearest integer; 0 of no values. σ is that of the population. */
int64_t lode_moments_mean(const struct lode_moments *m);
int64_t lode_moments_std(const struct lode_moments *m);

/* The largest integer that is not above mean + k·σ, for |k| up to 1000; n > 0. */
int64_t lode_moments_bound(const struct lode_moments *m, int k);
