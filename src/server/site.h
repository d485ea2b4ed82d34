/*
 * What a server shows: the page, the reports that it draws, and what the engine can be asked.
 *
 *   GET  /                            the page (web/)
 *   GET  /api/reports                 [{name, schema, title}]
 *   GET  /api/reports/NAME            the document that `lode COMMAND --json` prints
 *   GET  /api/reports/NAME/WHAT?...   a question: single calls of a range, members of a cluster
 *   POST /api/reports/NAME/WHAT       a change: signing a signature
 *
 * A site knows no HTTP and no analysis: who makes it brings documents as bytes and questions as
 * functions. Names are looked up in a list; nothing in a request ever becomes a path of a file.
 * Fill it, then give it to a server; from then on only questions run, one at a time for each
 * report, so that what they look into needs no lock of its own.
 */
#ifndef LODE_SITE_H
#define LODE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct lode_site;

/* Parameters of a question, decoded: "t0", "1000". Untrusted. */
struct lode_site_pair {
	const char *key, *value;
};
struct lode_site_query {
	const struct lode_site_pair *at;
	size_t n;
	const char *body; /* of a change; NUL-terminated, body_bytes long; else NULL */
	size_t body_bytes;
};
/* NULL: not given. */
const char *lode_site_param(const struct lode_site_query *query, const char *key);
/* False: given, and not a whole number in the range. `*out` keeps its value if it is not given. */
bool lode_site_param_number(const struct lode_site_query *query, const char *key, int64_t least,
			    int64_t most, int64_t *out);

/*
 * Writes a JSON document to `out`. LODE_ERR_ARG: the question is wrong (400), LODE_ERR_LIMIT: asks
 * for too much (413), else the engine failed (500); what was written is then dropped.
 */
typedef int lode_site_answer(void *context, const struct lode_site_query *query, FILE *out,
			     struct lode_error *err);

struct lode_site *lode_site_new(void);
void lode_site_free(struct lode_site *site);

/* The page, html_bytes long; copied. */
void lode_site_set_page(struct lode_site *site, const char *html, size_t html_bytes);

/* Adds a report; everything is copied. `name` is unique, of [a-z0-9-]. */
void lode_site_add_report(struct lode_site *site, const char *name, const char *schema,
			  const char *title, const char *json, size_t json_bytes);
/* Adds a question or a change to a report that is there; `context` must outlive the site. */
void lode_site_add_question(struct lode_site *site, const char *report, const char *what,
			    bool is_change, lode_site_answer *answer, void *context);

/* ---- For the server ---- */

/* Bytes that never change, plain and gzipped (NULL where that is no gain). */
struct lode_site_document {
	const char *type; /* of content */
	const char *plain, *gzip;
	size_t plain_bytes, gzip_bytes;
	char tag[20]; /* "\"0123456789abcdef\"": equal for equal bytes */
};

struct lode_site_question {
	const char *what;
	bool is_change;
	lode_site_answer *answer;
	void *context;
};

enum lode_site_kind { LODE_SITE_NOTHING, LODE_SITE_DOCUMENT, LODE_SITE_QUESTION };

struct lode_site_place {
	enum lode_site_kind kind;
	size_t document; /* number of the document; the page is 0, the list 1 */
	const struct lode_site_question *question;
	size_t report; /* whose question: they run one at a time */
};

/* Ends filling: makes the list of reports. */
void lode_site_finish(struct lode_site *site);
size_t lode_site_n_documents(const struct lode_site *site);
size_t lode_site_n_reports(const struct lode_site *site);
const struct lode_site_document *lode_site_document(const struct lode_site *site, size_t number);
/* What a path (decoded, without query) names. */
struct lode_site_place lode_site_find(const struct lode_site *site, const char *path);

#endif
