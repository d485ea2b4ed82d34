/*
 * TID.dat of a uftrace directory: records of 16 bytes, one thread's in order.
 *
 *   u64 time ns | u64: type 2 bits, more 1, magic 3 (= 5), depth 10, address 48
 *
 * A record with `more` is followed by arguments or a return value, whose length is in no record: it
 * comes from the recorder's specifications of arguments. They are passed over by looking for the
 * next place, in steps of 8 bytes, where a record can follow: the magic number, a time not before
 * and not an hour behind, a depth that fits, and for a call an address where a symbol is. Where all
 * the rest fits exactly, the time may be wrong.
 */
#pragma once

#include "base/input.h"
#include "model/clock_guard.h"
#include "model/loss.h"

enum { LODE_UFTRACE_DEPTH_MASK = 0x3ff }; /* of the depth in a record */

enum lode_uftrace_type {
	LODE_UFTRACE_ENTRY,
	LODE_UFTRACE_EXIT,
	LODE_UFTRACE_LOST,
	LODE_UFTRACE_EVENT,
};

struct lode_uftrace_record {
	int64_t t_ns;
	uint64_t address; /* events: their id; lost: how many */
	uint32_t depth;	  /* its lowest 10 bits */
	enum lode_uftrace_type type;
	bool has_more;
};

struct lode_uftrace_records {
	struct lode_input *input; /* borrowed */
	const char *name;	  /* for messages */
	struct lode_losses *losses;
	/* Is a function at `address`, at that time? */
	bool (*is_code)(void *context, int64_t t_ns, uint64_t address);
	void *context;
	uint8_t *buffer;
	size_t at, end;
	int64_t offset; /* of buffer[0] in the file */
	bool is_end, has_last;
	struct lode_uftrace_record last;
	struct lode_clock_guard clock; /* its now_ns is not a wrong time of `last` */
};

/* The callbacks and `losses` are set by the caller, the rest zero but `input` and `name`. */
void lode_uftrace_records_release(struct lode_uftrace_records *records);

/* The next record: true, or false at the end (a file that breaks off is counted). */
bool lode_uftrace_records_next(struct lode_uftrace_records *records,
			       struct lode_uftrace_record *out);
