/*
 * Requests kept small: what is needed to judge them once all have been seen.
 *
 * SLOW depends on the mean over all requests of an (action, user), so each must be looked at twice.
 * A spool holds (interval, pair, response time) in 6 to 7 bytes each, in the order of the log: 135
 * million in less than 1 GB. Past a bound, blocks go to an unnamed temporary file and are read back
 * one by one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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
/* 1, 0 at the end, or < 0. */
int lode_request_spool_next(const struct lode_request_spool *spool,
			    struct lode_request_spool_reader *reader,
			    struct lode_spooled_request *item, struct lode_error *err);
void lode_request_spool_reader_release(struct lode_request_spool_reader *reader);
