/*
 * Sets of rows as bits: what a rule covers, what is left. All sets of one run have equal size.
 */
#pragma once

#include "base/mem.h"

typedef uint64_t lode_row_word;

static inline size_t lode_row_words(size_t n_rows)
{
	return (n_rows + 63) / 64;
}

static inline lode_row_word *lode_rows_new(size_t n_rows)
{
	return lode_alloc0(lode_row_words(n_rows) + 1, sizeof(lode_row_word));
}

static inline bool lode_rows_has(const lode_row_word *rows, size_t row)
{
	return rows[row / 64] >> row % 64 & 1;
}

static inline void lode_rows_add(lode_row_word *rows, size_t row)
{
	rows[row / 64] |= (lode_row_word)1 << row % 64;
}

static inline void lode_rows_copy(lode_row_word *to, const lode_row_word *from, size_t n_rows)
{
	memcpy(to, from, lode_row_words(n_rows) * sizeof(*to));
}

static inline void lode_rows_remove_all(lode_row_word *rows, const lode_row_word *gone,
					size_t n_rows)
{
	for (size_t i = 0; i < lode_row_words(n_rows); i++)
		rows[i] &= ~gone[i];
}

static inline uint32_t lode_rows_count(const lode_row_word *rows, size_t n_rows)
{
	uint32_t n = 0;

	for (size_t i = 0; i < lode_row_words(n_rows); i++)
		n += (uint32_t)__builtin_popcountll(rows[i]);
	return n;
}

/* Rows of both sets. */
static inline uint32_t lode_rows_count_both(const lode_row_word *a, const lode_row_word *b,
					    size_t n_rows)
{
	uint32_t n = 0;

	for (size_t i = 0; i < lode_row_words(n_rows); i++)
		n += (uint32_t)__builtin_popcountll(a[i] & b[i]);
	return n;
}
