/*
 * Options that say how much is printed and as what, which most commands have: --top, --json,
 * --force, --html FILE, an analysis' report as one page (docs/pages.md), and exports. What stands
 * behind the help goes into the entry as it is: LODE_JSON_OPTION(at, "docs/json.md", .group =
 * "Output").
 */
#pragma once

#include "document/html.h"
#include "tool/command.h"
#include "tool/option_values.h"
#include "document/export/export_file.h"
#include "document/export/export_stacks.h"

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

/* In the table of commands whose outputs hold data of recordings. */
#define LODE_GROUP_OPTION(at, what, ...)                                          \
	LODE_OPTION("group", "NAME", lode_set_readers, (at),                      \
		    "let this group read " what " (default: only its owner may)", \
		    .is_aside = true, __VA_ARGS__)

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

/* ---- Files for other tools ---- */

/* --speedscope, --pprof and --chrome-trace, in place of text (docs/exports.md). Each may be given
   beside the others; a command takes those that it has something for. */
struct lode_export_values {
	const char *speedscope, *pprof, *chrome_trace;
};

#define LODE_EXPORTED(of_kind) .file = LODE_FILE_WRITTEN, .kind = (of_kind), .may_be_stdout = true

/* In a table of options; `at` is the offset of a struct lode_export_values. */
#define LODE_PPROF_EXPORT_OPTION(at, what)                                   \
	LODE_OPTION("pprof", "FILE", lode_set_text,                          \
		    (at) + offsetof(struct lode_export_values, pprof), what, \
		    LODE_EXPORTED(LODE_KIND_PPROF))
#define LODE_STACK_EXPORT_OPTIONS(at)                                                          \
	LODE_OPTION("speedscope", "FILE", lode_set_text,                                       \
		    (at) + offsetof(struct lode_export_values, speedscope),                    \
		    "write stacks for speedscope.app instead of text; '-' is standard output " \
		    "(docs/exports.md)",                                                       \
		    LODE_EXPORTED(LODE_KIND_SPEEDSCOPE)),                                      \
		LODE_PPROF_EXPORT_OPTION(                                                      \
			at, "write stacks for pprof ('go tool pprof FILE') instead of text")
#define LODE_TRACE_EXPORT_OPTION(at, what)                                          \
	LODE_OPTION("chrome-trace", "FILE", lode_set_text,                          \
		    (at) + offsetof(struct lode_export_values, chrome_trace), what, \
		    LODE_EXPORTED(LODE_KIND_CHROME_TRACE))

static inline bool lode_export_is_asked(const struct lode_export_values *values)
{
	return values->speedscope || values->pprof || values->chrome_trace;
}

/*
 * 0, or LODE_EXIT_USAGE when that was said: bytes for a terminal, or that
 * `others` (further forms of output, such as "--json") were given as well: `has_others`.
 */
int lode_export_check(const struct lode_command *self, const struct lode_export_values *values,
		      bool has_others, const char *others);

/* Writes the stacks in the forms that were asked for. Gives an exit code. */
int lode_export_put_stacks(const struct lode_command *self, const struct lode_export_values *values,
			   const struct lode_export_stacks *stacks);
/* Writes one file, by `put`. */
int lode_export_put_file(const struct lode_command *self, const char *path, lode_export_put *put,
			 const void *what);
