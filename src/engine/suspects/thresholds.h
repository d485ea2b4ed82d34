/*
 * Labels: which executions of a metric were slow (PASD §III-C1; docs/suspects.md).
 *
 *        ignored      |   succeeded    |  ambiguous   |   failed
 *   -----------------prune----------success---------failed-------------> value
 *                 mean - 2σ        mean + σ       mean + 2σ
 *
 * A value that is equal to a bound is in the class below it. Only succeeded and failed executions
 * count as evidence; the others are counted and shown.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

/*
 * Mean and σ of any number of integers, exactly.
 *
 * Sums of values and of their squares are kept as integers, so the result depends neither on the
 * order of the values nor on how they were split: moments of parts add up to those of the whole. A
 * value is labelled by comparing it with floor(mean + k·σ), which is exact as well: no value is on
 * the wrong side of its bound by a rounding error.
 */

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

enum lode_label {
	LODE_LABEL_PRUNED,
	LODE_LABEL_SUCCEEDED,
	LODE_LABEL_AMBIGUOUS,
	LODE_LABEL_FAILED,
	LODE_N_LABELS,
};

/* Largest values of the classes below each bound; prune <= success <= failed. */
struct lode_thresholds {
	int64_t prune, success, failed;
};

static inline enum lode_label lode_label_of(int64_t value, const struct lode_thresholds *t)
{
	return (enum lode_label)((value > t->prune) + (value > t->success) + (value > t->failed));
}

/* mean - 2σ, mean + σ, mean + 2σ, rounded down, which leaves labels as they are; n > 0. */
struct lode_thresholds lode_thresholds_of(const struct lode_moments *moments);

/*
 * The same around the median, with 1.4826·MAD for σ (their ratio for normal values): a few extreme
 * values move neither. Where more than half of all values are equal the MAD is 0 and 1.2533 times
 * the mean distance from the median stands in. All doubled, so that they are integers: the median
 * (sum of the two middle values), the MAD of doubled values (sum of its two middle values).
 */
struct lode_robust {
	uint64_t n;
	lode_u128 median2;    /* 2 x the median */
	lode_u128 mad4;	      /* 4 x the MAD */
	lode_u128 distances2; /* sum of 2 x |value - median| */
};
struct lode_thresholds lode_thresholds_robust(const struct lode_robust *robust);

/* ---- By hand ---- */

/* "syscall:*=1us,20ms,50ms", "20ms,50ms": for metrics that match, or all. */
struct lode_threshold_rule {
	const char *glob; /* in the arena; NULL: any */
	struct lode_thresholds thresholds;
};
typedef LODE_VEC(struct lode_threshold_rule) lode_threshold_rules;

/* [METRICS=][PRUNE,]SUCCESS,FAILED: durations or bare numbers, in ascending order. */
int lode_threshold_rule_parse(struct lode_threshold_rule *rule, const char *text,
			      struct lode_arena *arena, struct lode_error *err);
/* The last rule that matches, or NULL. */
const struct lode_threshold_rule *lode_threshold_rule_find(const lode_threshold_rules *rules,
							   const char *metric);
