/*
 * A table to learn from: columns of values, and a class per row.
 *
 *   row   cpu    lock   host        class
 *   0     12.5   0      "a" (0)     0
 *   1     80.1   NaN    "b" (1)     1          NaN: missing
 *
 * Borrowed and read-only: the caller keeps it until the learner is done.
 */
#pragma once

#include "base/mem.h"

struct lode_attribute {
	const char *name;
	const char *const *values; /* names of a nominal attribute's values; NULL: numeric */
	size_t n_values;	   /* 0: numeric */
};

struct lode_dataset {
	size_t n_rows; /* below 2^31 */
	const struct lode_attribute *attributes;
	/* columns[attribute][row]; of a nominal attribute the index of its value */
	const double *const *columns;
	size_t n_attributes;
	const uint32_t *classes; /* per row, below n_classes */
	const char *const *class_names;
	size_t n_classes;
};

/*
 * Sets of rows as bits: what a rule covers, what is left. All sets of one run have equal size.
 */

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
