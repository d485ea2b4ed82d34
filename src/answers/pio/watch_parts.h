/*
 * What a watch is made of. Inside of answers/pio/watch*.c.
 */
#pragma once

#include "answers/pio/watch.h"
#include "base/follow_file.h"
#include "model/counters.h"

/* One file, or Prometheus. */
struct lode_watch_source {
	struct lode_follow *follow; /* of a query nothing but its text, as the path */
	bool is_log;
	bool is_query;
	int64_t ask_ns;	   /* queries: the next time to ask (CLOCK_MONOTONIC) */
	char *server;	   /* of counters; NULL: by the file's name */
	int64_t newest_ns; /* INT64_MIN: nothing yet */
	int64_t early_ns;  /* of its last request ahead of all counters, as after a pause;
			      INT64_MIN: the last one is not */
	bool is_idle;	   /* nothing to read just now */
	bool is_warned;	   /* its fault was reported, and nothing has been right since */
	uint64_t n_truncations;
	/* Logs: requests in the head that is read again before each chunk. */
	uint32_t head_file;
	size_t head_size;
	uint64_t n_head_requests;
	/* sadf: the "# ..." line that names the columns of what follows. */
	LODE_VEC(char) section;
};

struct lode_pio_watch {
	struct lode_pio_model *model;
	struct lode_pio_watch_options options;
	LODE_VEC(struct lode_watch_source) sources;
	struct lode_request_log requests;
	bool has_log;
	struct lode_counter_log *counters;
	struct lode_pio_online *online;
	struct lode_losses losses;
	uint32_t other_action, other_user; /* ids of "(other)": what the model does not know */
	uint64_t model_hash;
	uint32_t n_early;    /* requests ahead of all counters since those were last as far */
	int64_t reached;     /* interval up to which counters were complete when the last poll
				ended; INT64_MIN: none */
	int64_t resumed_ns;  /* the newest time that the state knew; INT64_MIN: none */
	LODE_VEC(char) text; /* head and chunk */
};

/* LIMIT: a request that lies this many intervals off the time that is judged comes behind a pause,
   or has a wrong time. */
#define LODE_WATCH_FAR ((int64_t)100000)

/* How far a file was read. What is early may be of a wrong time: it is not the newest. */
static inline int64_t lode_watch_position(const struct lode_watch_source *source)
{
	return source->early_ns > source->newest_ns ? source->early_ns : source->newest_ns;
}

/* Which model it is: of its text. */
uint64_t lode_watch_model_hash(const struct lode_pio_model *model);
/* Makes the analysis, once all files are known. */
void lode_watch_start(struct lode_pio_watch *watch);
/* Takes in what was read; a failure is warned of. */
void lode_watch_feed(struct lode_pio_watch *watch, struct lode_watch_source *source,
		     const struct lode_follow_chunk *chunk, const struct lode_pio_watcher *watcher);
/* Asks Prometheus for what is new, if it is time. */
void lode_watch_ask(struct lode_pio_watch *watch, struct lode_watch_source *source,
		    const struct lode_pio_watcher *watcher);
void lode_watch_warn(struct lode_watch_source *source, const struct lode_pio_watcher *watcher,
		     const struct lode_error *err);
