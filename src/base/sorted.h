/*
 * Order: comparators for sorting, sorting, and where a number stands among what is sorted.
 *
 *	LODE_COMPARE(costliest_first, struct part,
 *		     LODE_ORDER(b->cost_ns, a->cost_ns) ?: strcmp(a->name, b->name))
 */
#pragma once

#include "base/mem.h"

/* Below 0, 0 or above 0, as the first of two numbers is smaller, the same, or larger. */
#define LODE_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * A static comparator of two items, `a` and `b`; of two pointers to these; and of two items for
 * lode_sort_r, whose context is declared by `with`: "const struct lode_strings *names".
 */
#define LODE_COMPARE(name, type, order)                        \
	static int name(const void *first, const void *second) \
	{                                                      \
		const type *a = first, *b = second;            \
                                                               \
		return (order);                                \
	}
#define LODE_COMPARE_AT(name, type, order)                                                      \
	static int name(const void *first, const void *second)                                  \
	{                                                                                       \
		const type *a = *(const type *const *)first, *b = *(const type *const *)second; \
                                                                                                \
		return (order);                                                                 \
	}

/* NOLINTBEGIN(bugprone-macro-parentheses): a declaration has none */
#define LODE_COMPARE_WITH(name, type, with, order)                            \
	static int name(const void *first, const void *second, void *context) \
	{                                                                     \
		const type *a = first, *b = second;                           \
		with = context;                                               \
                                                                              \
		return (order);                                               \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

/* Sorts `n` items, of which there may be none. */
#define lode_sort(items, n, compare) \
	((n) > 1 ? qsort((items), (n), sizeof(*(items)), (compare)) : (void)0)
#define lode_sort_r(items, n, compare, context) \
	((n) > 1 ? qsort_r((items), (n), sizeof(*(items)), (compare), (context)) : (void)0)

/* The numbers 0 .. n - 1 in the order of a comparator of two of them (uint32_t): to be freed. */
static inline uint32_t *lode_order_by(size_t n, int (*compare)(const void *, const void *, void *),
				      const void *context)
{
	uint32_t *order = lode_alloc(n * sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	lode_sort_r(order, n, compare, (void *)(uintptr_t)context);
	return order;
}

/* Numbers, rising. */
static inline int lode_compare_u32(const void *a, const void *b)
{
	return LODE_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

static inline int lode_compare_i64(const void *a, const void *b)
{
	return LODE_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* Strings, by their bytes. */
static inline int lode_compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
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

/* The same, in time that grows with the logarithm of how far that is from `near`. */
static inline size_t lode_sorted_up_to_near(const void *items, size_t n, size_t item_bytes,
					    int64_t key, size_t near)
{
#define KEY(i) (*(const int64_t *)(const void *)((const char *)items + (i)*item_bytes))
	size_t low = near < n ? near : n, high = low, step = 1;

	if (low < n && KEY(low) <= key) {
		while (high < n && KEY(high) <= key) {
			low = high + 1;
			high = n - low > step ? low + step : n;
			step *= 2;
		}
	} else {
		while (low > 0 && KEY(low - 1) > key) {
			high = low - 1;
			low = high > step ? high - step : 0;
			step *= 2;
		}
	}
#undef KEY
	return low + lode_sorted_up_to((const char *)items + low * item_bytes, high - low,
				       item_bytes, key);
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
