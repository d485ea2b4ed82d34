/*
 * Where a number stands among items that are in its order.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How many of n items, each beginning with its int64_t, in rising order, are not above `key`. */
static inline size_t lode_sorted_up_to(const void *items, size_t n, size_t item_bytes, int64_t key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (*(const int64_t *)(const void *)((const char *)items + mid * item_bytes) <= key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
