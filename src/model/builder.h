/*
 * From time-ordered records to a stream: the scheduler state machine (docs/model.md).
 *
 * A source calls lode_builder_<record> for each record, in time order, and lode_builder_finish
 * once. Per CPU and per thread the builder keeps what runs, what waits and since when; it closes
 * events as their ends are seen and infers, marks and counts what was not recorded. A record that
 * is older than the one before is moved to that one's time and counted (LODE_LOSS_UNORDERED).
 *
 * Stacks are the source's own ids until the end: "raw" ids, 0 = no stack. At finish the source
 * gives the table raw id -> node of the stream's call tree, so that addresses are symbolised once
 * per distinct address and not per event.
 */
#pragma once

#include "base/error.h"
#include "model/stream.h"

struct lode_builder;
struct lode_socket_record; /* model/connections.h */

/*
 * What is read of the recording (`--time`, `--cpu`). `{ 0 }` is not valid: use lode_narrow_none.
 *
 * Feed all records, whatever is narrowed: those before `from_ns` still move the state machine, so
 * that a thread which was waiting at `from_ns` is waiting from there on, and names and births count
 * at any time. With a CPU, only running events are made: where a thread was while it was not on
 * that CPU is not known from it.
 */
struct lode_narrow {
	int64_t from_ns, to_ns; /* records outside are not used; INT64_MIN / INT64_MAX: all */
	int32_t cpu;		/* -1: all */
	/* The ends count from the time of the recording's first record, not from its clock's 0. */
	bool is_from_offset, is_to_offset;
};
extern const struct lode_narrow lode_narrow_none;

/* Kernel task states as sched_switch prints them; only the classes that matter. */
enum lode_left_state {
	LODE_LEFT_RUNNABLE, /* R or R+: preempted or yielded */
	LODE_LEFT_SLEEPING, /* S, D, T, I, ...: blocked until woken */
	LODE_LEFT_DEAD,	    /* X or Z: never comes back */
};

/*
 * A tid of -1 says that the record does not tell (the halves of PERF_RECORD_SWITCH: going out is
 * {prev, -1}, coming in is {-1, next}).
 */
struct lode_switch {
	int64_t t_ns;
	uint32_t cpu;
	int32_t prev_pid; /* tid of the thread that leaves, from the payload; 0 is idle */
	int32_t next_pid; /* tid of the thread that enters; 0 is idle */
	enum lode_left_state left;
	bool is_disk_sleep;		   /* state D */
	const char *prev_comm, *next_comm; /* from the payload; may be NULL */
	uint32_t stack;			   /* raw stack of the thread that leaves */
	bool has_dump;			   /* ... its event takes dumps, in place of chains */
};

struct lode_waking {
	int64_t t_ns;
	uint32_t cpu;	   /* where the waking ran */
	int32_t waker_tid; /* thread in whose name it ran; -1 (exiting): the thread on the CPU */
	int32_t wakee_tid;
	const char *wakee_comm; /* may be NULL */
	bool has_context;	/* common_flags were there: `in_interrupt` can be trusted */
	bool in_interrupt;	/* hard- or soft-IRQ context */
	bool in_hardirq;	/* hard-IRQ or NMI context: whatever it interrupted */
	uint32_t stack;		/* raw stack of the waker */
};

#define LODE_THREAD_EXITED "[exited]" /* name of threads that end and have no id any more */

struct lode_sample {
	int64_t t_ns;
	uint32_t cpu;	   /* UINT32_MAX unknown */
	int32_t pid, tid;  /* -1 (exiting): the thread on the CPU */
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
/*
 * Names, births and ends. A time of 0 or less means "from before the recording", as in the records
 * that perf makes up for what already ran. A fork always makes a new thread: tids are reused. After
 * its exit record a thread still runs to its last switch, which ends its life.
 */
void lode_builder_comm(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid,
		       const char *comm, bool is_exec);
void lode_builder_fork(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid,
		       int32_t parent_pid, int32_t parent_tid);
void lode_builder_exit(struct lode_builder *builder, int64_t t_ns, int32_t pid, int32_t tid);
void lode_builder_switch(struct lode_builder *builder, const struct lode_switch *record);
void lode_builder_waking(struct lode_builder *builder, const struct lode_waking *record);
void lode_builder_sample(struct lode_builder *builder, const struct lode_sample *record);

/*
 * A weighted waiting event without a waker: sampled or summed off-CPU data. Not used where switches
 * are recorded: they hold the same time already.
 */
void lode_builder_offcpu(struct lode_builder *builder, const struct lode_sample *record);

/* Entry (nr >= 0) or exit of a system call: refines wait reasons. `name` may be NULL. */
void lode_builder_syscall_enter(struct lode_builder *builder, int64_t t_ns, int32_t tid, int64_t nr,
				const char *name);
void lode_builder_syscall_exit(struct lode_builder *builder, int64_t t_ns, int32_t tid);

/* A send, a receive, or which ends a socket has. Stacks and states of threads do not change. */
void lode_builder_socket(struct lode_builder *builder, const struct lode_socket_record *record);

/* The thread sends a request to a disk: what it waits for next may be that. */
void lode_builder_disk_request(struct lode_builder *builder, int64_t t_ns, int32_t tid);

/*
 * The recorder dropped records before `t_ns` (cpu UINT32_MAX: of any CPU): what was known of who
 * runs there may be stale, so a mismatch is repaired without counting a contradiction. The lost
 * events themselves are the source's to count in the stream's losses.
 */
void lode_builder_lost(struct lode_builder *builder, int64_t t_ns, uint32_t cpu);

/* What is read of the recording, its ends as times; from the first record on. */
void lode_builder_window(const struct lode_builder *builder, struct lode_narrow *out);

/*
 * To be called before the first record if the source knows whether switches come. Without it,
 * samples are held back until the first switch, or to the end: right, but more memory.
 */
void lode_builder_expect_switches(struct lode_builder *builder, bool has_switches);

/* Samples up to here cost nothing: they were of another counter. For sources that do not know
   whether switches come. */
void lode_builder_drop_weights(struct lode_builder *builder);

/* Any other record with a time: widens the stream's span. */
void lode_builder_time(struct lode_builder *builder, int64_t t_ns);

/*
 * Closes what is open, replaces raw stacks by nodes of the tree (`node_of_raw[raw]`, n_raw entries,
 * entry 0 is 0; afterwards without tracers, finish.h), decides wait reasons and devices from the
 * frames, and hands the stream over. Frees the builder.
 */
struct lode_stream *lode_builder_finish(struct lode_builder *builder, uint32_t *node_of_raw,
					size_t n_raw);
