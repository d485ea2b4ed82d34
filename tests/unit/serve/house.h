/*
 * A server on a free port of the loopback with a page, reports and questions, asked through plain
 * sockets. Include cmocka's headers first.
 */
#pragma once

#include "unit/serve/start_server.h"

extern const char house_token[], house_page[];

struct house {
	struct lode_site *site;
	struct lode_server *server;
};

/* What questions saw: shared with the processes that they run in. */
struct house_seen {
	int in_question, most_in_question, n_changes, n_made, n_waiting;
	int is_gate_open;
	char last_body[64];
};
extern struct house_seen *house_seen;

/* Before the first house is opened; false: no memory. */
bool house_share_seen(void);

/* Questions. */
int house_echo(void *context, const struct lode_site_query *query, FILE *out,
	       struct lode_error *err);
int house_last(void *context, const struct lode_site_query *query, FILE *out,
	       struct lode_error *err);
int house_wait_at_gate(void *context, const struct lode_site_query *query, FILE *out,
		       struct lode_error *err);

void house_open(struct house *house, struct lode_server_options options);
void house_close(struct house *house);

/* ---- Plain sockets ---- */

int house_dial(const struct house *house);
void house_tell(int fd, const char *text, size_t n);
/* All that comes until the server closes; the caller's. */
char *house_hear(int fd, size_t *n);
/* One request with its own connection. `headers` are whole lines; %PORT% stands for the port. */
char *house_request(const struct house *house, const char *method, const char *path,
		    const char *headers, const char *body);
void house_expect(const struct house *house, const char *method, const char *path,
		  const char *headers, int status, const char *part);

#define HOST	 "Host: 127.0.0.1:%PORT%\r\n"
#define COOKIE	 "Cookie: lode-%PORT%=0123456789abcdef\r\n"
#define CHANGING HOST COOKIE "X-Lode-Change: 1\r\nContent-Type: application/json\r\n"
