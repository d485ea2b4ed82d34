/*
 * Options that say how much is printed and as what, which most commands have: --top, --json,
 * --force, and --html FILE, an analysis' report as one page (docs/pages.md). What stands behind the
 * help goes into the entry as it is: LODE_JSON_OPTION(at, "docs/json.md", .group = "Output").
 */
#pragma once

#include "document/html.h"
#include "tool/command.h"
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

/* ---- Pages ---- */

/* In a table of options; the offset is that of a `const char *`. */
#define LODE_HTML_OPTION(place)                                                           \
	LODE_OPTION("html", "FILE", lode_set_text, (place),                               \
		    "write a self-contained HTML report instead of text (docs/pages.md)", \
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_PAGE)

/* The same of a `bool`: JSON with what the page is drawn of. */
#define LODE_DETAIL_OPTION(place)                                                         \
	LODE_FLAG("detail", (place), "with --json: include all data that the page draws", \
		  .is_aside = true)

/* Says what is wrong: a page is instead of everything else, detail is of JSON. Gives an exit code.
 */
int lode_html_options_check(const struct lode_command *self, const char *html, bool wants_json,
			    bool wants_detail);

/*
 * Asked before the work is done: 0 when pages can be written, else LODE_EXIT_FAILURE, and what is
 * missing was said.
 */
int lode_html_check(const struct lode_command *self);

/*
 * Writes a page of one report. The operands become the title. Gives LODE_EXIT_OK, or what the
 * error that was said stands for.
 */
int lode_html_put(const struct lode_command *self, const char *path,
		  const struct lode_document *document, const void *answer, char *const *inputs,
		  size_t n_inputs);
