/*
 * Where the buffers of a flight data recorder log lie, and in which order to read them.
 *
 *   file     B2 A2 | B1 | A1 ...        buffers of all threads, in no order
 *   index    A1 B1 A2 B2                by their wall clock records
 *
 * So threads come side by side, as they ran: the consumer can work on several at
 * once, and the file is read from front to back.
 */
#pragma once

#include "model/loss.h"
#include "input/spool.h"
#include "input/formats/xray/xray_log.h"

/* LIMIT: buffers of up to 128 MiB are read; the recorder's own default is 16 KiB. */
#define LODE_XRAY_BUFFER_MAX ((int64_t)128 << 20)

struct lode_xray_buffer {
	int64_t offset; /* of its first record, behind the extents */
	uint32_t size_bytes;
	uint32_t thread; /* in order of first sight; see below */
	int32_t pid, tid;
	uint64_t wall_s;
	uint32_t wall_part; /* nanoseconds or microseconds: only the order counts */
	uint64_t ticks;	    /* of its first CPU record */
};

struct lode_xray_index {
	LODE_VEC(struct lode_xray_buffer) buffers; /* each thread's in order */
	size_t n_threads;
};

/*
 * Finds the buffers and orders them. What cannot be a buffer is passed over and counted, a buffer
 * that is there twice is left out and counted. Fails only if reading does.
 */
int lode_xray_index_build(struct lode_xray_index *index, const struct lode_xray_header *header,
			  const struct lode_spool *spool, struct lode_losses *losses,
			  struct lode_error *err);
void lode_xray_index_release(struct lode_xray_index *index);
