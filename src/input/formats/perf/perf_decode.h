/*
 * A block of whole records -> a batch. Runs in many threads at once: a decoder is one thread's.
 */
#pragma once

#include "input/formats/perf/perf_batch.h"
#include "input/formats/perf/perf_event.h"

/* Whole records, one after another. */
struct lode_perf_block {
	uint8_t *data;
	size_t size_bytes, capacity;
	int64_t offset;	  /* in the file */
	bool is_expanded; /* came out of a compressed record: `offset` is that record's */
};

struct lode_perf_decoder {
	const struct lode_perf_events *events;
	struct lode_perf_chains *chains;
	unsigned worker;
	bool want_dumps;	/* keep registers and stacks for an unwinder */
	int64_t from_ns, to_ns; /* times outside cannot be true: the record is damaged */
};

void lode_perf_decode(struct lode_perf_decoder *decoder, const struct lode_perf_block *block,
		      struct lode_perf_batch *batch);
