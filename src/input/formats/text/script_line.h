/*
 * One line of `perf script` text (docs/formats/perf-script.md). Pure functions on text: results
 * point into the line, which is not changed.
 *
 *   pluginhost 17197/17197 [001] K  1869.769326781:  1001001  cpu-clock:  <payload>
 *   comm       pid/tid     cpu  misc  time           period   event
 *   <tab>  ffffffff821facd8 schedule+0x28 ([kernel.kallsyms])
 *          address          symbol+offset (dso)
 */
#pragma once

#include <stdint.h>

#include "base/slice.h"

struct lode_script_sample {
	struct lode_slice comm; /* may hold spaces and brackets; empty when not printed */
	int32_t pid, tid;	/* pid -1: not printed; tid -1: the thread was exiting */
	uint32_t cpu;		/* UINT32_MAX: not printed */
	int64_t t_ns;		/* 0: not printed */
	bool has_period;
	uint64_t period;
	struct lode_slice event;   /* "sched:sched_switch"; empty when not printed */
	struct lode_slice payload; /* what follows */
};

/* False if the line does not start a sample: it needs tid and time, or comm, tid and event alone.
 */
bool lode_script_parse_sample(struct lode_script_sample *out, const char *line, size_t len);

struct lode_script_frame {
	uint64_t address;
	struct lode_slice function; /* without its offset and version; empty when unknown */
	struct lode_slice module;   /* base name; empty when not printed */
	bool is_kernel;
	bool is_inlined; /* its module is that of the frame that follows */
};

/* False if the line is not one frame of a callchain. */
bool lode_script_parse_frame(struct lode_script_frame *out, const char *line, size_t len);

/* "  read.c:12" or "  libc.so.6[ee137]", of -F +srcline; `line` ends with a NUL. */
bool lode_script_is_source_line(const char *line, size_t len);

/* ---- Records that are no samples ---- */

struct lode_script_record {
	enum lode_script_record_kind {
		LODE_SCRIPT_RECORD_COMM, /* "PERF_RECORD_COMM exec: name:12/12" */
		LODE_SCRIPT_RECORD_FORK, /* "PERF_RECORD_FORK(12:13):(1:1)" */
		LODE_SCRIPT_RECORD_EXIT, /* "PERF_RECORD_EXIT(12:13):(1:1)" */
		LODE_SCRIPT_RECORD_LOST, /* "PERF_RECORD_LOST lost 5" */
	} kind;
	int32_t pid, tid, parent_pid, parent_tid;
	struct lode_slice comm;
	bool is_exec;
	uint64_t n_lost;
};

/* Where a payload would stand. False for all other records. */
bool lode_script_parse_record(struct lode_script_record *out, struct lode_slice text);

/* ---- Payloads of tracepoints ---- */

/* The number behind `key` ("pid="), false if there is none. */
bool lode_script_number(struct lode_slice payload, const char *key, int64_t *out);

struct lode_script_switch {
	struct lode_slice prev_comm, next_comm;
	int32_t prev_pid, next_pid;
	struct lode_slice prev_state;
};
/* Both forms: "prev_comm=.. prev_pid=.. ==> next_comm=.." and libtraceevent's plugin's
   "comm:pid [prio] S ==> comm:pid [prio]". */
bool lode_script_parse_switch(struct lode_script_switch *out, struct lode_slice payload);

struct lode_script_waking {
	struct lode_slice comm;
	int32_t pid;
};
/* "comm=.. pid=.. prio=.. target_cpu=.." or "comm:pid [prio] ...". */
bool lode_script_parse_waking(struct lode_script_waking *out, struct lode_slice payload);
