/* Tables for terminals: widths of columns, and lines. */
#include "document/table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>

#include "base/escape.h"
#include "document/fields.h"
#include "document/units.h"

enum { least_room = 20, gap = 2 };

struct lode_table {
	const struct lode_table_column *columns;
	size_t n_columns;
	unsigned indent;
	size_t last;		      /* column, of those that are left */
	size_t hang;		      /* column under which further lines of the last one start */
	bool *is_dropped;	      /* by column */
	LODE_VEC(const char *) cells; /* row by row */
	LODE_VEC(uint8_t) styles;     /* of each */
	struct lode_arena arena;
};

struct lode_table *lode_table_new(const struct lode_table_column *columns, size_t n,
				  unsigned indent)
{
	struct lode_table *table = lode_alloc0(1, sizeof(*table));

	table->columns = columns;
	table->n_columns = n;
	table->indent = indent;
	table->last = table->hang = n - 1;
	table->is_dropped = lode_alloc0(n, sizeof(*table->is_dropped));
	for (size_t c = 0; c < n; c++)
		table->is_dropped[c] = columns[c].drop == LODE_TABLE_WITHOUT;
	return table;
}

void lode_table_free(struct lode_table *table)
{
	if (!table)
		return;
	lode_vec_release(&table->cells);
	lode_vec_release(&table->styles);
	lode_arena_release(&table->arena);
	free(table->is_dropped);
	free(table);
}

