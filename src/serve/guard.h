/*
 * Whose request is this? What a server on a desk must ask before it answers a browser.
 *
 *   another site's page   --> names that site as Host (its DNS was bent to us), or as Origin
 *   another user, host    --> has no token
 *   a link, an <img>      --> cannot set the header that every change must have
 *
 * Reading from the loopback needs no token, unless it is private; changing always does, and beyond
 * the loopback everything. Pure functions over header texts: the server (server.h) brings the
 * texts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LODE_TOKEN_CHARS 32 /* 128 bits in hex */

/* A header that forms and links cannot set: with it a browser asks before it sends (and is told
   no). Its value does not matter. */
#define LODE_CHANGE_HEADER "X-Lode-Change"

struct lode_guard {
	uint16_t port;
	bool reads_need_token; /* bound beyond the loopback */
	char token[LODE_TOKEN_CHARS + 1];
	const char *const *names; /* further names that Host may have; without port */
	size_t n_names;
};

enum lode_request_kind {
	LODE_REQUEST_PAGE, /* the page itself, in which there are no data */
	LODE_REQUEST_READ,
	LODE_REQUEST_PRIVATE, /* reads what not every user of the machine may */
	LODE_REQUEST_CHANGE,
};

/*
 * Headers that decide who asks and where a request ends. With two of one, lode and a proxy before
 * it could each believe another one, and disagree on what was asked.
 */
struct lode_lone_headers {
	unsigned seen; /* a bit per header */
	bool is_ambiguous;
};
/* Takes one header more. What a proxy may understand in another way is ambiguous, too: a name with
   blanks ("Transfer-Encoding : chunked"), another Transfer-Encoding than "chunked". */
void lode_lone_headers_add(struct lode_lone_headers *lone, const char *name, const char *value);

/* Header values as they came; NULL: not there. */
struct lode_request_marks {
	bool is_ambiguous;			/* lode_lone_headers */
	const char *host, *origin, *fetch_site; /* Sec-Fetch-Site */
	const char *authorization;		/* "Bearer TOKEN" */
	const char *cookie;			/* the value of the token's cookie */
	const char *content_type;
	bool has_change_header;
};

enum lode_verdict {
	LODE_VERDICT_ALLOWED,
	LODE_VERDICT_AMBIGUOUS, /* says one thing twice */
	LODE_VERDICT_HOST,	/* asks for a name that is not ours */
	LODE_VERDICT_ORIGIN,	/* sent by another site's page */
	LODE_VERDICT_TOKEN,	/* needs the token, has none or a wrong one */
	LODE_VERDICT_FORM,	/* a change that a form could have sent */
};

/*
 * The first thing that is wrong, in the order of the list. The page may be asked for from anywhere,
 * under our names: links to it are how people come. A token in an address counts for nothing here:
 * addresses stand in logs and histories. The page alone takes it from there, into a cookie.
 */
enum lode_verdict lode_guard_judge(const struct lode_guard *guard,
				   const struct lode_request_marks *marks,
				   enum lode_request_kind kind);

/* Whether Accept-Encoding (NULL: none) names gzip, and not with q=0: "br, gzip;q=0.8". */
bool lode_takes_gzip(const char *encodings);

/* One sentence for who asked. */
const char *lode_verdict_text(enum lode_verdict verdict);

/* Equal, in time that tells nothing of where they differ. `given` may be NULL. */
bool lode_token_is(const struct lode_guard *guard, const char *given);

/* Fills guard->token from the kernel's random numbers. */
void lode_token_make(struct lode_guard *guard);
/* Takes a given one: LODE_TOKEN_CHARS or fewer, at least 16, of [A-Za-z0-9_-]. */
bool lode_token_take(struct lode_guard *guard, const char *text);
