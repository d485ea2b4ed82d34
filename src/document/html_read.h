/*
 * Reports out of pages: what lode_html_write put into an HTML file, back as JSON. So pages that
 * were mailed can be served again, and several become one (`lode serve`, `lode analyze`).
 *
 * A page may come from anywhere: only the reports' own elements are looked at, nothing in them is
 * trusted, and what is no sound report is an error with its offset.
 */
#pragma once

#include "document/html.h"

/* LIMIT: of a page, and of all reports in it unpacked. */
#define LODE_HTML_FILE_MAX ((size_t)256 << 20)
#define LODE_HTML_JSON_MAX ((size_t)2 << 30)

struct lode_html_reports {
	LODE_VEC(struct lode_html_part) parts; /* in the order of the page; texts are the arena's */
	struct lode_arena arena;
};

/*
 * Appends the reports of a page; LODE_ERR_FORMAT if there are none. `reports` is the caller's to
 * release, also on failure.
 */
int lode_html_read(struct lode_html_reports *reports, const char *path, struct lode_error *err);
/* The same of bytes; `path` is for messages. */
int lode_html_read_bytes(struct lode_html_reports *reports, const char *bytes, size_t n,
			 const char *path, struct lode_error *err);
/* Appends copies of parts, their documents on one line. */
void lode_html_reports_take(struct lode_html_reports *reports, const struct lode_html_part *parts,
			    size_t n_parts);
void lode_html_reports_release(struct lode_html_reports *reports);