size_t lode_table_row(struct lode_table *table)
{
	assert(table->n_columns);
	for (size_t i = 0; i < table->n_columns; i++) {
		lode_vec_append(&table->cells, "");
		lode_vec_append(&table->styles, LODE_STYLE_PLAIN);
	}
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

void lode_table_set_cost(struct lode_table *table, size_t row, size_t column, int64_t cost,
			 const char *unit)
{
	char text[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s", lode_format_cost(text, cost, unit));
}

void lode_table_set_share(struct lode_table *table, size_t row, size_t column, int64_t part,
			  int64_t whole)
{
	char text[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s", lode_format_share(text, part, whole));
}

void lode_table_set_count(struct lode_table *table, size_t row, size_t column, uint64_t n)
{
	char text[LODE_UNITS_BUFFER];

	lode_table_set(table, row, column, "%s", lode_format_count(text, n));
}

void lode_table_set_text(struct lode_table *table, size_t row, size_t column, const char *text,
			 size_t columns)
{
	char safe[4096];

	lode_table_set(table, row, column, "%s",
		       lode_escape_fit(safe, sizeof(safe), text, columns));
}

void lode_table_set_name(struct lode_table *table, size_t row, size_t column, const char *name,
			 size_t room)
{
	lode_table_set(table, row, column, "%s%s",
		       lode_escape_width(name) > room && *name ? "\n" : "", name);
}

void lode_table_style(struct lode_table *table, size_t row, size_t column, enum lode_style style)
{
	table->styles.at[row * table->n_columns + column] = (uint8_t)style;
}

size_t lode_table_headings(struct lode_table_column *columns, size_t n,
			   const struct lode_record *record)
{
	size_t used = 0;

	for (size_t i = 0; i < record->n_fields && used < n; i++)
		if (record->fields[i].label)
			columns[used++] = (struct lode_table_column){record->fields[i].label, true,
								     record->fields[i].drop};
	return used;
}

size_t lode_table_set_figures(struct lode_table *table, size_t row, size_t column,
			      const struct lode_record *record, const void *at, const char *unit)
{
	char cost[LODE_UNITS_BUFFER];
	size_t used = 0;

	for (size_t i = 0; i < record->n_fields; i++) {
		const struct lode_field *field = &record->fields[i];

		if (!field->label)
			continue;
		if (lode_field_is_absent(field, at))
			lode_table_set(table, row, column + used, "-");
		else if (lode_field_is_ns(field))
			lode_table_set(table, row, column + used, "%s",
				       lode_format_cost(cost, lode_field_integer(field, at), unit));
		else
			lode_table_set(table, row, column + used, "%" PRId64,
				       lode_field_integer(field, at));
		used++;
	}
	return used;
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

/* Where a column starts; of one that was dropped the first behind it that was not. */
static size_t start_of_column(const struct lode_table *table, size_t column)
{
	size_t start = table->indent;

	for (size_t c = 0; c < column; c++)
		if (!table->is_dropped[c])
			start += width_of_column(table, c) + gap;
	return start;
}

/* The columns that go next. False: none may. */
static bool drop_next(struct lode_table *table)
{
	unsigned least = UINT_MAX;

	for (size_t c = 0; c < table->n_columns; c++) {
		unsigned drop = table->columns[c].drop;

		if (drop && !table->is_dropped[c] && drop < least)
			least = drop;
	}
	for (size_t c = 0; c < table->n_columns; c++) {
		table->is_dropped[c] |= table->columns[c].drop == least;
		if (!table->is_dropped[c])
			table->last = c;
	}
	return least < UINT_MAX;
}

static size_t room_from(size_t start, unsigned line_columns, size_t least)
{
	return start + least < line_columns ? line_columns - start : least;
}

size_t lode_table_fit(struct lode_table *table, unsigned line_columns, size_t least, size_t hang,
		      size_t *hang_room)
{
	size_t start;

	do
		start = start_of_column(table, table->last);
	while (start + least > line_columns && drop_next(table));
	table->hang = hang;
	if (hang_room)
		*hang_room = room_from(start_of_column(table, hang), line_columns, least_room);
	return room_from(start, line_columns, least);
}

size_t lode_table_room(struct lode_table *table, unsigned line_columns)
{
	return lode_table_fit(table, line_columns, least_room, table->hang, NULL);
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

/* Prints one line, that of the cells from `first` on; SIZE_MAX: the titles. Blanks at its end are
   left out. */
static void print_row(const struct lode_table *table, FILE *out, const size_t *widths,
		      size_t hang_start, size_t first, bool has_color)
{
	size_t pending = table->indent;
	bool is_title = first == SIZE_MAX;

	for (size_t c = 0; c <= table->last; c++) {
		const char *cell = is_title ? table->columns[c].title : table->cells.at[first + c];
		enum lode_style style =
			is_title ? LODE_STYLE_BOLD : (enum lode_style)table->styles.at[first + c];
		size_t width = lode_escape_width(cell);
		size_t slack = widths[c] > width ? widths[c] - width : 0;

		if (table->is_dropped[c])
			continue;
		if (c == table->last && !table->columns[c].is_right) {
			if (*cell && *cell != '\n')
				print_blanks(out, pending);
			fputs(lode_style_start(style, has_color && *cell), out);
			print_last(out, cell, hang_start);
			fputs(lode_style_end(style, has_color && *cell), out);
			break;
		}
		if (table->columns[c].is_right)
			pending += slack;
		if (*cell) {
			print_blanks(out, pending);
			fprintf(out, "%s%s%s", lode_style_start(style, has_color), cell,
				lode_style_end(style, has_color));
			pending = 0;
		} else {
			pending += width;
		}
		if (!table->columns[c].is_right)
			pending += slack;
		pending += gap;
	}
	fputc('\n', out);
}

void lode_table_print(const struct lode_table *table, FILE *out, bool has_color)
{
	size_t *widths = lode_alloc0(table->n_columns, sizeof(*widths));
	size_t hang_start = start_of_column(table, table->hang);

	for (size_t c = 0; c < table->n_columns; c++)
		widths[c] = width_of_column(table, c);
	print_row(table, out, widths, hang_start, SIZE_MAX, has_color);
	for (size_t i = 0; i < table->cells.n; i += table->n_columns)
		print_row(table, out, widths, hang_start, i, has_color);
	free(widths);
}

void lode_table_end(struct lode_table *table, FILE *out, const struct lode_text_page *page)
{
	lode_table_print(table, out, page->has_color);
	lode_table_free(table);
}
