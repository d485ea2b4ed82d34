/*
 * How strongly a function goes with slow executions (PASD §III-C; design §4).
 *
 *   D-Success, D-Failed   executions in which the function is the last one of the stack
 *   O-Success, O-Failed   executions in which it occurs at all, counted once each
 *
 *   Failure  = D-Failed / (D-Failed + D-Success)
 *   Context  = O-Failed / (O-Failed + O-Success)
 *   Increase = Failure - Context                      0/0 is 0
 *
 * Increase speaks of functions that are sometimes last and sometimes not. One that is always last
 * has Failure = Context, so 0; one that never is has -Context. The other scores speak of all:
 *
 *   Ochiai     O-Failed / √(all failed · (O-Failed + O-Success))
 *   Tarantula  share of the failed that have it / (that + share of the succeeded that have it)
 *   DStar      O-Failed² / (O-Success + failed without it)
 *   Importance harmonic mean of Increase and ln D-Failed / ln all failed (CBI, Liblit 2005)
 */
#pragma once

#include "engine/suspects/fisher.h"

struct lode_evidence {
	uint64_t d_success, d_failed, o_success, o_failed;
};

struct lode_scores {
	double failure, context, increase;
	double ochiai, tarantula;
	double dstar; /* INFINITY where it has all failed ones and no other */
	double importance;
	/*
	 * 95 %. Increase is w·(p1 - p2), w the share of executions in which the function is not
	 * last, p1 and p2 the shares that failed where it is and where it is not: Newcombe's
	 * interval of a difference, from Wilson's intervals of both. Where it is always last,
	 * Increase is 0 by definition. Importance: its two parts' intervals, squared and added.
	 */
	struct lode_interval increase_ci, importance_ci;
};

/* `failed` and `succeeded`: of all executions. */
struct lode_scores lode_scores_of(const struct lode_evidence *evidence, uint64_t failed,
				  uint64_t succeeded);
