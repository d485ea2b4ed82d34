/*
 * Options that say how much is printed and as what, which most commands have. What stands behind
 * the help goes into the entry as it is: LODE_JSON_OPTION(at, "docs/json.md", .group = "Output").
 */
#pragma once

#include "tool/option_values.h"

/* Of a `size_t`. */
#define LODE_TOP_OPTION(at, what, ...)                                                \
	LODE_OPTION("top", "N", lode_set_count, (at), "maximum number of rows " what, \
		    .letter = 'n', .is_aside = true, __VA_ARGS__)

/* Of a `bool`; `doc` is where the document is described. */
#define LODE_JSON_OPTION(at, doc, ...) \
	LODE_FLAG("json", (at), "print one JSON document (" doc ")", .is_aside = true, __VA_ARGS__)

/* In the table of every command that writes a file. */
#define LODE_FORCE_OPTION                                                                         \
	{                                                                                         \
		.name = "force",                                                                  \
		.help = "overwrite any existing file, not just earlier output of the same kind; " \
			"inputs are never overwritten",                                           \
		.set = lode_set_noted, .is_force = true                                           \
	}

/* Longest lists of a page, and of a JSON document; and inside of one cluster of a page. */
enum { LODE_PAGE_TOP = 5000, LODE_JSON_TOP = 50, LODE_PAGE_TOP_INSIDE = 50 };

/* What --top comes to; SIZE_MAX: it was not given. */
static inline size_t lode_longest_list(size_t given, bool is_page, bool is_json, size_t in_table)
{
	if (given != SIZE_MAX)
		return given;
	return is_page ? LODE_PAGE_TOP : is_json ? LODE_JSON_TOP : in_table;
}
