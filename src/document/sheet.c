#include "document/sheet.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "document/table.h"

enum { most_columns = 16, wide = 1 << 20 };

struct lode_sheet {
	const struct lode_sheet_column *columns;
	size_t n_columns, hang;
	unsigned indent;
	bool is_dropped[most_columns];
	LODE_VEC(const char *) cells; /* row by row */
	struct lode_arena arena;
};

struct lode_sheet *lode_sheet_new(const struct lode_sheet_column *columns, size_t n,
				  unsigned indent)
{
	struct lode_sheet *sheet = lode_alloc0(1, sizeof(*sheet));

	assert(n > 0 && n <= most_columns);
	sheet->columns = columns;
	sheet->n_columns = n;
	sheet->hang = n - 1;
	sheet->indent = indent;
	return sheet;
}

void lode_sheet_free(struct lode_sheet *sheet)
{
	if (!sheet)
		return;
	lode_vec_release(&sheet->cells);
	lode_arena_release(&sheet->arena);
	free(sheet);
}

size_t lode_sheet_row(struct lode_sheet *sheet)
{
	assert(sheet->n_columns);
	for (size_t i = 0; i < sheet->n_columns; i++)
		lode_vec_append(&sheet->cells, "");
	return sheet->cells.n / sheet->n_columns - 1;
}

void lode_sheet_set(struct lode_sheet *sheet, size_t row, size_t column, const char *format, ...)
{
	va_list args, again;
	char *cell;
	int len;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	len = len < 0 ? 0 : len;
	cell = lode_arena_array(&sheet->arena, char, len + 1);
	cell[0] = '\0';
	vsnprintf(cell, (size_t)len + 1, format, again);
	va_end(again);
	sheet->cells.at[row * sheet->n_columns + column] = cell;
}

/* The table of what is left; *hang becomes a column of it. `columns` must outlive it. */
static struct lode_table *table_of(const struct lode_sheet *sheet,
				   struct lode_table_column *columns, size_t *hang)
{
	struct lode_table *table;
	size_t n = 0, n_rows;

	assert(sheet->n_columns);
	n_rows = sheet->cells.n / sheet->n_columns;
	*hang = 0;
	for (size_t c = 0; c < sheet->n_columns; c++) {
		if (c < sheet->hang)
			*hang += !sheet->is_dropped[c];
		if (!sheet->is_dropped[c])
			columns[n++] = (struct lode_table_column){sheet->columns[c].title,
								  sheet->columns[c].is_right};
	}
	table = lode_table_new(columns, n, sheet->indent);
	for (size_t row = 0; row < n_rows; row++) {
		size_t to = 0;

		lode_table_row(table);
		for (size_t c = 0; c < sheet->n_columns; c++) {
			if (!sheet->is_dropped[c])
				lode_table_set(table, row, to++, "%s",
					       sheet->cells.at[row * sheet->n_columns + c]);
		}
	}
	lode_table_hang(table, *hang);
	return table;
}

/* The columns that go next. False: none may. */
static bool drop_next(struct lode_sheet *sheet)
{
	unsigned least = UINT32_MAX;

	for (size_t c = 0; c < sheet->n_columns; c++) {
		unsigned drop = sheet->columns[c].drop;

		if (drop && !sheet->is_dropped[c] && drop < least)
			least = drop;
	}
	for (size_t c = 0; c < sheet->n_columns; c++)
		sheet->is_dropped[c] = sheet->is_dropped[c] || sheet->columns[c].drop == least;
	return least < UINT32_MAX;
}

size_t lode_sheet_fit(struct lode_sheet *sheet, unsigned line_columns, size_t least, size_t hang,
		      size_t *hang_room)
{
	struct lode_table_column columns[most_columns];
	struct lode_table *table;
	size_t start, ignored;

	sheet->hang = hang;
	do {
		table = table_of(sheet, columns, &ignored);
		start = wide - lode_table_room(table, wide);
		if (hang_room)
			*hang_room = lode_table_hang_room(table, line_columns);
		lode_table_free(table);
	} while (start + least > line_columns && drop_next(sheet));
	return start + least < line_columns ? line_columns - start : least;
}

void lode_sheet_print(const struct lode_sheet *sheet, FILE *out, bool is_bold)
{
	struct lode_table_column columns[most_columns];
	size_t ignored;
	struct lode_table *table = table_of(sheet, columns, &ignored);

	lode_table_print(table, out, is_bold);
	lode_table_free(table);
}
