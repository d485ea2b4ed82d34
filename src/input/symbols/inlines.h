/*
 * Functions that the compiler inlined at an address, from DWARF.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct lode_inlines;

/* Reads the DWARF of `path` (the program or its separate debug file); NULL if it has none. */
struct lode_inlines *lode_inlines_open(const char *path, bool keep_mangled);
void lode_inlines_free(struct lode_inlines *inlines);

/*
 * The functions inlined at the file's own address `address`, outermost first; n = 0: none. The
 * arrays live as long as `inlines`. Answers are kept. Not thread-safe.
 */
void lode_inlines_find(struct lode_inlines *inlines, uint64_t address, const char *const **names,
		       uint32_t *n);
