/*
 * All executions, counted: what the statistics are made of.
 *
 *   pass 1   moments and latency histogram of each metric      -> thresholds
 *   pass 2   label of each execution -> counts per (metric, stack, side)
 *
 * Nothing is kept per execution, and no frame is walked here: the distinct stacks are few, and
 * their functions are looked at once, later (functions.h). A metric of the tally is one of the
 * set's, or all system calls together when they are pooled.
 */
#pragma once

#include "engine/suspects/execution.h"
#include "engine/suspects/thresholds.h"

/*
 * The k-th smallest of values that can only be read one after the other, exactly, in small memory.
 *
 *   pass 1   |....|....|..##|....|  counts per interval say in which one the k-th value lies
 *   pass 2             |.#..|       that interval, divided again
 *   ...                             until the interval is one value
 *
 * Values below 2^64 take six passes at most, those of one metric mostly three.
 */

enum { LODE_ORDER_BUCKETS = 1 << 11 };

struct lode_order_statistic {
	uint64_t low; /* the value lies in [low, low + buckets · 2^shift) */
	unsigned shift;
	uint64_t rank;	  /* among the values of that interval, from 0 */
	uint64_t *counts; /* of the buckets; NULL when done */
};

/* The value of rank `rank` (from 0) among values from `least` to `largest`. */
void lode_order_init(struct lode_order_statistic *order, uint64_t least, uint64_t largest,
		     uint64_t rank);

/* Within a pass: one of the values. */
static inline void lode_order_add(struct lode_order_statistic *order, uint64_t value)
{
	uint64_t bucket = (value - order->low) >> order->shift; /* smaller values wrap around */

	if (value >= order->low && bucket < LODE_ORDER_BUCKETS)
		order->counts[bucket]++;
}

/* Ends a pass; true when the value is known: it is order->low. */
bool lode_order_end_pass(struct lode_order_statistic *order);

/*
 * How values are spread, in buckets that grow with them: four to each power of two, so that a
 * bucket is at most a quarter wide as its values are large.
 *
 *   0 1 2 3 | 4 5 6 7 | 8-9 10-11 12-13 14-15 | 16-19 ...
 */
enum { LODE_LATENCY_BUCKETS = 252 };

struct lode_latency_histogram {
	uint64_t n[LODE_LATENCY_BUCKETS];
};

static inline unsigned lode_latency_bucket(uint64_t value)
{
	unsigned octave;

	if (value < 4)
		return (unsigned)value;
	octave = 61 - (unsigned)__builtin_clzll(value); /* 0 for 4 to 7 */
	return 4 + 4 * octave + (unsigned)(value >> octave & 3);
}

/* The smallest value of a bucket; of the one behind the last: 2^64 - 1. */
static inline uint64_t lode_latency_bucket_start(unsigned bucket)
{
	if (bucket < 4)
		return bucket;
	if (bucket >= LODE_LATENCY_BUCKETS)
		return UINT64_MAX;
	return (uint64_t)(4 + (bucket & 3)) << ((bucket - 4) / 4);
}

/* The recordings that are asked about, and those that they are held against, if there are any. */
enum lode_side { LODE_SIDE_SUBJECT, LODE_SIDE_OTHER, LODE_N_SIDES };

struct lode_tally_metric {
	const char *name, *unit; /* borrowed from the set */
	struct lode_moments moments[LODE_N_SIDES];
	struct lode_latency_histogram *histogram[LODE_N_SIDES]; /* NULL: no execution */
	struct lode_thresholds thresholds;
	/* Its times are not part of another metric's here: of system calls where these were
	   measured, else of waits, else of any. Added up, each ns counts once. */
	bool is_counted;
	/* One side has stacks for less than half the share of its calls that the other has: what
	   differs by function there, the recordings differ in, not the programs. */
	bool is_one_sided;
	bool is_labelled; /* false: there was nothing to take thresholds from */
	uint64_t n[LODE_N_SIDES][LODE_N_LABELS]; /* all 0 where it is not labelled */
	lode_u128 failed_sum;			 /* of the subject's failed values */
	uint64_t losses[LODE_N_EXECUTION_LOSSES];
};

/* The executions of one metric with one stack on one side. */
struct lode_tally_row {
	uint32_t metric, stack;
	enum lode_side side;
	uint64_t n[LODE_N_LABELS];
	struct lode_moments moments; /* of all, labelled or not */
	lode_u128 failed_sum;	     /* of the values of those that failed */
};

enum lode_threshold_source {
	LODE_THRESHOLDS_SUBJECT, /* mean and σ of this run */
	LODE_THRESHOLDS_OTHER,	 /* of the other side: a healthy run */
};

struct lode_tally_options {
	uint32_t n_subject_streams; /* streams from this one on are the other side; UINT32_MAX: none
				     */
	bool pooled;		    /* all system calls are one metric, "syscall:*" */
	enum lode_threshold_source source;
	bool robust;			     /* median and MAD in place of mean and σ */
	const lode_threshold_rules *by_hand; /* first of all; NULL: none */
};

struct lode_tally {
	struct lode_execution_set *set;
	struct lode_tally_options options;
	LODE_VEC(struct lode_tally_metric) metrics;
	uint32_t *metric_of;		      /* of the set -> of the tally */
	LODE_VEC(struct lode_tally_row) rows; /* in order of first sight */
	struct lode_map row_index;
};

/* Reads the set two times, with `robust` up to fifteen times. `set` must outlive the tally. */
int lode_tally_build(struct lode_tally *tally, struct lode_execution_set *set,
		     const struct lode_tally_options *options, struct lode_error *err);
void lode_tally_release(struct lode_tally *tally);

static inline enum lode_side lode_tally_side(const struct lode_tally *tally, uint32_t stream)
{
	return stream >= tally->options.n_subject_streams ? LODE_SIDE_OTHER : LODE_SIDE_SUBJECT;
}
