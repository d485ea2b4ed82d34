/* Checks whose request it is: host, origin, token. */
#include "serve/guard.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/ascii.h"

enum { MOST_HOST_CHARS = 255 };

/* Splits "name:port", "[v6]:port"; no port means 80. False: neither. */
static bool split_host(const char *host, char *name, size_t size, unsigned *port)
{
	const char *colon = NULL;
	size_t len;

	*port = 80;
	if (strlen(host) > MOST_HOST_CHARS)
		return false;
	if (*host == '[') {
		const char *end = strchr(host, ']');

		if (!end || (end[1] && end[1] != ':'))
			return false;
		colon = end[1] ? end + 1 : NULL;
		host++;
		len = (size_t)(end - host);
	} else {
		colon = strchr(host, ':');
		len = colon ? (size_t)(colon - host) : strlen(host);
	}
	if (colon) {
		size_t digits = strspn(colon + 1, "0123456789");

		if (digits == 0 || digits > 5 || colon[1 + digits])
			return false;
		*port = (unsigned)strtoul(colon + 1, NULL, 10);
	}
	if (len == 0 || len >= size)
		return false;
	memcpy(name, host, len);
	name[len] = 0;
	return true;
}

static bool is_address(const char *name)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

/*
 * A name that an attacker owns can be made to lead here; an address cannot, nor can localhost,
 * which browsers resolve themselves. So these are ours, and names only when they were told.
 */
static bool is_our_host(const struct lode_guard *guard, const char *host)
{
	char name[MOST_HOST_CHARS + 1];
	unsigned port;

	if (!split_host(host, name, sizeof(name), &port) || port != guard->port)
		return false;
	if (is_address(name) || strcasecmp(name, "localhost") == 0)
		return true;
	for (size_t i = 0; i < guard->n_names; i++)
		if (strcasecmp(name, guard->names[i]) == 0)
			return true;
	return false;
}

static bool is_our_origin(const struct lode_request_marks *marks)
{
	static const char scheme[] = "http://";

	if (marks->fetch_site && strcmp(marks->fetch_site, "same-origin") != 0 &&
	    strcmp(marks->fetch_site, "none") != 0)
		return false;
	if (!marks->origin)
		return true;
	return strncmp(marks->origin, scheme, strlen(scheme)) == 0 &&
	       strcasecmp(marks->origin + strlen(scheme), marks->host) == 0;
}

bool lode_token_is(const struct lode_guard *guard, const char *given)
{
	size_t n = strlen(guard->token), given_n = given ? strlen(given) : 0;
	unsigned char differs = n != given_n;

	for (size_t i = 0; i < n; i++)
		differs |= (unsigned char)(guard->token[i] ^ (i < given_n ? given[i] : 0));
	return n > 0 && !differs;
}

static bool has_token(const struct lode_guard *guard, const struct lode_request_marks *marks)
{
	const char *bearer = marks->authorization;

	if (bearer && strncasecmp(bearer, "Bearer ", 7) == 0 && lode_token_is(guard, bearer + 7))
		return true;
	return lode_token_is(guard, marks->cookie);
}

static bool is_json(const char *type)
{
	static const char json[] = "application/json";
	size_t n = strlen(json);

	return type && strncasecmp(type, json, n) == 0 &&
	       (!type[n] || type[n] == ';' || type[n] == ' ');
}

void lode_lone_headers_add(struct lode_lone_headers *lone, const char *name, const char *value)
{
	/* The last two both say where the body ends: one bit. */
	static const char *const names[] = {
		"Host",		"Origin",	  "Sec-Fetch-Site",    "Authorization",
		"Content-Type", "Content-Length", "Transfer-Encoding",
	};
	const size_t n = sizeof(names) / sizeof(*names);

	lone->is_ambiguous |= strpbrk(name, " \t") || (strcasecmp(name, names[n - 1]) == 0 &&
						       strcasecmp(value, "chunked") != 0);
	for (size_t i = 0; i < n; i++) {
		unsigned bit = 1U << (i < n - 1 ? i : n - 2);

		if (strcasecmp(name, names[i]) != 0)
			continue;
		lone->is_ambiguous |= (lone->seen & bit) != 0;
		lone->seen |= bit;
	}
}

enum lode_verdict lode_guard_judge(const struct lode_guard *guard,
				   const struct lode_request_marks *marks,
				   enum lode_request_kind kind)
{
	bool is_change = kind == LODE_REQUEST_CHANGE;

	if (marks->is_ambiguous)
		return LODE_VERDICT_AMBIGUOUS;
	if (!marks->host || !is_our_host(guard, marks->host))
		return LODE_VERDICT_HOST;
	if (kind == LODE_REQUEST_PAGE)
		return LODE_VERDICT_ALLOWED;
	if (!is_our_origin(marks))
		return LODE_VERDICT_ORIGIN;
	if ((is_change || kind == LODE_REQUEST_PRIVATE || guard->reads_need_token) &&
	    !has_token(guard, marks))
		return LODE_VERDICT_TOKEN;
	if (is_change && (!marks->has_change_header || !is_json(marks->content_type)))
		return LODE_VERDICT_FORM;
	return LODE_VERDICT_ALLOWED;
}

bool lode_takes_gzip(const char *encodings)
{
	const char *at = encodings ? encodings : "";

	while (*at) {
		size_t n = strcspn(at, ",");
		size_t name = strcspn(at, ",; \t");
		const char *q = memchr(at, '=', n);

		if (name == 4 && strncasecmp(at, "gzip", 4) == 0)
			return !q || strspn(q + 1, "0. \t") + (size_t)(q + 1 - at) < n;
		at += n;
		at += strspn(at, ", \t");
	}
	return false;
}

const char *lode_verdict_text(enum lode_verdict verdict)
{
	switch (verdict) {
	case LODE_VERDICT_ALLOWED:
		return "allowed";
	case LODE_VERDICT_AMBIGUOUS:
		return "ambiguous or duplicate security-relevant header";
	case LODE_VERDICT_HOST:
		return "unknown host name: use the address that lode serve printed, or start it "
		       "with --host-name";
	case LODE_VERDICT_ORIGIN:
		return "cross-origin requests are not allowed";
	case LODE_VERDICT_TOKEN:
		return "token required: open the address with ?token= that lode serve printed";
	case LODE_VERDICT_FORM:
		return "changes require the header " LODE_CHANGE_HEADER
		       " and a body of application/json";
	}
	return "";
}

void lode_token_make(struct lode_guard *guard)
{
	unsigned char bytes[LODE_TOKEN_CHARS / 2];
	size_t n = 0;

	while (n < sizeof(bytes)) {
		ssize_t got = getrandom(bytes + n, sizeof(bytes) - n, 0);

		n += got > 0 ? (size_t)got : 0;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(guard->token + 2 * i, 3, "%02x", bytes[i]);
}

bool lode_token_take(struct lode_guard *guard, const char *text)
{
	size_t n = strlen(text);

	if (n < 16 || n > LODE_TOKEN_CHARS)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!lode_is_word(text[i]) && text[i] != '-')
			return false;
	memcpy(guard->token, text, n + 1);
	return true;
}
