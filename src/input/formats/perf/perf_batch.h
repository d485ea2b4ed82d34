/*
 * What decoding makes of a block: compact records that stay until their time has come.
 *
 * A batch holds everything that later steps need, so that the block's bytes can be used again at
 * once. Its segments say how its records stand in time: stretches that ascend, records that hold
 * from before the recording on, and the ends of rounds.
 */
#pragma once

#include "model/loss.h"
#include "input/formats/perf/perf_chains.h"
#include "input/formats/perf/perf_event.h"

enum lode_perf_kind {
	LODE_PERF_REC_TIME,   /* only its time matters */
	LODE_PERF_REC_SAMPLE, /* of the event; meaning by the event's class */
	LODE_PERF_REC_OTHER,  /* `side`: the whole record, rare kinds: mmap, comm, fork ... */
};

struct lode_perf_record {
	int64_t t_ns;
	int32_t pid, tid; /* of the sample; other: of the trailer */
	uint32_t chain;	  /* id in the table of the batch's worker; 0: none */
	uint16_t event;
	uint16_t cpu;	     /* UINT16_MAX unknown */
	uint8_t kind;	     /* enum lode_perf_kind */
	uint8_t left;	     /* enum lode_left_state */
	uint8_t is_disk : 1; /* left in state D */
	uint8_t in_interrupt : 1;
	uint8_t in_hardirq : 1;
	uint8_t has_context : 1;
	uint8_t is_tapped : 1; /* what the tap wants stands behind the names */
	uint8_t has_dump : 1;  /* registers and stack stand behind that */
	uint8_t context;       /* the tracepoint's common_flags, for the tap */
	uint32_t side;	 /* place in the side bytes: of names, what the tap wants, dump, or of the
			    whole record */
	int32_t pids[2]; /* prev, next; the wakee; sockets: amount, enum lode_perf_ends */
	uint64_t value;	 /* period; number of the system call; the kernel's number of a socket;
			    other: bytes without the trailer */
};

enum lode_perf_ends { LODE_PERF_IS_LOOPBACK = 1, LODE_PERF_ASKS = 2 };

enum { LODE_PERF_COMM_BYTES = 16 }; /* of each name in the side bytes, with a NUL */

/* Of sockets: hashes of the two ends stand in the place of a name. */
static inline unsigned lode_perf_record_names(enum lode_perf_class class)
{
	return class == LODE_PERF_SCHED_SWITCH						? 2
	       : class >= LODE_PERF_SCHED_WAKING && class <= LODE_PERF_SCHED_WAKEUP_NEW ? 1
	       : class == LODE_PERF_SOCKET_STATE || class == LODE_PERF_SOCKET_NAMED	? 1
											: 0;
}

enum lode_perf_segment_kind {
	LODE_PERF_SEG_RUN,   /* [begin, end): ascending times */
	LODE_PERF_SEG_EARLY, /* record `begin` has no time: it holds at once */
	LODE_PERF_SEG_ROUND, /* end of a round */
};

struct lode_perf_segment {
	enum lode_perf_segment_kind kind;
	uint32_t begin, end;
};

struct lode_perf_batch {
	LODE_VEC(struct lode_perf_record) records;
	LODE_VEC(struct lode_perf_segment) segments;
	LODE_VEC(uint8_t) side;
	struct lode_perf_new_chains fresh;
	struct lode_losses losses;
	unsigned worker;
	int64_t offset;	    /* of the block in the file */
	uint64_t n_unknown; /* records of unknown type */
	int64_t max_ns;	    /* latest time in it */
	uint32_t n_open;    /* segments that wait to be delivered */
	struct lode_perf_batch *next_free;
};

void lode_perf_batch_free(struct lode_perf_batch *batch);
