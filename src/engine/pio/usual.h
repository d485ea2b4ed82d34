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

#include "engine/pio/usual_moments.h"
#include "base/map.h"

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
