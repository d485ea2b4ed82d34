/*
 * Suspects: functions ranked by how strongly they go with slow executions (PASD; docs/suspects.md).
 *
 *   executions --> tally --> thresholds, labels --> functions --> scores, p-values --> ranks
 *                                            \--> caller contrasts
 *
 * Two ways to say what is slow:
 *   labels   an execution is slow against the mean and σ of its metric: in this run, or in a
 *            healthy one, or by hand
 *   sides    two sets of recordings, slow and fast: what do the slow ones do more, or longer?
 */
#pragma once

#include "engine/suspects/contrast.h"
#include "engine/suspects/functions.h"
#include "engine/suspects/tally.h"

/* By what functions are ranked; ties by O-Failed, then by name. */
enum lode_suspect_order {
	LODE_ORDER_INCREASE,
	LODE_ORDER_EXCESS, /* two sets only */
	LODE_ORDER_FAILURE,
	LODE_ORDER_CONTEXT,
	LODE_ORDER_OCHIAI,
	LODE_ORDER_TARANTULA,
	LODE_ORDER_DSTAR,
	LODE_ORDER_IMPORTANCE,
	LODE_ORDER_P,	 /* most significant first */
	LODE_ORDER_MEAN, /* of the executions in which it occurs */
	LODE_ORDER_STD,
	LODE_ORDER_TIME, /* their sum; with two sets, how much more it is */
	/*
	 * How much of the slow time, or of what slow recordings take longer, goes with it, in
	 * halves: first those with more than half of it, innermost first, then those with more than
	 * a quarter, and so on. Significant ones before others.
	 */
	LODE_ORDER_EXTRA,
	LODE_N_ORDERS,
};

/*
 * What slow recordings do that fast ones do not, per recording: 1 - fast / slow, of calls and of
 * their time. 1: only in slow ones; 0: as in fast ones; -1: half of it or less. `low` is the lower
 * end of the 95 % interval: what one or two calls seem to say counts for little.
 */
struct lode_excess {
	double calls, time;
	double calls_low, time_low;
	double low; /* the larger of both: what functions are ranked by */
};

struct lode_suspect {
	const struct lode_function *function;
	struct lode_scores scores;
	struct lode_excess excess; /* two sets only */
	/* In counted metrics: the time of its slow executions; of two sets, how much more it takes
	   in a slow recording than in a fast one, of what is sure of that. */
	double extra_ns;
	/*
	 * Fisher's exact test of its occurrence: executions with it against those without it.
	 * Of two sets, twice the smaller of that and of the chance that so much of its time is slow
	 * recordings'. q is adjusted for all groups of functions that were tested.
	 */
	double log_p, log_q;
	uint32_t rank;	/* from 1 */
	uint32_t group; /* rank of the first function that always occurs together with it */
	uint32_t n_group;
};

struct lode_suspects_options {
	struct lode_tally_options tally;
	enum lode_evidence_kind kind;
	enum lode_suspect_order order;
	enum lode_correction correction;
};

struct lode_suspects {
	struct lode_suspects_options options;
	struct lode_tally tally;
	lode_functions functions;
	struct lode_outcome all; /* all executions */
	double extra_ns;	 /* of all functions together, as of each */
	uint64_t n[LODE_N_SIDES];
	size_t n_streams[LODE_N_SIDES];
	struct lode_suspect *ranked; /* by rank; as many as functions */
	lode_contrasts contrasts;
	size_t n_contrast_tests, n_groups;
	struct lode_arena arena;
};

/* `set` must outlive the result. Fails only when executions cannot be read again. */
int lode_suspects(struct lode_suspects **out, struct lode_execution_set *set,
		  const struct lode_suspects_options *options, struct lode_error *err);
void lode_suspects_free(struct lode_suspects *suspects);

/* Goes with slow executions, or with slow recordings, more than chance allows: q < 0.05. */
bool lode_suspect_is_significant(const struct lode_suspects *suspects,
				 const struct lode_suspect *suspect);

/* "increase": as it is said on the command line. */
const char *lode_suspect_order_name(enum lode_suspect_order order);
