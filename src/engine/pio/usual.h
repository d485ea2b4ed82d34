/*
 * What is usual: response times per (action, user) and per action, and what counts as SLOW.
 *
 *   SLOW      response time > mean + standard deviation of its (action, user)      [PIO13 2.2]
 *   NORMAL    otherwise; equal to the bound is NORMAL
 *
 * A pair with fewer than `min_requests` is judged by its action. An action that was never seen
 * cannot be judged. With `is_log` mean and deviation are those of logarithms; a response time of 0
 * (logs have milliseconds) counts as half a millisecond there.
 */
#pragma once

#include <math.h>

#include "base/map.h"

/*
 * Mean and standard deviation of a stream of numbers, in one pass, that merge.
 */
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

struct lode_usual_pair {
	uint32_t action, user;
	struct lode_usual_moments moments;
	double slow_above_ns; /* set by lode_usual_settle */
};

struct lode_usual {
	bool is_log, is_per_action; /* per action: users make no difference */
	uint32_t min_requests;
	struct lode_map index; /* action << 32 | user -> pair */
	LODE_VEC(struct lode_usual_pair) pairs;
	LODE_VEC(struct lode_usual_pair) actions; /* by action id; user LODE_NONE */
};

/* The pair's number, made if it is new. */
uint32_t lode_usual_pair(struct lode_usual *usual, uint32_t action, uint32_t user);
void lode_usual_add(struct lode_usual *usual, uint32_t pair, int64_t response_ns);
/* Works out the bounds, after the last add. */
void lode_usual_settle(struct lode_usual *usual);
/* A response of the pair that takes longer is SLOW; INFINITY: it cannot be judged. After
   lode_usual_settle. */
double lode_usual_bound(const struct lode_usual *usual, uint32_t pair);
void lode_usual_release(struct lode_usual *usual);
