/*
 * The requests of one period, as a sink for sources: to learn from, or to judge by what was learnt.
 *
 *   learn   statistics per (action, user) in one pass; every request is kept small
 *           (below), then counted per interval once the bounds are known
 *   judge   bounds are given: each request is counted at once, nothing is kept but who was slow
 *           when
 *
 * The time that is judged is the servers' where the log has it (upstream), else the response time:
 * so a client that reads slowly makes no interval SLOW. The paper judges the response time.
 */
#pragma once

#include "engine/pio/usual.h"
#include "model/requests.h"

/*
 * Requests kept small: what is needed to judge them once all have been seen.
 *
 * SLOW depends on the mean over all requests of an (action, user), so each must be looked at twice.
 * A spool holds (interval, pair, response time) in 6 to 7 bytes each, in the order of the log: 135
 * million in less than 1 GB. Past a bound, blocks go to an unnamed temporary file and are read back
 * one by one.
 */

struct lode_request_spool;

/* `memory_bytes`: what may stay in memory; 0: no bound. */
struct lode_request_spool *lode_request_spool_new(size_t memory_bytes);
void lode_request_spool_free(struct lode_request_spool *spool);

struct lode_spooled_request {
	int64_t interval; /* counted from the epoch */
	int64_t response_ns;
	uint32_t pair;
};

/* Fails only when the temporary file does. */
int lode_request_spool_add(struct lode_request_spool *spool,
			   const struct lode_spooled_request *item, struct lode_error *err);

/* Reads all, in order; may be done again and again. A reader is `{ 0 }` before the first item. */
struct lode_request_spool_reader {
	size_t block, at;
	struct lode_spooled_request last;
	uint8_t *buffer; /* freed at the end, or by lode_request_spool_reader_release */
};

/*
 * Requests counted per interval: all, slow, and slow for the client alone. Memory follows the
 * intervals in which there were any, however far they are from each other.
 */
struct lode_interval_counts {
	uint32_t n, n_slow; /* requests that could be judged */
	uint32_t n_client;  /* of those not SLOW: the answer took long, the servers did not */
};

enum { LODE_TALLY_PAGE = 16 }; /* intervals */

struct lode_tally_page {
	int64_t number; /* its first interval, by LODE_TALLY_PAGE */
	struct lode_interval_counts at[LODE_TALLY_PAGE];
};

/* `{ 0 }` is empty. */
struct lode_interval_tally {
	LODE_VEC(struct lode_tally_page) pages; /* in order of first sight */
	struct lode_map index;			/* number -> place in pages */
	size_t last;				/* looked at */
};

/* The interval's counts. */
struct lode_interval_counts *lode_interval_tally_at(struct lode_interval_tally *tally,
						    int64_t interval);
/* The same; NULL where nothing was counted in or near it. */
const struct lode_interval_counts *lode_interval_tally_find(const struct lode_interval_tally *tally,
							    int64_t interval);

struct lode_request_log_options {
	int64_t step_ns;
	bool is_by_start;	/* a request belongs to the interval of its start, not its end */
	bool is_whole_response; /* judge the response time even where there is an upstream time */
	size_t memory_bytes;	/* of the spool; 0: no bound */
};

/* SLOW requests of one pair in one interval. */
struct lode_slow_hits {
	int64_t interval;
	uint32_t pair, n;
};

struct lode_request_log {
	struct lode_request_log_options options;
	struct lode_usual *usual;	  /* borrowed: filled, or asked */
	struct lode_request_spool *spool; /* learning */
	struct lode_interval_tally tally; /* judging at once; learning: by lode_request_log_count */
	LODE_VEC(struct lode_slow_hits) hits; /* judging; in the order of the log */
	uint64_t n_requests, n_unjudged;
	int64_t first_ns, last_ns; /* of the times that place requests */
	struct lode_losses losses;
};

/* `usual` is settled when `is_judging`. */
void lode_request_log_init(struct lode_request_log *log,
			   const struct lode_request_log_options *options, struct lode_usual *usual,
			   bool is_judging);
void lode_request_log_release(struct lode_request_log *log);
/* Where sources put requests. */
struct lode_request_sink lode_request_log_sink(struct lode_request_log *log,
					       struct lode_request_names *names);

/* Judging: forgets the requests of intervals before `interval`. */
void lode_request_log_forget(struct lode_request_log *log, int64_t interval);

/* Ends learning: after lode_usual_settle, fills the tally from the spool and lets that go. */
int lode_request_log_count(struct lode_request_log *log, struct lode_error *err);

/* 1, 0 at the end, or < 0. */
int lode_request_spool_next(const struct lode_request_spool *spool,
			    struct lode_request_spool_reader *reader,
			    struct lode_spooled_request *item, struct lode_error *err);
void lode_request_spool_reader_release(struct lode_request_spool_reader *reader);
