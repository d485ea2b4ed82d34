/*
 * Functions that the compiler inlined at an address, and lines of source, from DWARF.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct lode_inlines;

/* Reads the DWARF of `path` (the program or its separate debug file); NULL: see lode_dwarf_open. */
struct lode_inlines *lode_inlines_open(const char *path, bool keep_mangled, struct lode_error *err);
void lode_inlines_free(struct lode_inlines *inlines);

/*
 * The functions inlined at the file's own address `address`, outermost first; n = 0: none. The
 * arrays live as long as `inlines`. Answers are kept. Not thread-safe.
 */
void lode_inlines_find(struct lode_inlines *inlines, uint64_t address, const char *const **names,
		       uint32_t *n);

/* A line of a source file; `file` as the compiler wrote it, absolute where it said from where. */
struct lode_source_line {
	const char *file; /* NULL: not known; lives as long as `inlines` */
	uint32_t line;	  /* from 1 */
};

/*
 * The line at `address` of the function itself (level 0) or of the level-th that was inlined there:
 * what runs, or where it was inlined into that function.
 */
struct lode_source_line lode_inlines_line(struct lode_inlines *inlines, uint64_t address,
					  uint32_t level);

/* First and last line of that function, in the file in which it begins; false: not known. */
bool lode_inlines_span(struct lode_inlines *inlines, uint64_t address, uint32_t level,
		       struct lode_source_line *first, uint32_t *last);
