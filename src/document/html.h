/*
 * Reports as one HTML file: the pages of web/, with the reports' JSON in them. Needs no network and
 * no server; it opens from the disk.
 *
 * The pages are in the program (web/, built by tools/build-pages). A program that was built without
 * them says so here. What is in a report is untrusted: it is packed (zlib, base64), so that nothing
 * in it can be taken for markup.
 */
#pragma once

#include "base/error.h"
#include "document/fields.h"
#include "document/findings.h"

/* One report: what `lode COMMAND --json` prints. */
struct lode_html_part {
	const char *name;   /* its place in the URL, unique: "mine" */
	const char *schema; /* "lode/mine/1": which page draws it */
	const char *title;  /* untrusted; what a person calls it, such as its inputs */
	const char *json;   /* json_bytes long */
	size_t json_bytes;
	const char *findings; /* as lode_findings_put writes them; NULL: not known */
};

/* An answer as a part, "mine" of "lode/mine/1", with its findings. `inputs` are the command's
   operands, for the title. Texts are on the heap: to release. */
void lode_html_part_make(struct lode_html_part *out, const struct lode_document *document,
			 const void *answer, char *const *inputs, size_t n_inputs);
/* Gives a part its findings. */
void lode_html_part_tell(struct lode_html_part *part, const struct lode_findings *findings);
void lode_html_part_release(struct lode_html_part *part);

/* NULL when the pages are there, else why they are not. */
const char *lode_html_missing(void);

/* Writes the file, whole or not at all. LODE_ERR_UNSUPPORTED without pages. */
int lode_html_write(const char *path, const struct lode_html_part *parts, size_t n_parts,
		    struct lode_error *err);

struct lode_html_text;
/* Adds the document on one line: without line ends and what indents the next one. */
void lode_html_add_compact(struct lode_html_text *text, const char *json, size_t n);

/*
 * The page without reports, which asks the server that it came from for them; *size bytes, the
 * caller's. NULL without pages.
 */
char *lode_html_served_page(size_t *size);
