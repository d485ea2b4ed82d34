/*
 * Tables of dynamic programming, traced back without being kept whole.
 *
 *   row 0 ----- 1 ----- 2 ----- 3 ----- 4 ----- 5 ----- 6 ----- 7     each is made from the one
 * before kept                        kept                    kept
 *                               |<---- the block at hand ---->|
 *
 * A small table is kept as it is. Of a large one every so many rows are kept, and the rows between
 * two of them are made again when the way back gets there: for rows of n cells each, memory for
 * some n * sqrt(n) cells instead of n * n, at the price of making each row twice.
 */
#pragma once

#include "base/mem.h"

/* Makes a row; `above` is the one before, NULL for row 0. */
typedef void (*lode_row_maker)(const void *context, size_t row, const int64_t *above,
			       int64_t *cells);

/* `{ 0 }` is ready, and may be filled again and again. One per thread. */
struct lode_row_table {
	size_t n_rows, width;
	lode_row_maker make;
	const void *context;
	size_t step;  /* rows from one that is kept to the next */
	size_t first; /* row of the block at hand; it has step + 1 */
	LODE_VEC(int64_t) kept, block;
	size_t most_cells; /* that are kept as they are; 0: a good number */
};

/* Makes all rows; n_rows and width > 0. The context is asked until the last row is. */
void lode_row_table_fill(struct lode_row_table *table, size_t n_rows, size_t width,
			 lode_row_maker make, const void *context);

/* A row; the one before it stands right before it in memory. Quick when asked from the last on. */
const int64_t *lode_row_table_at(struct lode_row_table *table, size_t row);
void lode_row_table_release(struct lode_row_table *table);
