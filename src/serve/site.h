/*
 * What a server shows: the page, the reports that it draws, and what the engine can be asked.
 *
 *   GET  /                            the page (web/)
 *   GET  /api/reports                 [{name, schema, title, stale}]
 *   GET  /api/reports/NAME            the document that `lode COMMAND --json` prints
 *   GET  /api/reports/NAME/WHAT?...   a question: single calls of a range, members of a cluster
 *   POST /api/reports/NAME/WHAT       a change: signing a signature
 *
 * A site knows no HTTP and no analysis: who makes it brings documents as bytes and questions as
 * functions. Names are looked up in a list; nothing in a request ever becomes a path of a file.
 * A report may be pending, and say how far it is. Fill it, then give it to a server; from then on
 * only questions run, one at a time for each report. When what it shows has changed, another site
 * takes its place (server.h); it is freed when its last reference is gone.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "serve/guard.h"

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

/* Why there is no answer, where that has a status of its own in HTTP. */
enum lode_site_refusal {
	LODE_SITE_ABSENT = -100,    /* 404: what is asked about is not there */
	LODE_SITE_TAKEN = -101,	    /* 409: a name that is to be new is not */
	LODE_SITE_GONE = -102,	    /* 410: it was there once */
	LODE_SITE_NO_SUCH = -103,   /* 422: it is there, but has no such thing */
	LODE_SITE_PENDING = -104,   /* 503: it is not there yet; ask again in a second */
	LODE_SITE_SLOW = -105,	    /* 504: it took too long (serve/apart.h) */
	LODE_SITE_NO_MEMORY = -106, /* 507: it took too much memory (the same) */
};

/*
 * Writes a JSON document to `out` and gives LODE_OK; or a refusal, or a status: LODE_ERR_ARG: the
 * question is wrong (400), LODE_ERR_LIMIT: asks for too much (413), else the engine failed (500).
 * `err` then says why, and what was written is dropped. Runs in a process of its own
 * (serve/apart.h): what it changes of its context is lost.
 */
typedef int lode_site_answer(void *context, const struct lode_site_query *query, FILE *out,
			     struct lode_error *err);

struct lode_site *lode_site_new(void); /* held once, by the caller */
void lode_site_hold(struct lode_site *site);
/* Lets go; who does so last frees it. Any thread. NULL does nothing. */
void lode_site_free(struct lode_site *site);

/* Data used by questions alone: `release` is called when the site is freed. */
void lode_site_give(struct lode_site *site, void (*release)(void *context), void *context);

/* The page, html_bytes long; copied. */
void lode_site_set_page(struct lode_site *site, const char *html, size_t html_bytes);

/* Adds a report; everything is copied. `name` is unique, of [a-z0-9-]. */
void lode_site_add_report(struct lode_site *site, const char *name, const char *schema,
			  const char *title, const char *json, size_t json_bytes);
/* Adds a report that is still being made: `answer` says how far it is (LODE_SITE_PENDING and a
   sentence), whatever is asked of it. It runs on a thread of the server, and must read nothing that
   others made. */
void lode_site_add_pending(struct lode_site *site, const char *name, const char *schema,
			   const char *title, lode_site_answer *answer, void *context);
/* What is asked of a report that has no such question is answered so: its own are still being made,
   as above. */
void lode_site_set_others(struct lode_site *site, const char *report, lode_site_answer *answer,
			  void *context);
/* Another one is being made: pages look for it, and show it when it is there. */
void lode_site_set_stale(struct lode_site *site, const char *report);
/* Adds a question or a change to a report that is there; `context` must outlive the site. */
void lode_site_add_question(struct lode_site *site, const char *report, const char *what,
			    enum lode_request_kind kind, lode_site_answer *answer, void *context);
/*
 * The same for a question that has one answer for good, which depends on these parameters alone
 * (NULL-terminated, borrowed): it is made once, kept packed and plain as long as it is asked for
 * (LODE_SITE_KEPT_BYTES for all), and given out like a document.
 */
void lode_site_add_lasting(struct lode_site *site, const char *report, const char *what,
			   const char *const *parameters, lode_site_answer *answer, void *context);

/* As lode_site_answer, of the question `what`; on a thread of the server, in its process. */
typedef int lode_site_relay(void *context, const char *what, const struct lode_site_query *query,
			    FILE *out, struct lode_error *err);
/* All that is asked of the report is asked of `relay` from now on: the contexts that its questions
   were added with are not used. */
void lode_site_set_relay(struct lode_site *site, const char *report, lode_site_relay *relay,
			 void *context);

/* LIMIT: of all lasting answers; less than a quarter of --memory. What was not asked for longest is
 * made again. */
#define LODE_SITE_KEPT_BYTES ((size_t)512 << 20)

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
	enum lode_request_kind kind;   /* whose it may be */
	const char *const *parameters; /* of a lasting one; NULL: it is none */
	bool is_here;		       /* on a thread of the server, not in a process of its own */
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

/* Fills it from bytes that are copied into the arena. */
void lode_site_document_make(struct lode_site_document *document, const char *type,
			     const char *bytes, size_t n, struct lode_arena *arena);

/* Ends filling: makes the list of reports. */
void lode_site_finish(struct lode_site *site);
bool lode_site_has_changes(const struct lode_site *site);
size_t lode_site_n_documents(const struct lode_site *site);
size_t lode_site_n_reports(const struct lode_site *site);
const struct lode_site_document *lode_site_document(const struct lode_site *site, size_t number);
/* What a path (decoded, without query) names. */
struct lode_site_place lode_site_find(const struct lode_site *site, const char *path);
