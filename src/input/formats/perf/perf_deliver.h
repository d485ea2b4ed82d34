/*
 * Records in time order -> the model's builder.
 *
 * Here records get their meaning: maps and names of processes, switches and wakings, samples with
 * what they weigh. One thread, all in time order.
 */
#pragma once

#include "model/builder.h"
#include "model/tap.h"
#include "input/formats/perf/perf_batch.h"
#include "input/formats/perf/perf_command.h"
#include "input/formats/perf/perf_dsos.h"
#include "input/formats/perf/perf_header.h"
#include "input/formats/perf/perf_jit.h"
#include "input/formats/perf/perf_stacks.h"
#include "input/formats/perf/perf_unwind.h"
#include "input/symbols/spaces.h"

/* When a CPU's last sample was, to weigh those that come every so many cycles. */
/* A switch or a waking, as the event with that index had it. */
struct lode_perf_twin {
	int32_t pids[2], tid;
	uint32_t event; /* + 1; 0: none yet */
	bool in_interrupt;
};

/* Cycles that take less than any sampling interval. */
enum { LODE_PERF_STARTING_PERIOD = 1000 };

struct lode_perf_pace {
	int64_t last_ns;
	bool is_starting; /* its period is being found */
};

struct lode_perf_deliver {
	struct lode_perf_header *header; /* borrowed; build-ids of pipes are added */
	struct lode_builder *builder;	 /* borrowed */
	const struct lode_tap *tap;	 /* borrowed; may be NULL */
	struct lode_spaces *spaces;
	struct lode_perf_dsos dsos;
	struct lode_perf_stacks stacks;
	struct lode_perf_unwind unwind;
	struct lode_perf_jit jit;
	struct lode_perf_command command;
	struct lode_map executing;    /* pid -> 1: between an exec and the new program's maps */
	LODE_VEC(uint64_t) n_samples; /* per event */
	LODE_VEC(struct lode_perf_pace) paces; /* per CPU */
	LODE_VEC(struct lode_perf_twin) twins; /* per CPU two: the last switch and waking */
	uint64_t n_all_samples, n_unknown;
	uint64_t n_lost, n_lost_samples; /* as LOST records say it, and LOST_SAMPLES records */
	int64_t first_ns, last_ns;	 /* of all records with a time; INT64_MIN: none yet */
	struct lode_narrow window;	 /* what is read; for the tap */
	bool has_model, has_window;
	bool is_begun;
};

void lode_perf_deliver_init(struct lode_perf_deliver *deliver, struct lode_perf_header *header,
			    struct lode_builder *builder, unsigned n_workers,
			    const struct lode_tap *tap);
void lode_perf_deliver_release(struct lode_perf_deliver *deliver);

/* What a batch brings beside its records: before these are delivered. */
void lode_perf_deliver_batch(struct lode_perf_deliver *deliver,
			     const struct lode_perf_batch *batch);
/* What is known when all records were delivered. */
void lode_perf_deliver_finish(struct lode_perf_deliver *deliver);
/* One record; `context` is the struct lode_perf_deliver: as struct lode_perf_merge calls it. */
void lode_perf_deliver_record(void *context, const struct lode_perf_batch *batch,
			      const struct lode_perf_record *record);
