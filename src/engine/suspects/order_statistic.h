/*
 * The k-th smallest of values that can only be read one after the other, exactly, in small memory.
 *
 *   pass 1   |....|....|..##|....|  counts per interval say in which one the k-th value lies
 *   pass 2             |.#..|       that interval, divided anew
 *   ...                             until the interval is one value
 *
 * Values below 2^64 take six passes at most, those of one metric mostly three.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
void lode_order_release(struct lode_order_statistic *order);

/* Within a pass: one of the values. */
static inline void lode_order_add(struct lode_order_statistic *order, uint64_t value)
{
	uint64_t bucket = (value - order->low) >> order->shift; /* smaller values wrap around */

	if (value >= order->low && bucket < LODE_ORDER_BUCKETS)
		order->counts[bucket]++;
}

/* Ends a pass; true when the value is known: it is order->low. */
bool lode_order_end_pass(struct lode_order_statistic *order);
