/*
 * Options that say how much is printed and as what, which most commands have. What stands behind
 * the help goes into the entry as it is: LODE_JSON_OPTION(at, "docs/json.md", .group = "Output").
 */
#ifndef LODE_OUTPUT_OPTIONS_H
#define LODE_OUTPUT_OPTIONS_H

#include "cli/option_values.h"

/* Of a `size_t`. */
#define LODE_TOP_OPTION(at, what, ...)                                                       \
	{                                                                                    \
		.name = "top", .letter = 'n', .argument = "N", .help = "longest list " what, \
		.set = lode_set_count, .offset = (at), __VA_ARGS__                           \
	}

/* Of a `bool`; `doc` is where the document is described. */
#define LODE_JSON_OPTION(at, doc, ...)                                                       \
	{                                                                                    \
		.name = "json", .help = "one JSON document (" doc ")", .set = lode_set_flag, \
		.offset = (at), __VA_ARGS__                                                  \
	}

#endif
