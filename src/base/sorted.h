/*
 * Order: comparators for sorting, sorting, and where a number stands among what is sorted.
 *
 *	static int costliest_first(const void *a, const void *b)
 *	{
 *		const struct part *x = a, *y = b;
 *
 *		return LODE_ORDER(y->cost_ns, x->cost_ns) ?: strcmp(x->name, y->name);
 *	}
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Below 0, 0 or above 0, as the first of two numbers is smaller, the same, or larger. */
#define LODE_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Sorts `n` items, of which there may be none. */
#define lode_sort(items, n, compare) \
	((n) > 1 ? qsort((items), (n), sizeof(*(items)), (compare)) : (void)0)
#define lode_sort_r(items, n, compare, context) \
	((n) > 1 ? qsort_r((items), (n), sizeof(*(items)), (compare), (context)) : (void)0)

/* Numbers, rising. */
static inline int lode_compare_u32(const void *a, const void *b)
{
	return LODE_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

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

/* How many of n items come before `key`: `is_before` says so of these, which are the first. */
static inline size_t lode_sorted_before(const void *items, size_t n, size_t item_bytes,
					const void *key,
					bool (*is_before)(const void *item, const void *key))
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (is_before((const char *)items + mid * item_bytes, key))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
