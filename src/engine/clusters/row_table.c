/* Rows of a table, made again block by block on the way back. */
#include "engine/clusters/row_table.h"

#include <math.h>

enum { MOST_CELLS = 1 << 20 }; /* 8 MB */

/* Rows of a block that has its first one, to its end or the table's. */
static void make_block(struct lode_row_table *t)
{
	int64_t *row = t->block.at;

	for (size_t i = t->first + 1; i <= t->first + t->step && i < t->n_rows; i++) {
		t->make(t->context, i, row, row + t->width);
		row += t->width;
	}
}

void lode_row_table_fill(struct lode_row_table *t, size_t n_rows, size_t width, lode_row_maker make,
			 const void *context)
{
	size_t most_cells = t->most_cells ? t->most_cells : MOST_CELLS;
	size_t row_bytes = width * sizeof(*t->block.at), n_blocks;

	t->n_rows = n_rows;
	t->width = width;
	t->make = make;
	t->context = context;
	t->step = most_cells / width;
	if (t->step < n_rows && (double)t->step < sqrt((double)n_rows))
		t->step = (size_t)sqrt((double)n_rows) + 1;
	if (t->step > n_rows)
		t->step = n_rows;
	n_blocks = (n_rows - 1) / t->step + 1;
	lode_vec_reserve(&t->block, (t->step + 1) * width);
	if (n_blocks > 1)
		lode_vec_reserve(&t->kept, n_blocks * width);
	make(context, 0, NULL, t->block.at);
	for (t->first = 0;; t->first += t->step) {
		if (n_blocks > 1)
			memcpy(t->kept.at + t->first / t->step * width, t->block.at, row_bytes);
		make_block(t);
		if (t->first + t->step >= n_rows)
			break;
		memcpy(t->block.at, t->block.at + t->step * width, row_bytes);
	}
}

const int64_t *lode_row_table_at(struct lode_row_table *t, size_t row)
{
	size_t lowest = row ? row - 1 : 0;

	if (lowest < t->first || row > t->first + t->step) {
		t->first = lowest / t->step * t->step;
		memcpy(t->block.at, t->kept.at + t->first / t->step * t->width,
		       t->width * sizeof(*t->block.at));
		make_block(t);
	}
	return t->block.at + (row - t->first) * t->width;
}

void lode_row_table_release(struct lode_row_table *t)
{
	lode_vec_release(&t->kept);
	lode_vec_release(&t->block);
}
