/*
 * Collects events of many threads, which a format has mixed, into batches of one thread each, and
 * hands them to a sink. For formats that are read line by line; those that hold a thread's events
 * together call the sink themselves.
 */
#pragma once

#include "model/calls.h"
#include "base/map.h"

/*
 * Functions that a format names in each event: text -> the sink's id, asked once per name.
 */

struct lode_call_names {
	struct lode_strings strings;
	/* String id + 1 of a name lately seen, by what its ends look like; 0: none. Traces name the
	   same few functions again and again. */
	uint32_t recent[256];
	LODE_VEC(uint32_t) ids; /* [string id]: the sink's, LODE_NONE if not asked yet */
};

/* `module` may be NULL; it counts at the first sight of a name only. */
uint32_t lode_call_names_id(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, const char *name, size_t len);
/* In two steps, where a text may turn out not to be a function: its string id, then the sink's. */
uint32_t lode_call_names_string(struct lode_call_names *names, const char *name, size_t len);
uint32_t lode_call_names_of(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, uint32_t string);
void lode_call_names_release(struct lode_call_names *names);

enum { LODE_CALL_BATCH_EVENTS = 256 };

struct lode_call_batch {
	struct lode_call_event *at;
	uint32_t n, capacity;
};

/* `{ .sink = sink }` is empty. Threads are the sink's indices, which must be dense. */
struct lode_call_batches {
	struct lode_call_sink *sink; /* borrowed */
	LODE_VEC(struct lode_call_batch) threads;
	size_t n_held; /* events of all threads that the sink has not got yet */
};

int lode_call_batches_add(struct lode_call_batches *batches, uint32_t thread, int64_t t_ns,
			  enum lode_call_event_kind kind, uint32_t function,
			  struct lode_error *err);
/* To be called at the end: hands over what is left, thread by thread. */
int lode_call_batches_flush(struct lode_call_batches *batches, struct lode_error *err);
void lode_call_batches_release(struct lode_call_batches *batches);
