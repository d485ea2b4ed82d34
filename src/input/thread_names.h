/*
 * Names of threads from a table in text, for formats that record none:
 *
 *   # tid <tab> name
 *   27085 <tab> eviction-server
 *
 * A sink in front of another: it passes everything on, and adds names to the threads that come
 * without one.
 */
#pragma once

#include "base/map.h"
#include "model/calls.h"

struct lode_thread_names {
	struct lode_call_sink sink;   /* to be given to the source */
	struct lode_call_sink *inner; /* borrowed */
	struct lode_strings strings;
	struct lode_map by_tid; /* -> string id */
};

/* Release it also after a failure. */
int lode_thread_names_open(struct lode_thread_names *names, const char *path,
			   struct lode_call_sink *inner, struct lode_error *err);
void lode_thread_names_release(struct lode_thread_names *names);
