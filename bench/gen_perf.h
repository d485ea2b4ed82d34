/*
 * Writer of perf.data files: what `perf record -a -g` with cpu-clock, sched_switch and sched_waking
 * leaves, streamed to disk.
 *
 * Records go to the buffer of their CPU, in time order there; buffers are written one behind the
 * other in rounds, as perf reads its rings. Memory does not depend on the size of the file.
 */
#ifndef GEN_PERF_H
#define GEN_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "gen_world.h"

enum gen_event {
	GEN_EVENT_CLOCK,
	GEN_EVENT_SWITCH,
	GEN_EVENT_WAKING,
	GEN_EVENT_DUMMY, /* carries mmap, comm and fork records */
	GEN_N_EVENTS,
};

struct gen_perf;

struct gen_perf_options {
	const char *path, *hostname, *command;
	uint32_t n_cpus;
	bool is_compressed; /* zstd, in COMPRESSED records */
};

/* NULL with errno set when the file cannot be made. */
struct gen_perf *gen_perf_open(const struct gen_perf_options *options,
			       const struct gen_world *world);
/* Writes what is left, the features and the header. 0, or -1 with errno set. */
int gen_perf_close(struct gen_perf *perf);

/* Who and when: of a sample, or the trailer of another record. */
struct gen_stamp {
	int64_t t_ns;
	uint32_t cpu;
	int32_t pid, tid;
};

/* As the kernel lays them out: 64 and 36 bytes behind the raw size. */
struct gen_switch_payload {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
};
struct gen_waking_payload {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	char comm[16];
	int32_t wakee, prio, target_cpu;
};

void gen_perf_clock(struct gen_perf *perf, const struct gen_stamp *stamp,
		    const struct gen_chain *chain);
/* `type` of the payloads is filled in here. */
void gen_perf_switch(struct gen_perf *perf, const struct gen_stamp *stamp,
		     struct gen_switch_payload *payload, const struct gen_chain *chain);
void gen_perf_waking(struct gen_perf *perf, const struct gen_stamp *stamp,
		     struct gen_waking_payload *payload, const struct gen_chain *chain);
void gen_perf_comm(struct gen_perf *perf, const struct gen_stamp *stamp, const char *comm,
		   bool is_exec);
void gen_perf_fork(struct gen_perf *perf, const struct gen_stamp *stamp, int32_t parent_pid,
		   int32_t parent_tid);
void gen_perf_exit(struct gen_perf *perf, const struct gen_stamp *stamp, int32_t parent_pid,
		   int32_t parent_tid);
void gen_perf_mmap(struct gen_perf *perf, const struct gen_stamp *stamp, enum gen_module module);
/* Says that `n` samples of that CPU were dropped. */
void gen_perf_lost(struct gen_perf *perf, const struct gen_stamp *stamp, uint64_t n);

/* Sample records and bytes so far. */
uint64_t gen_perf_n_samples(const struct gen_perf *perf);
uint64_t gen_perf_n_bytes(const struct gen_perf *perf);

/* The tracing_data section: tracepoint formats as tracefs gives them. */
extern const char gen_tracing_header_page[], gen_tracing_header_event[];
extern const char gen_format_switch[], gen_format_waking[];
enum { GEN_TYPE_SWITCH = 372, GEN_TYPE_WAKING = 375 };

#endif
