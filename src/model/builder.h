/*
 * From time-ordered records to a stream: the scheduler state machine (design §2).
 *
 * A source calls lode_builder_<record> for each record, in time order, and lode_builder_finish
 * once. Per CPU and per thread the builder keeps what runs, what waits and since when; it closes
 * events as their ends are seen and infers, marks and counts what was not recorded.
 *
 * Stacks are the source's own ids until the end: "raw" ids, 0 = no stack. At finish the source
 * gives the table raw id -> node of the stream's call tree, so that addresses are symbolised once
 * per distinct address and not per event.
 */
#ifndef LODE_BUILDER_H
#define LODE_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/stream.h"

struct lode_builder;

/* What is read of the recording (`--time`, `--cpu`). `{ 0 }` is not valid: use lode_narrow_none. */
struct lode_narrow {
	int64_t from_ns, to_ns; /* records outside are not used; INT64_MIN / INT64_MAX: all */
	int32_t cpu;		/* -1: all */
};
extern const struct lode_narrow lode_narrow_none;

/* Kernel task states as sched_switch prints them; only the classes that matter. */
enum lode_left_state {
	LODE_LEFT_RUNNABLE, /* R or R+: preempted or yielded */
	LODE_LEFT_SLEEPING, /* S, D, T, I, ...: blocked until woken */
	LODE_LEFT_DEAD,	    /* X or Z: never comes back */
};

struct lode_switch {
	int64_t t_ns;
	uint32_t cpu;
	int32_t prev_pid; /* tid of the thread that leaves, from the payload; 0 is idle */
	int32_t next_pid; /* tid of the thread that enters */
	enum lode_left_state left;
	bool is_disk_sleep;		   /* state D */
	const char *prev_comm, *next_comm; /* from the payload; may be NULL */
	uint32_t stack;			   /* raw stack of the thread that leaves */
};

struct lode_waking {
	int64_t t_ns;
	uint32_t cpu;	   /* where the waking ran */
	int32_t waker_tid; /* thread in whose name it ran */
	int32_t wakee_tid;
	const char *wakee_comm; /* may be NULL */
	bool has_context;	/* common_flags were there: `in_interrupt` can be trusted */
	bool in_interrupt;	/* hard- or soft-IRQ context */
	uint32_t stack;		/* raw stack of the waker */
};

struct lode_sample {
	int64_t t_ns;
	uint32_t cpu; /* UINT32_MAX unknown */
	int32_t pid, tid;
	int64_t weight_ns; /* what one sample stands for where switches are not recorded */
	uint32_t stack;
};

/* `unit` of costs as in lode_stream. The stream's call tree may be filled at any time. */
struct lode_builder *lode_builder_new(const char *path, const char *format, const char *unit,
				      const struct lode_narrow *narrow);
/* Gives up: frees the builder and its stream. */
void lode_builder_free(struct lode_builder *builder);

/* The stream under construction: host, kernel, losses, event counts are the source's to fill. */
struct lode_stream *lode_builder_stream(struct lode_builder *builder);

/* comm, fork: `t_ns` INT64_MIN says that it was so before the recording began. */
void lode_builder_comm(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid,
		       const char *comm, bool is_exec);
void lode_builder_fork(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid,
		       int32_t parent_pid, int32_t parent_tid);
void lode_builder_exit(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid);
void lode_builder_switch(struct lode_builder *builder, const struct lode_switch *record);
void lode_builder_waking(struct lode_builder *builder, const struct lode_waking *record);
void lode_builder_sample(struct lode_builder *builder, const struct lode_sample *record);

/* A weighted waiting event without a waker: sampled or summed off-CPU data. */
void lode_builder_offcpu(struct lode_builder *builder, const struct lode_sample *record);

/* Entry (nr >= 0) or exit of a system call: refines wait reasons. `name` may be NULL. */
void lode_builder_syscall_enter(struct lode_builder *builder, int64_t t_ns, int32_t tid, int64_t nr,
				const char *name);
void lode_builder_syscall_exit(struct lode_builder *builder, int64_t t_ns, int32_t tid);

/* Any other record with a time: widens the stream's span. */
void lode_builder_time(struct lode_builder *builder, int64_t t_ns);

/*
 * Closes what is open, replaces raw stacks by nodes of the tree (`node_of_raw[raw]`, n_raw entries,
 * entry 0 is 0), decides wait reasons and devices from the frames, and hands the stream over. Frees
 * the builder.
 */
struct lode_stream *lode_builder_finish(struct lode_builder *builder, const uint32_t *node_of_raw,
					size_t n_raw);

#endif
