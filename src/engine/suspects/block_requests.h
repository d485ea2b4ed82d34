/*
 * Requests of block devices that wait for something: to be issued, or to be completed.
 *
 *   sectors     |==A==|      |==B==|==C==|      inserted: A, B and C
 *   issue              |========B========|      C was merged into B: both are issued now
 *   complete           |=====|                  the first part of B: not complete yet
 *   complete                 |===========|      now it is
 *
 * Found by device and sectors. What nobody asks for any more is dropped and counted: of one list at
 * most LODE_BLOCK_WAITING are kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/suspects/pairing.h"
#include "base/map.h"

/* LIMIT: requests that wait in one device at a time; devices queue some thousands at most. */
enum { LODE_BLOCK_WAITING = 16384 };

struct lode_block_request {
	uint64_t sector, n_sectors;
	struct lode_open_call call;
};

/* The requests of one device, oldest first. */
struct lode_block_list {
	LODE_VEC(struct lode_block_request) requests;
};

/* `{ 0 }` is empty. */
struct lode_block_requests {
	struct lode_map index; /* device -> list */
	LODE_VEC(struct lode_block_list) lists;
};

/* Adds a request; true if the oldest one had to go (`*dropped`). */
bool lode_block_add(struct lode_block_requests *requests, uint64_t device,
		    const struct lode_block_request *request, struct lode_block_request *dropped);
/* How many wait in the device. */
size_t lode_block_count(const struct lode_block_requests *requests, uint64_t device);
/*
 * Takes the oldest request that lies in these sectors (of those without sectors: with the same
 * sector); false if there is none. Call again for those merged into one.
 */
bool lode_block_take_within(struct lode_block_requests *requests, uint64_t device, uint64_t sector,
			    uint64_t n_sectors, struct lode_block_request *out);
/*
 * Of the oldest request that begins at `sector`, `n_sectors` are done. LODE_BLOCK_DONE takes it.
 */
enum lode_block_done {
	LODE_BLOCK_NONE, /* there is no such request */
	LODE_BLOCK_PART, /* it waits for the rest of its sectors */
	LODE_BLOCK_DONE,
};
enum lode_block_done lode_block_complete(struct lode_block_requests *requests, uint64_t device,
					 uint64_t sector, uint64_t n_sectors,
					 struct lode_block_request *out);
/* Calls `take` for all that still wait, and forgets them. */
void lode_block_close(struct lode_block_requests *requests,
		      void (*take)(void *context, const struct lode_block_request *request),
		      void *context);
void lode_block_release(struct lode_block_requests *requests);
