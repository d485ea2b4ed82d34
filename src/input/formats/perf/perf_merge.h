/*
 * Records in order of time, from batches in order of the file.
 *
 * perf copies one CPU's buffer after the other, so times in a file go up in stretches and jump back
 * between them. It marks rounds; what is older than the latest record of the round before can not
 * be preceded by anything any more. Stretches are merged through a heap; equal times keep the
 * order of the file. Recordings without rounds are merged when a stated number of bytes waits.
 */
#pragma once

#include "input/formats/perf/perf_batch.h"

/* A stretch of ascending records, from its next one on. */
struct lode_perf_stretch {
	int64_t t_ns; /* of record `at` */
	uint64_t order;
	struct lode_perf_batch *batch;
	uint32_t at, end;
};

struct lode_perf_merge {
	/* Takes one record, in time order. */
	void (*deliver)(void *context, const struct lode_perf_batch *batch,
			const struct lode_perf_record *record);
	void *context;
	LODE_VEC(struct lode_perf_stretch) heap; /* earliest first */
	uint64_t n_runs;
	int64_t round_max_ns, last_round_max_ns; /* latest time of this round and the one before */
	size_t waiting_bytes, limit_bytes;
	struct lode_perf_batch *free_batches;
};

void lode_perf_merge_init(struct lode_perf_merge *merge, size_t limit_bytes);
/* Frees also batches that still wait: for giving up. */
void lode_perf_merge_release(struct lode_perf_merge *merge);

/*
 * Takes `batch` over, delivers what is due, and gives an empty batch in return, so that storage
 * goes round.
 */
struct lode_perf_batch *lode_perf_merge_add(struct lode_perf_merge *merge,
					    struct lode_perf_batch *batch);
/* Everything that still waits. */
void lode_perf_merge_finish(struct lode_perf_merge *merge);
