/* The k-th smallest of values that are read in passes, in little memory. */
#include "engine/suspects/order_statistic.h"

#include "base/mem.h"

enum { bucket_bits = 11 };

static unsigned bits_of(uint64_t x)
{
	return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

void lode_order_init(struct lode_order_statistic *order, uint64_t least, uint64_t largest,
		     uint64_t rank)
{
	unsigned bits = bits_of(largest - least);

	order->low = least;
	order->shift = bits > bucket_bits ? bits - bucket_bits : 0;
	order->rank = rank;
	order->counts = lode_alloc0(LODE_ORDER_BUCKETS, sizeof(*order->counts));
}

void lode_order_release(struct lode_order_statistic *order)
{
	free(order->counts);
	order->counts = NULL;
}

bool lode_order_end_pass(struct lode_order_statistic *order)
{
	uint64_t bucket = 0;

	while (bucket + 1 < LODE_ORDER_BUCKETS && order->rank >= order->counts[bucket])
		order->rank -= order->counts[bucket++];
	order->low += bucket << order->shift;
	if (order->shift == 0) {
		lode_order_release(order);
		return true;
	}
	order->shift = order->shift > bucket_bits ? order->shift - bucket_bits : 0;
	memset(order->counts, 0, LODE_ORDER_BUCKETS * sizeof(*order->counts));
	return false;
}
