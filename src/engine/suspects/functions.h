/*
 * From counts per stack to evidence per function.
 *
 *   row   syscall:read  main > load > read   3 failed, 40 succeeded
 *                       O of main, load and read += (3, 40); D of read += (3, 40)
 *
 * Each distinct stack is walked once, however many executions it had. Functions that occur in the
 * same stacks always occur together: they form a group, which is one finding, not many.
 */
#pragma once

#include "engine/suspects/fisher.h"
#include "engine/suspects/tally.h"

/*
 * How strongly a function goes with slow executions (PASD §III-C; docs/suspects.md).
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

/* What counts as failed and succeeded. */
enum lode_evidence_kind {
	LODE_EVIDENCE_LABELS, /* of the subject's executions, by their label */
	LODE_EVIDENCE_SIDES,  /* all executions: the subject's failed, the other side's succeeded */
};

struct lode_outcome {
	uint64_t failed, succeeded;
};

/* A row's part in `time_ns`. */
double lode_row_time(const struct lode_tally *tally, const struct lode_tally_row *row,
		     enum lode_evidence_kind kind);
/* Whether the row says something of functions. */
bool lode_row_counts(const struct lode_tally *tally, const struct lode_tally_row *row,
		     enum lode_evidence_kind kind);

struct lode_outcome lode_row_outcome(const struct lode_tally_row *row,
				     enum lode_evidence_kind kind);

struct lode_function {
	uint32_t frame;
	struct lode_evidence evidence;
	uint64_t n[LODE_N_SIDES]; /* executions in which it occurs, whatever their label */
	/* Of their values, where these are times. */
	struct lode_moments moments[LODE_N_SIDES];
	/* Of counted metrics (tally.h): what failed took; of two sides, what each took. `depth` is
	   how far in it is on average, weighted by that. */
	double time_ns[LODE_N_SIDES], depth;
	uint64_t mark[2]; /* of the stacks in which it occurs: equal marks, equal stacks */
};

typedef LODE_VEC(struct lode_function) lode_functions;

/* All functions of the tally's stacks, in order of their frames. Gives what all rows come to. */
struct lode_outcome lode_functions_build(lode_functions *functions, const struct lode_tally *tally,
					 enum lode_evidence_kind kind);

/* A mark for one stack; marks of sets of stacks are their sums. */
void lode_stack_mark(uint64_t mark[2], uint32_t stack);
