/*
 * The HTTP home of the pages: a site (site.h) on a socket, by default on the loopback only.
 *
 *   browser --> guard (guard.h) --> site --> document, made once, shared by all answers
 *                                       +--> question, one at a time for each report
 *
 * Every answer forbids framing, sniffing and reading by other origins. Headers, bodies, connections
 * and the time that a client may take are bounded. HTTP only: beyond the machine, put a proxy with
 * TLS before it, or reach it through ssh -L.
 */
#pragma once

#include "serve/site.h"

struct lode_server;

struct lode_server_options {
	const char *address;	  /* numeric; NULL: 127.0.0.1 */
	uint16_t port;		  /* 0: any that is free */
	bool is_open;		  /* an address beyond the loopback is meant, not a mistake */
	const char *token;	  /* 16 to 32 of [A-Za-z0-9_-]; NULL: made of random bits */
	const char *const *names; /* that the machine has for others: borrowed */
	size_t n_names;
	unsigned n_threads;	/* 0: 2 */
	unsigned n_connections; /* at most, at a time; 0: 512 */
	/* What a client may take for a header (and between two requests), for the body of a
	   change, and for reading an answer; 0: 20 s, 20 s, 5 min. */
	int64_t header_ms, body_ms, answer_ms;
	int64_t question_ms; /* less than answer_ms */
};

/*
 * Takes the port: clients that come from here on wait until it answers. Fails with LODE_ERR_ARG on
 * an address that is none, on one beyond the loopback without is_open and on a weak token, and with
 * LODE_ERR_IO if the port is taken. `options` is kept but for its token: borrowed.
 */
int lode_server_listen(struct lode_server **out, const struct lode_server_options *options,
		       struct lode_error *err);
/* Starts to answer, once; `site` must be filled (lode_site_finish is done here), and is held. */
int lode_server_answer(struct lode_server *server, struct lode_site *site, struct lode_error *err);
/*
 * Shows another site from now on, which has the same reports in the same order; it is held.
 * Requests that are under way end with the site that they began with. Any thread.
 */
void lode_server_show(struct lode_server *server, struct lode_site *site);
/* Ends questions; changes that are under way come to their end. NULL does nothing. */
void lode_server_stop(struct lode_server *server);

uint16_t lode_server_port(const struct lode_server *server);
const char *lode_server_token(const struct lode_server *server);
/* "http://127.0.0.1:7070/", for people; `with_token`: it lets them in, and may change things. */
const char *lode_server_url(const struct lode_server *server, bool with_token, char *buffer,
			    size_t size);

/* LIMIT: of a change's body. */
enum { LODE_SERVER_BODY_BYTES = 1 << 20 };
