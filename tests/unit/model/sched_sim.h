/*
 * A scheduler that never was: random threads on random CPUs that sleep, wake, are preempted, fork
 * and exit. It emits the records that a recorder would and keeps its own plain account of what
 * every thread did and when: the truth that the builder must find again.
 */
#ifndef SCHED_SIM_H
#define SCHED_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/builder.h"
#include "random.h"

/* Raw stacks: those of threads are below SIM_INTERRUPT. */
enum { SIM_CPUS = 4, SIM_INTERRUPT = 12, SIM_SENT, SIM_RAW };

enum sim_record_kind {
	SIM_SWITCH,
	SIM_WAKING,
	SIM_SAMPLE,
	SIM_FORK,
	SIM_EXIT,
};

struct sim_record {
	enum sim_record_kind kind;
	int64_t t_ns;
	struct lode_switch sw;
	struct lode_waking waking;
	struct lode_sample sample;
	int32_t tid, parent_tid;
};

/* What a thread did in [start, end). `samples` index into sim.sample_stacks. */
struct sim_event {
	enum lode_event_kind kind;
	int64_t start_ns, end_ns;
	uint32_t stack; /* raw: waiting, ready, and running without a sample */
	size_t first_sample, n_samples;
	unsigned flags;
	uint32_t cpu;	   /* running: where; ready: where it runs next */
	uint32_t left_cpu; /* waiting, ready: which it left */
	int waker;	   /* waiting: index of the thread, -1 none */
	uint32_t waker_stack;
	bool by_interrupt;
};

struct sim_thread {
	int32_t tid;
	LODE_VEC(struct sim_event) events;
	LODE_VEC(uint32_t) samples; /* raw stacks, in order */
	enum {
		SIM_NEVER_SEEN_RUNNING,
		SIM_NEVER_SEEN_WAITING,
		SIM_NEVER_SEEN_READY,
		SIM_RUNNING,
		SIM_WAITING,
		SIM_READY,
		SIM_DEAD,
	} state;
	int64_t since_ns, early_ns;
	uint32_t stack, cpu;
	unsigned flags;
	size_t first_sample;
	bool is_exiting, is_early;
	bool is_named;	 /* some record had its tid */
	bool is_told;	 /* so that its exit record meant somebody */
	int64_t died_ns; /* as far as the records tell; INT64_MAX: they do not */
};

struct sim {
	LODE_VEC(struct sim_thread) threads;
	LODE_VEC(struct sim_record) records;
	int on_cpu[SIM_CPUS]; /* index of a thread, -1 idle */
	int64_t now_ns, first_ns;
	uint64_t rng;
	uint32_t lose_last_pct; /* so many last switches of threads that exit are not recorded */
	size_t n_lost;
};

/* Plays `n_records` records from `seed`. `{ 0 }` before; sim_release after. */
void sim_play(struct sim *sim, uint64_t seed, size_t n_records);
void sim_release(struct sim *sim);

/* Hands one record to a builder. */
void sim_feed(struct lode_builder *builder, const struct sim_record *record);

/*
 * Fills the stream's tree: raw ids from 1 on are user frames (some none) and kernel frames, then an
 * interrupt's stack and that of a softirq in which a thread's own packet arrives.
 */
void sim_nodes(struct lode_calltree *tree, uint32_t node_of_raw[SIM_RAW]);

/* The stream of a builder that was fed, with those stacks. */
struct lode_stream *sim_finish(struct lode_builder *builder);

/* What holds for every stream: lives are tiled by events, and all that these name is there. */
void sim_check_tiles(uint64_t seed, const struct lode_stream *stream);

#define FAIL_AT(seed, ...)                                              \
	do {                                                            \
		print_error("seed %llu: ", (unsigned long long)(seed)); \
		print_error(__VA_ARGS__);                               \
		fail();                                                 \
	} while (0)

#endif
