/*
 * Tables that fit: what matters least goes first where a line is too short for all columns.
 *
 *   sheet = lode_sheet_new(columns, n)
 *   rows, cells of all columns but the last
 *   room = lode_sheet_fit(sheet, line_columns, least)     now it is known which columns are left
 *   cells of the last column, made for that room
 *   lode_sheet_print(sheet, out, is_bold)
 *
 * Cells are shown as they are, as in document/table.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct lode_sheet;

struct lode_sheet_column {
	const char *title;
	bool is_right;
	unsigned drop; /* 0: never; 1 goes first, then 2 ... */
};

/* `columns` (n of them, 16 at most) is borrowed; their titles may change until it is printed. */
struct lode_sheet *lode_sheet_new(const struct lode_sheet_column *columns, size_t n,
				  unsigned indent);
void lode_sheet_free(struct lode_sheet *sheet);

size_t lode_sheet_row(struct lode_sheet *sheet);
void lode_sheet_set(struct lode_sheet *sheet, size_t row, size_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Drops columns until the last one has room for `least`. Gives that room. `*hang_room` (may be
 * NULL) is that of its further lines, which start under the column `hang`, or the first one behind
 * it that is left.
 */
size_t lode_sheet_fit(struct lode_sheet *sheet, unsigned line_columns, size_t least, size_t hang,
		      size_t *hang_room);

void lode_sheet_print(const struct lode_sheet *sheet, FILE *out, bool is_bold);
