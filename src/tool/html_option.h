/*
 * --html FILE, which all analyses have: their report as one page (docs/pages.md).
 */
#pragma once

#include "tool/command.h"
#include "document/html.h"

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
