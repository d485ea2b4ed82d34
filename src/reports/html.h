/*
 * Reports as one HTML file: the pages of web/, with the reports' JSON in them. Needs no network and
 * no server; it opens from the disk.
 *
 * The pages are in the program (web/, built by tools/build-pages). A program that was built without
 * them says so here. What is in a report is untrusted: it is packed (zlib, base64), so that nothing
 * in it can be taken for markup.
 */
#ifndef LODE_HTML_H
#define LODE_HTML_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* One report: what `lode COMMAND --json` prints. */
struct lode_html_part {
	const char *name;   /* its place in the URL, unique: "mine" */
	const char *schema; /* "lode/mine/1": which page draws it */
	const char *title;  /* untrusted; what a person calls it, such as its inputs */
	const char *json;   /* json_bytes long */
	size_t json_bytes;
};

/* NULL when the pages are there, else why they are not. */
const char *lode_html_missing(void);

/* Writes the file, whole or not at all. LODE_ERR_UNSUPPORTED without pages. */
int lode_html_write(const char *path, const struct lode_html_part *parts, size_t n_parts,
		    struct lode_error *err);

/*
 * The same for one report: `put` writes its JSON to a stream. `inputs` are the command's operands,
 * for the title.
 */
int lode_html_write_report(const char *path, const char *name, const char *schema,
			   char *const *inputs, size_t n_inputs,
			   void (*put)(FILE *out, const void *report), const void *report,
			   struct lode_error *err);

/*
 * The page without reports, which asks the server that it came from for them; *size bytes, the
 * caller's. NULL without pages.
 */
char *lode_html_served_page(size_t *size);

/* "slow/", "slow/ and 2 more": a title of the inputs, in `buffer`. */
const char *lode_html_title(char *buffer, size_t size, char *const *inputs, size_t n_inputs);

#endif
