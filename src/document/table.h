/*
 * Tables for terminals: columns as wide as their widest cell, the last one takes what is left.
 *
 *   #  share     own   why   common part
 *   1  30.7 %  28.6 s  disk  path_canonicalize › path_query_component
 *   2  15.5 %  14.4 s  lock  session_restore › session_state_get
 *      → ph-store  store_checkpoint › journal_append
 *
 * Widths are columns of a terminal, so wide characters stay aligned. Cells are shown as they are:
 * escape untrusted text first (base/escape.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct lode_table;

struct lode_table_column {
	const char *title;
	bool is_right; /* aligned to the right: numbers */
};

/* `columns` (n of them) is borrowed. Lines are indented by `indent` blanks. */
struct lode_table *lode_table_new(const struct lode_table_column *columns, size_t n,
				  unsigned indent);
void lode_table_free(struct lode_table *table);

/* Starts a row and gives its number, from 0. Cells that are not set are empty. */
size_t lode_table_row(struct lode_table *table);
/* Only the last column may hold several lines, parted by line feeds. */
void lode_table_set(struct lode_table *table, size_t row, size_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Further lines of the last column start under the column `hang`; without this, under their first.
 */
void lode_table_hang(struct lode_table *table, size_t hang);
/* Room for those lines. */
size_t lode_table_hang_room(const struct lode_table *table, unsigned line_columns);

/* Room for (the first line of) the last column so that a line takes `line_columns` at most; 20 at
 * least. */
size_t lode_table_room(const struct lode_table *table, unsigned line_columns);

/* With a line of titles. `is_bold` marks it by escape sequences of terminals. */
void lode_table_print(const struct lode_table *table, FILE *out, bool is_bold);
