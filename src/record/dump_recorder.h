/*
 * A second perf beside the first one: the same events with stack dumps, in place of call chains.
 *
 *   perf          chains  ->  DIR/perf.data     8 MiB for each CPU; never loses an event to dumps
 *   second perf   dumps   ->  DIR/.dumps        64 MiB; killed when not needed, or when
 *                                               they are too many
 *
 * At the end one of the two files is the recording, so that all its stacks are of one kind.
 */
#pragma once

#include <signal.h>

#include "record/recorder.h"

enum { LODE_DUMPS_PATH_BYTES = 1040 };

struct lode_dump_recorder {
	pid_t perf;	  /* 0: none, or it has ended */
	int control, ack; /* to it, and back; -1: closed */
	unsigned n_owed;  /* answers */
	bool is_stopped;  /* it was told to end; */
	bool is_broken;	  /* or ended by itself */
	char path[LODE_DUMPS_PATH_BYTES];
};

/* The options by which it records. */
struct lode_record_options lode_dump_options(const struct lode_record_options *options);
/* Its file, beside that of the first. */
void lode_dumps_path(char path[LODE_DUMPS_PATH_BYTES], const char *data);

/* Starts it, and has it begin; without it when that fails. `mask` is that of its signals. */
void lode_dump_recorder_start(struct lode_dump_recorder *recorder,
			      const struct lode_record_options *options, const char *data,
			      const sigset_t *mask);
/* A line; its answer is owed. */
void lode_dump_recorder_tell(struct lode_dump_recorder *recorder, const char *line);
/* When `ack` can be read. */
void lode_dump_recorder_answered(struct lode_dump_recorder *recorder);
/* Two answers later it has written what its buffers held. */
void lode_dump_recorder_flush(struct lode_dump_recorder *recorder);

/* Tells it to close its file. */
void lode_dump_recorder_stop(struct lode_dump_recorder *recorder);
/* Leaves no zombie of one that has ended by itself. */
void lode_dump_recorder_reap(struct lode_dump_recorder *recorder);
/* Waits until it has done so. */
void lode_dump_recorder_finish(struct lode_dump_recorder *recorder);
/* Kills it, and removes its file. */
void lode_dump_recorder_discard(struct lode_dump_recorder *recorder);

/*
 * Whether stack dumps come slowly enough for perf to write them.
 *
 *   each CPU's buffer   fills by the size of a dump with each switch and CPU sample, by so much a
 *                       second it is emptied; half full is too full
 *
 * Switches are counted by the kernel beside perf, so that this is known before dumps are lost.
 */
struct lode_dump_budget {
	int64_t most_bytes;    /* that may wait on a CPU */
	int64_t emptied_per_s; /* bytes, of each CPU */
	int64_t samples_per_s; /* of each CPU, beside what is counted */
	int64_t dump_bytes;
	size_t n_cpus;
	struct lode_dump_cpu {
		int counter; /* -1: none */
		uint64_t n_counted;
		int64_t waiting_bytes;
	} * cpus;
	int64_t seen_ns; /* up to when */
};

void lode_dump_budget_open(struct lode_dump_budget *budget,
			   const struct lode_record_options *options, int64_t now_ns);
void lode_dump_budget_close(struct lode_dump_budget *budget);

/* Whether what came meanwhile is too much for some CPU. */
bool lode_dump_budget_is_spent(struct lode_dump_budget *budget, int64_t now_ns);
/* The same of one CPU: `n_switches` in `for_ns`. */
bool lode_dump_budget_take(const struct lode_dump_budget *budget, struct lode_dump_cpu *cpu,
			   uint64_t n_switches, int64_t for_ns);
