/*
 * Executions: each call of a metric with its stack and value (docs/suspects.md).
 *
 *   syscall:statx   t1 |---- 41 us ----| main > print_dir > gobble_file > do_lstat > statx
 *   block:device    t2 |------------- 3.1 ms -------------| ...
 *
 * An execution belongs to the stack of the event that started it. A set holds those of any number
 * of streams, in one call tree. Its memory does not grow with their number: they are kept as
 * fixed-size records in order of their ends, in memory up to a bound and behind it in a temporary
 * file without a name. Labels need the mean and σ of all of them, which are known at the end only:
 * reading the records again costs a few ns each, reading the recordings again would cost hundreds.
 *
 *   set = lode_execution_set_new(memory_bytes);
 *   metric = lode_execution_set_metric(set, "syscall:statx");
 *   per stream: lode_execution_set_begin(set, path);
 *               lode_execution_set_append(set, &execution);    stack: any id of the source's own
 *               lode_execution_set_end(set, node_of_raw, n_raw)  ids become nodes of the set's tree
 *   lode_execution_set_each(set, take, context, &err);
 */
#pragma once

#include "base/error.h"
#include "model/frame.h"

/* What could not be measured of a metric: counted, and shown. */
enum lode_execution_loss {
	LODE_EXECUTION_NO_START,   /* an end whose start was before the recording, or lost */
	LODE_EXECUTION_NO_END,	   /* a start whose end was after the recording, or lost */
	LODE_EXECUTION_MISMATCHED, /* an end of something else than what was open: both left out */
	LODE_EXECUTION_DIED,	   /* the thread ended inside */
	LODE_EXECUTION_DOUBTFUL,   /* left out: the recorder dropped events of its CPU meanwhile, so
				      that its end may be that of a later one */
	LODE_EXECUTION_UNROOTED,   /* measured, but its stack does not reach a thread's entry */
	LODE_EXECUTION_NO_STACK,   /* measured, but its start has no stack at all */
	LODE_N_EXECUTION_LOSSES,
};

struct lode_metric {
	const char *name; /* "kind:what"; escaped where it is shown */
	const char *unit; /* "ns", or what a queue's length counts */
	uint64_t losses[LODE_N_EXECUTION_LOSSES];
};

struct lode_execution {
	int64_t start_ns, value; /* value: ns, or in the metric's unit; not negative */
	uint32_t metric;	 /* index into metrics */
	uint32_t stack;		 /* node of the set's tree; its frame is the innermost function */
	uint32_t stream;	 /* index into streams */
	int32_t tid;
};

struct lode_execution_set {
	struct lode_calltree tree;
	LODE_VEC(struct lode_metric) metrics;
	LODE_VEC(const char *) streams; /* paths */
	uint64_t n;
	/* The rest is execution_set.c's own. */
	struct lode_execution_log *log;
	struct lode_map metric_index;
	struct lode_arena arena;
};

/* `memory_bytes`: how much of the records stays in memory. */
struct lode_execution_set *lode_execution_set_new(size_t memory_bytes);
void lode_execution_set_free(struct lode_execution_set *set);

/* The metric of that name, made on first sight; `unit` is a static string. */
uint32_t lode_execution_set_metric(struct lode_execution_set *set, const char *name,
				   const char *unit);

/* The next stream's executions begin. */
void lode_execution_set_begin(struct lode_execution_set *set, const char *path);
/* `stream` is filled in; `stack` is an id of the stream's own until its end. Fails on a full disk.
 */
int lode_execution_set_append(struct lode_execution_set *set,
			      const struct lode_execution *execution, struct lode_error *err);
/* node_of_raw[raw] is the node in set->tree of the stream's own id `raw`. */
void lode_execution_set_end(struct lode_execution_set *set, const uint32_t *node_of_raw,
			    size_t n_raw);

/* All executions in the order in which they were appended, in batches. */
int lode_execution_set_each(struct lode_execution_set *set,
			    void (*take)(void *context, const struct lode_execution *at, size_t n),
			    void *context, struct lode_error *err);
