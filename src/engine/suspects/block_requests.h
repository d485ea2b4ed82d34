/*
 * Requests of block devices that wait for something: to be issued, or to be completed.
 *
 *   sectors     |==A==|      |==B==|==C==|      inserted: A, B and C
 *   issue              |========B========|      C was merged into B: both are issued now
 *   complete           |=====|                  the first part of B: not complete yet
 *   complete                 |===========|      now it is
 *
 * An issue takes the inserted requests of its device and operation that lie in its sectors; a
 * completion takes the issued request of its device, flags, first sector and length, or the first
 * part of a longer one. Nothing else is paired: an end that was not recorded must never be made up
 * for by that of a later request.
 *
 *   issue   254,0 WS 800 + 8     completed, but that was not recorded
 *   issue   254,0 WS 800 + 8     nothing is written twice at once: the first one is lost
 *   complete       WS 800 + 8    of the second
 *
 * Flushes and commands passed through to the device have no sectors (0 at their issue, -1 at their
 * completion): while two of them are under way in one device, neither is measured.
 */
#pragma once

#include "engine/suspects/pairing.h"

enum {
	/* LIMIT: requests of one device and kind that wait at a time; of more, the oldest is lost.
	   Devices queue some thousands at most. */
	LODE_BLOCK_WAITING = 16384,
};
/* LIMIT: without sectors nothing tells that an end was lost, but that the kernel gives a request up
   after 30 s (its default time-out). */
#define LODE_BLOCK_TIMEOUT_NS INT64_C(30000000000)

struct lode_block_request {
	uint64_t device, sector, n_sectors;
	uint64_t flags; /* lode_block_flags */
	struct lode_open_call call;
	bool is_ambiguous; /* without sectors, and not alone: its end is not known */
};

/* Requests that may be each other's ends, by sector; no two overlap but those without sectors,
   which stand in the order of their begins. */
struct lode_block_list {
	uint64_t device;
	LODE_VEC(struct lode_block_request) requests;
};

/* `{ 0 }` with `lost` set is ready. */
struct lode_block_requests {
	/* NO_END, or what lode_block_close was told. */
	void (*lost)(void *context, const struct lode_open_call *call,
		     enum lode_execution_loss loss);
	void *context;
	/* Requests that are merged have one operation, but not all flags, in common. */
	bool is_by_operation;
	struct lode_map index; /* device and flags, or operation -> list */
	LODE_VEC(struct lode_block_list) lists;
	struct lode_map device_index; /* device -> n_waiting */
	LODE_VEC(uint32_t) n_waiting;
};

/* Flags as the kernel prints them ("WS", "FF", "RA"); NULL: not recorded, which is 0. */
uint64_t lode_block_flags(const char *rwbs);

bool lode_block_has_sectors(const struct lode_block_request *request);

/* Adds a request. One whose sectors it overlaps is lost: its end was not recorded. O(log waiting),
   and a move of memory. */
void lode_block_add(struct lode_block_requests *requests, const struct lode_block_request *request);
/* How many wait in the device. */
uint32_t lode_block_count(const struct lode_block_requests *requests, uint64_t device);
/*
 * Takes one of the requests that lie in the sectors of `whole`; false if there is none. Call again
 * for those merged into one (none is into one without sectors).
 */
bool lode_block_take_within(struct lode_block_requests *requests,
			    const struct lode_block_request *whole, struct lode_block_request *out);

enum lode_block_end {
	LODE_BLOCK_NOTHING, /* no request ends: of a sequence with a flush, the data is done already
			     */
	LODE_BLOCK_UNKNOWN, /* no such request waits */
	LODE_BLOCK_PART,    /* its request waits for the rest of its sectors */
	LODE_BLOCK_DONE,    /* *out was taken; look at is_ambiguous */
};
/* The sectors of `end` are done. */
enum lode_block_end lode_block_complete(struct lode_block_requests *requests,
					const struct lode_block_request *end,
					struct lode_block_request *out);
/* The device gives a request back, which will be issued again; what is left of it, if a part of it
   was done. */
void lode_block_requeue(struct lode_block_requests *requests,
			const struct lode_block_request *request);
/* All that still wait are lost. */
void lode_block_close(struct lode_block_requests *requests, enum lode_execution_loss loss);
void lode_block_release(struct lode_block_requests *requests);
