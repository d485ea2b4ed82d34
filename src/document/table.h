/*
 * Tables for terminals: columns as wide as their widest cell, the last one takes what is left.
 *
 *   #  share     own   why   common part
 *   1  30.7 %  28.6 s  disk  path_canonicalize › path_query_component
 *   2  15.5 %  14.4 s  lock  session_restore › session_state_get
 *      → ph-store  store_checkpoint › journal_append
 *
 * Where a line is too short for all columns, those that matter least go:
 *
 *   table = lode_table_new(columns, n, indent)
 *   rows, cells of all columns but the last
 *   room = lode_table_fit(table, line_columns, least, hang, NULL)     now it is known what is left
 *   cells of the last column, made for that room
 *   lode_table_end(table, out, page)
 *
 * Widths are columns of a terminal, so wide characters stay aligned. Cells are shown as they are:
 * escape untrusted text first (base/escape.h).
 */
#pragma once

#include <limits.h>
#include <stdint.h>
#include <stddef.h>

#include "document/text_page.h"

struct lode_record;
struct lode_table;

struct lode_table_column {
	const char *title;
	bool is_right; /* aligned to the right: numbers */
	unsigned drop; /* 0: never; 1 goes first, then 2 ...; LODE_TABLE_WITHOUT: it is not there */
};
#define LODE_TABLE_WITHOUT UINT_MAX

/* `columns` (n of them) is borrowed; titles may change until it is printed. Lines are indented by
 * `indent` blanks. */
struct lode_table *lode_table_new(const struct lode_table_column *columns, size_t n,
				  unsigned indent);
void lode_table_free(struct lode_table *table);

/* Starts a row and gives its number, from 0. Cells that are not set are empty. */
size_t lode_table_row(struct lode_table *table);
/* Only the last column may hold several lines, separated by line feeds. */
void lode_table_set(struct lode_table *table, size_t row, size_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same of a cost in `unit`, a part's share of the whole, and a count (document/units.h). */
void lode_table_set_cost(struct lode_table *table, size_t row, size_t column, int64_t cost,
			 const char *unit);
void lode_table_set_share(struct lode_table *table, size_t row, size_t column, int64_t part,
			  int64_t whole);
void lode_table_set_count(struct lode_table *table, size_t row, size_t column, uint64_t n);

/* The same of untrusted text: harmless, and cut to so many columns. */
void lode_table_set_text(struct lode_table *table, size_t row, size_t column, const char *text,
			 size_t columns);

/* The same of a name in the last column, which is never cut: where it is wider than `room`, it has
   a further line to itself. */
void lode_table_set_name(struct lode_table *table, size_t row, size_t column, const char *name,
			 size_t room);

/* Colours a cell, of any column but the last. */
void lode_table_style(struct lode_table *table, size_t row, size_t column, enum lode_style style);

/* The fields of a record that have a heading (`label`, document/fields.h) as columns, n at most:
   gives how many. */
size_t lode_table_headings(struct lode_table_column *columns, size_t n,
			   const struct lode_record *record);
/* Their cells, from `column` on; those of `_ns` are costs in `unit`. Gives how many. */
size_t lode_table_set_figures(struct lode_table *table, size_t row, size_t column,
			      const struct lode_record *record, const void *at, const char *unit);

/*
 * Drops columns until the last one has room for `least`, and gives that room. Further lines of the
 * last column start under the column `hang`, or the first behind it that is left; without this call
 * under their first. `*hang_room` (may be NULL) is the room of those, 20 at least.
 */
size_t lode_table_fit(struct lode_table *table, unsigned line_columns, size_t least, size_t hang,
		      size_t *hang_room);
/* The same with room for 20, further lines where they were. */
size_t lode_table_room(struct lode_table *table, unsigned line_columns);

/* With a line of titles, which are bold with colours. */
void lode_table_print(const struct lode_table *table, FILE *out, bool has_color);
/* Prints it for that page, and frees it. */
void lode_table_end(struct lode_table *table, FILE *out, const struct lode_text_page *page);
