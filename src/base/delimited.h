/*
 * Lines of cells: CSV, TSV and their like (RFC 4180, save that a line feed ends a row even within
 * quotes). One pass, in place, no allocation.
 *
 *   a,"b ""c"", d", e ,          a | b "c", d |  e  | (empty)
 *
 * A cell is quoted if its first byte is a quote. Cells may be of any length and hold any byte, NUL
 * too; a line of no bytes has one empty cell.
 */
#pragma once

#include "base/slice.h"

/* A line under way: its cells are taken from the left. */
struct lode_cells {
	char *at; /* NULL: none is left */
	char *end;
	char delimiter;
	bool is_bare; /* to be set: quotes are bytes as any other */
	bool is_odd;  /* a quote was not closed, or something stood behind one that was: both are
			 read over, what stood there is lost */
};

static inline struct lode_cells lode_cells(char *line, size_t len, char delimiter)
{
	return (struct lode_cells){.at = line, .end = line + len, .delimiter = delimiter};
}

/* What stands at `cells->at`, a quote, up to where its cell ends. */
struct lode_slice lode_cells_unquote(struct lode_cells *cells);

/* The next cell, which stays where the line is; false: there was none left. */
static inline bool lode_cells_next(struct lode_cells *cells, struct lode_slice *cell)
{
	char *stop;

	if (!cells->at)
		return false;
	if (cells->at < cells->end && *cells->at == '"' && !cells->is_bare) {
		*cell = lode_cells_unquote(cells);
		return true;
	}
	stop = memchr(cells->at, cells->delimiter, (size_t)(cells->end - cells->at));
	*cell = (struct lode_slice){cells->at, (size_t)((stop ? stop : cells->end) - cells->at)};
	cells->at = stop ? stop + 1 : NULL;
	return true;
}

/* A column's name, without what headers have around it: blanks, a '#', quotes behind a blank. */
struct lode_slice lode_cells_name(struct lode_slice cell);

/* The one of `delimiters` that a header holds most of, the first of equals; '\0': none of them. */
char lode_cells_delimiter(const char *header, size_t len, const char *delimiters);

/* Of a first line "sep=;", which says to spreadsheets what separates the cells of the table below;
   '\0': it is another line. */
char lode_cells_stated_delimiter(const char *line, size_t len);
