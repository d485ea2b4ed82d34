/*
 * A process that makes a report and keeps what it was made of, to answer for it: the server has the
 * report's bytes alone, and goes on whatever becomes of the process.
 *
 *   server --fork--> maker: make()          --how far, the report-->  server shows it
 *   server --a question--> maker --fork--> child: answer (apart.h) --> maker --> server
 *
 * It ends when the server does, or when its last site is gone.
 */
#pragma once

#include "serve/site.h"

struct lode_maker;
struct lode_maker_line; /* from the process to the server */

/* How far it is, for who asks meanwhile. */
struct lode_maker_state {
	size_t n_done, n;
	char stage[40]; /* "": the first */
};

/* What came of it. */
struct lode_maker_made {
	int code; /* exit code that it gives */
	size_t n; /* of what it was made of */
	int64_t took_ms, cpu_ms;
};

struct lode_maker_work {
	/* In the process. Adds the report `name` (its bytes do not matter) and its questions to the
	   site, and gives its bytes (the caller's) as `json`, NULL if there are none; sets code and
	   n.
	 */
	void (*make)(void *context, struct lode_maker_line *line, struct lode_site *site,
		     struct lode_maker_made *made, char **json, size_t *json_bytes);
	const char *name;
	/* In the server. */
	void (*heed)(void *context, const struct lode_maker_state *state);
	bool (*is_stopping)(void *context); /* also from threads of the server that ask */
	void *context;
	size_t memory_bytes; /* of each question, beyond what the process has; 0: no limit */
	int64_t most_ms;     /* to make it; 0: no limit */
	int niceness;
};

/* How far make() is. */
void lode_maker_tell(struct lode_maker_line *line, const struct lode_maker_state *state);

/*
 * Makes the report, which is waited for. Gives LODE_OK, with `*json` (the caller's; NULL: make()
 * had none, and `*out` is NULL) and its site's maker; or why the process did not come to an end.
 * `work` is copied, its context must outlive the maker. Of one thread of the server, which must
 * outlive the call: it ends with that while it makes.
 */
int lode_maker_start(struct lode_maker **out, const struct lode_maker_work *work,
		     struct lode_maker_made *made, char **json, size_t *json_bytes,
		     struct lode_error *err);
/* LODE_SITE_PENDING: it has ended, and another one is needed. */
int lode_maker_ask(struct lode_maker *maker, const char *what, const struct lode_site_query *query,
		   FILE *out, struct lode_error *err);
/* Any thread. */
bool lode_maker_has_ended(struct lode_maker *maker);
void lode_maker_free(struct lode_maker *maker); /* ends it; NULL does nothing */
