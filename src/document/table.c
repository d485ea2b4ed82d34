#include "document/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"

enum { least_room = 20, gap = 2 };

struct lode_table {
	const struct lode_table_column *columns;
	size_t n_columns;
	unsigned indent;
	size_t hang;		      /* column under which further lines of the last one start */
	LODE_VEC(const char *) cells; /* row by row */
	struct lode_arena arena;
};

struct lode_table *lode_table_new(const struct lode_table_column *columns, size_t n,
				  unsigned indent)
{
	struct lode_table *table = lode_alloc0(1, sizeof(*table));

	table->columns = columns;
	table->n_columns = n;
	table->indent = indent;
	table->hang = n - 1;
	return table;
}

void lode_table_free(struct lode_table *table)
{
	if (!table)
		return;
	lode_vec_release(&table->cells);
	lode_arena_release(&table->arena);
	free(table);
}

size_t lode_table_row(struct lode_table *table)
{
	assert(table->n_columns);
	for (size_t i = 0; i < table->n_columns; i++)
		lode_vec_append(&table->cells, "");
	return table->cells.n / table->n_columns - 1;
}

void lode_table_set(struct lode_table *table, size_t row, size_t column, const char *format, ...)
{
	va_list args, again;
	int len;
	char *cell;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	cell = lode_arena_array(&table->arena, char, len < 0 ? 1 : len + 1);
	cell[0] = '\0';
	vsnprintf(cell, (size_t)(len < 0 ? 1 : len + 1), format, again);
	va_end(again);
	table->cells.at[row * table->n_columns + column] = cell;
}

static size_t width_of_column(const struct lode_table *table, size_t column)
{
	size_t widest = lode_escape_width(table->columns[column].title);

	for (size_t i = column; i < table->cells.n; i += table->n_columns) {
		size_t width = lode_escape_width(table->cells.at[i]);

		if (width > widest)
			widest = width;
	}
	return widest;
}

/* Where a column starts. */
static size_t start_of_column(const struct lode_table *table, size_t column)
{
	size_t start = table->indent;

	for (size_t c = 0; c < column; c++)
		start += width_of_column(table, c) + gap;
	return start;
}

void lode_table_hang(struct lode_table *table, size_t hang)
{
	table->hang = hang;
}

static size_t room_from(size_t start, unsigned line_columns)
{
	return start + least_room <= line_columns ? line_columns - start : least_room;
}

size_t lode_table_hang_room(const struct lode_table *table, unsigned line_columns)
{
	return room_from(start_of_column(table, table->hang), line_columns);
}

size_t lode_table_room(const struct lode_table *table, unsigned line_columns)
{
	return room_from(start_of_column(table, table->n_columns - 1), line_columns);
}

static void print_blanks(FILE *out, size_t n)
{
	fprintf(out, "%*s", (int)n, "");
}

/* The cell of the last column; its further lines start at `start`. */
static void print_last(FILE *out, const char *cell, size_t start)
{
	while (*cell) {
		size_t len = strcspn(cell, "\n");

		fwrite(cell, 1, len, out);
		cell += len;
		if (*cell) {
			fputc('\n', out);
			print_blanks(out, start);
			cell++;
		}
	}
}

/* Prints one line; `cells` NULL: the titles. Blanks at its end are left out. */
static void print_row(const struct lode_table *table, FILE *out, const size_t *widths,
		      const char *const *cells)
{
	size_t pending = table->indent;

	for (size_t c = 0; c < table->n_columns; c++) {
		const char *cell = cells ? cells[c] : table->columns[c].title;
		size_t width = lode_escape_width(cell);
		size_t slack = widths[c] > width ? widths[c] - width : 0;

		if (c + 1 == table->n_columns && !table->columns[c].is_right) {
			if (*cell)
				print_blanks(out, pending);
			print_last(out, cell, start_of_column(table, table->hang));
			break;
		}
		if (table->columns[c].is_right)
			pending += slack;
		if (*cell) {
			print_blanks(out, pending);
			fputs(cell, out);
			pending = 0;
		} else {
			pending += width;
		}
		if (!table->columns[c].is_right)
			pending += slack;
		pending += gap;
	}
}

void lode_table_print(const struct lode_table *table, FILE *out, bool is_bold)
{
	size_t *widths = lode_alloc0(table->n_columns, sizeof(*widths));

	for (size_t c = 0; c < table->n_columns; c++)
		widths[c] = width_of_column(table, c);
	fputs(is_bold ? "\033[1m" : "", out);
	print_row(table, out, widths, NULL);
	fputs(is_bold ? "\033[0m\n" : "\n", out);
	for (size_t i = 0; i < table->cells.n; i += table->n_columns) {
		print_row(table, out, widths, &table->cells.at[i]);
		fputc('\n', out);
	}
	free(widths);
}
