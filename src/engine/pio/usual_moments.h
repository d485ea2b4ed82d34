/*
 * Mean and standard deviation of a stream of numbers, in one pass, that merge.
 */
#pragma once

#include <math.h>
#include <stdint.h>

struct lode_usual_moments {
	uint64_t n;
	double mean, m2; /* m2: summed squares of distances from the mean */
};

static inline void lode_usual_moments_add(struct lode_usual_moments *m, double x)
{
	double d = x - m->mean;

	m->n++;
	m->mean += d / (double)m->n;
	m->m2 += d * (x - m->mean);
}

/* As though all of `other` had been added to `m`. */
static inline void lode_usual_moments_merge(struct lode_usual_moments *m,
					    const struct lode_usual_moments *other)
{
	double d = other->mean - m->mean, n = (double)(m->n + other->n);

	if (!other->n)
		return;
	m->m2 += other->m2 + d * d * (double)m->n * (double)other->n / n;
	m->mean += d * (double)other->n / n;
	m->n += other->n;
}

/* Of the population; 0 without two values. */
static inline double lode_usual_moments_deviation(const struct lode_usual_moments *m)
{
	return m->n > 1 && m->m2 > 0 ? sqrt(m->m2 / (double)m->n) : 0;
}
