/*
 * Quality: what a recording can be trusted with, and how to record it better.
 *
 * Most wrong answers of tracing tools begin at recording. This measures one stream's flaws, each as
 * a share of the cost that stands on it, decides which analyses the stream can serve, and gives the
 * `lode record` line that would avoid it.
 */
#pragma once

#include "model/stream.h"
#include "model/subject.h"

/*
 * Stack dumps in place of call chains: how many bytes a second they would be, and whether perf can
 * be expected to write them.
 *
 *   events with a stack, per second  x  the size of a dump   against   64 MiB/s for each CPU
 */

/* A stack dump, when they are asked for: more than perf's own 8 KiB, which cut many stacks. */
enum { LODE_DUMP_BYTES = 32 << 10 };

/* Bytes of dumps that perf may be asked to write in a second, of each CPU: twice what its own
   defaults take of a busy one (4,000 Hz, 8 KiB). */
enum { LODE_MOST_DUMP_BYTES = 64 << 20 };

/* Events of a recording that dumps would be taken of, in a second: all with a stack, but wakings;
   and those that perf dropped. */
double lode_dump_rate(const struct lode_stream *stream);

/* Bytes of their dumps, and what perf writes without loss (0 CPUs: not known, then all). */
double lode_dump_bytes_per_s(double events_per_s);
bool lode_dumps_fit(double events_per_s, uint32_t n_cpus);

enum lode_service {
	LODE_SERVICE_YES,
	LODE_SERVICE_PARTLY,
	LODE_SERVICE_NO,
};

enum lode_analysis {
	LODE_ANALYSIS_MINE,
	LODE_ANALYSIS_SUSPECTS,
	LODE_ANALYSIS_TIMELINE,
	LODE_ANALYSIS_PIO, /* slow periods of a service as its symptoms */
	LODE_N_ANALYSES,
};

/* What an analysis can do with the stream; `reason` says why not more, "" for yes. */
struct lode_serves {
	enum lode_service service;
	const char *reason;
};

/* A part of a cost. */
struct lode_part {
	int64_t part_ns, whole_ns;
};

struct lode_advice {
	const char *text;     /* what is wrong and what it does to results */
	bool needs_recording; /* `record_line` avoids it */
};

/* Flaws of a set of threads. Events that carry a stack, by what is wrong with it. */
struct lode_flaws {
	int64_t kind_ns[LODE_N_EVENT_KINDS];
	struct lode_part no_stack; /* of all events: no callchain at all */
	struct lode_part unrooted; /* of events with a stack: does not reach its entry */
	/* The caller of the innermost user function is missing, as that keeps no frame pointer. */
	struct lode_part skips_caller;
	struct lode_part truncated;    /* as deep as the recorder allows, or cut by it */
	struct lode_part kernel_only;  /* of user threads' events: no user frame in the stack */
	struct lode_part unknown;      /* a frame without a symbol */
	struct lode_part leaf_unknown; /* the innermost frame has no symbol */
	struct lode_part no_waker;     /* of waiting time: the waking was not recorded */
	struct lode_part inferred;     /* of all: one end of the event was worked out */
	struct lode_part unsampled;    /* of running time: no sample fell into it */
};

struct lode_quality {
	enum lode_subject subject;
	bool is_cpu_only;
	uint64_t n_threads, n_command_threads, n_events;
	struct lode_flaws machine; /* of all threads */
	/* Of the recorded command's threads alone: the rest of a machine is often in a bad state,
	   and matters little. Equal to `machine` where the subject is all threads. */
	struct lode_flaws command;
	bool has_command;
	/* Of the command's events: whose innermost frame, or innermost frame of a program, has no
	   symbol, or that of the waker's stack. Deeper ones cost an answer little. Most of it is
	   in `unnamed_module`; NULL: none. */
	struct lode_part unnamed;
	const char *unnamed_module;
	/* Where most callers are missing: "libc.so.6", "write". NULL: none is. */
	const char *skipping_module, *skipping_function;
	/* Where most stacks end that do not reach a thread's entry; NULL: all do. */
	const char *unrooted_module;

	struct lode_serves serves[LODE_N_ANALYSES];
	LODE_VEC(struct lode_advice) advice; /* what spoils most first */
	const char *record_line;	     /* one command that avoids all of it; NULL: no need */
	struct lode_arena arena;
};

/* Measures `stream`. `{ 0 }` is an empty quality; release it in any case. O(events). */
void lode_quality_assess(struct lode_quality *out, const struct lode_stream *stream);
void lode_quality_release(struct lode_quality *quality);

/* 0..100; 0 of nothing is 0. */
double lode_part_pct(struct lode_part part);

const char *lode_service_name(enum lode_service service);    /* "yes", "partly", "no" */
const char *lode_analysis_name(enum lode_analysis analysis); /* "mine", ... */
