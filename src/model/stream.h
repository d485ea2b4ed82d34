/*
 * A stream: one recorded trace in the model's terms. Immutable once its source has built it.
 *
 *   thread 7  |run|~~~~~ wait ~~~~~|ready|run|run|~~ wait ~~|      time -->
 *
 * Each thread has its events in time order. Where context switches were recorded
 * (`has_switches`), running, waiting and ready events tile the thread's life without gap or
 * overlap. Otherwise events are weighted samples: `cost_ns` is right, spans may overlap.
 *
 * Times are ns on the stream's own clock (int64_t). Thread ids here are indices into `threads`;
 * tids of the kernel are in struct lode_thread.
 */
#pragma once

#include <lode/event.h>

#include "model/frame.h"
#include "model/loss.h"

typedef uint32_t lode_thread_id; /* index into lode_stream.threads; LODE_NONE: not known */

#define LODE_IDLE (LODE_NONE - 1) /* the idle thread of any CPU: it has no events */

/* Columns of one thread's events, n each. */
struct lode_events {
	size_t n, capacity;
	int64_t *start_ns;
	int64_t *cost_ns; /* length, or the weight of a sample */
	uint32_t *stack; /* node of the stream's call tree; waiting and ready: where it left the CPU
			  */
	uint32_t *other; /* waiting: thread that woke it (LODE_NONE: device or unknown);
			    ready: thread that ran on its CPU instead */
	uint32_t *other_stack; /* waiting: the waker's stack at the waking, 0 if none */
	uint8_t *kind;	       /* enum lode_event_kind */
	uint8_t *reason;       /* enum lode_wait_reason */
	uint8_t *device;       /* enum lode_device */
	uint8_t *flags;	       /* enum lode_event_flag */
	uint16_t *cpu;	       /* running: where; else the CPU it left; UINT16_MAX unknown */
};

struct lode_thread {
	int32_t pid, tid;
	uint32_t comm;		  /* string id in the stream's tree: the last name it had */
	uint32_t title;		  /* what tells its process apart, a string id; 0: its comm does */
	lode_thread_id parent;	  /* who created it; LODE_NONE unknown */
	int64_t born_ns, died_ns; /* INT64_MIN / INT64_MAX when outside the recording; no event
				     ends after died_ns where switches were recorded */
	int64_t exec_ns;	  /* its last exec; INT64_MIN when outside the recording */
	bool is_command;	  /* belongs to the recorded command (or its descendants) */
	bool is_kernel;		  /* a kernel thread */
	bool is_recorder;	  /* of perf or lode, which made the recording (tracers.h) */
	struct lode_events events;
};

struct lode_connections; /* model/connections.h */

/* Who ran on a CPU from `start_ns` to the next one's: a thread, LODE_IDLE, or LODE_NONE, not known.
 */
struct lode_cpu_run {
	int64_t start_ns;
	lode_thread_id thread;
};

struct lode_cpu {
	LODE_VEC(struct lode_cpu_run) runs; /* in time order, the last one not known */
};

/* How often each kind of event was in the recording, by its name there. */
struct lode_event_count {
	const char *name; /* borrowed from the stream's strings */
	uint64_t n;
	uint64_t period;    /* fixed period, 0 when sampled by frequency */
	uint64_t frequency; /* Hz, 0 when period is fixed */
	bool is_tracepoint;
	bool has_callchain;
	bool has_dump; /* of the user stack, in place of its part of the chain */
};

/* What the recording says of one module (file or kernel) that stacks pass through. */
struct lode_module_quality {
	const char *name;
	char build_id[41];    /* hex, empty when unknown */
	const char *symbols;  /* where symbols came from, or why there are none */
	const char *stripped; /* its file, if it was stripped and is the recorded one; NULL */
	uint64_t n_frames, n_unknown; /* distinct addresses seen; without a symbol */
	int64_t cost_ns, unknown_ns;  /* cost of events with a frame in it; with an unknown one */
};

/* A file of code that stacks pass through; several may share a module's name. */
struct lode_code_file {
	const char *module, *path; /* path: as recorded */
	char build_id[41];	   /* hex, as recorded; "" when unknown */
	uint64_t inode;		   /* 0: unknown */
};

struct lode_stream {
	const char *path;   /* as given; strings live in `tree.strings` or `arena` */
	const char *format; /* "perf.data", "perf script", "folded" */
	const char *unit;   /* of costs: "ns", or what a folded file counts */
	const char *host, *kernel, *command, *arch; /* "" when unknown */
	uint32_t n_cpus;
	int64_t t0_ns, t1_ns;	/* first and last time seen */
	bool has_wall_clock;	/* the recording says which time of day its times are */
	int64_t wall_offset_ns; /* what to add to them for ns since the epoch (UTC) */
	uint64_t n_samples;	/* sample records in the file */
	uint64_t content_hash;	/* stable hash of the recording's identity */
	int64_t content_bytes;	/* size of the recording, uncompressed, as far as it was read */
	bool has_switches, has_wakings, has_samples, has_callchains, has_syscalls;
	bool is_attached;      /* is_command: of processes that ran already, and were named to be
				  recorded */
	bool gave_up_dumps;    /* of stacks: they were begun, and there were too many */
	bool is_command_asked; /* the recorder was asked what it does: `lode record COMMAND` */
	bool is_one_cpu; /* one CPU's running events alone were read (--cpu): gaps are not waits */
	bool is_part;	 /* only [part_t0_ns, part_t1_ns) was read (--time) */
	int64_t part_t0_ns, part_t1_ns;
	int64_t dumps_ns; /* since when switches come with dumps, in place of chains; 0: never */

	struct lode_calltree tree;
	uint8_t *stack_flags; /* per node: enum lode_stack_flag */
	size_t n_stack_flags;
	/* Per node, where one function is kept apart by address: the first stack that differs in
	   these alone; NULL: all stacks are as they are. */
	uint32_t *stack_like;
	LODE_VEC(struct lode_thread) threads; /* in order of first sight */
	struct lode_map thread_index;	      /* tid -> its latest thread */
	LODE_VEC(struct lode_cpu) cpus;	      /* by number; empty without switches */
	LODE_VEC(struct lode_event_count) event_counts;
	LODE_VEC(struct lode_module_quality) modules;
	LODE_VEC(struct lode_code_file) code_files;
	struct lode_losses losses;
	struct lode_connections *connections; /* NULL: sends and receives were not recorded */
	struct lode_arena arena;
};

enum lode_stack_flag {
	LODE_STACK_TRUNCATED = 1, /* as deep as the recorder allows, or cut by it */
	LODE_STACK_UNROOTED = 2,  /* does not reach the thread's entry function */
	LODE_STACK_USER = 4,	  /* has user space frames */
	/* Lacks the caller of its innermost user function, which keeps no frame pointer. */
	LODE_STACK_SKIPS_CALLER = 8,
};

void lode_stream_free(struct lode_stream *stream);

/* Appends an event to a thread's columns and gives its index; unset columns are zero / LODE_NONE.
 */
size_t lode_events_append(struct lode_events *events, enum lode_event_kind kind, int64_t start_ns,
			  int64_t cost_ns, uint32_t stack);
/* Room for `n_more` more events, which are counted but not yet set; the index of the first. */
size_t lode_events_extend(struct lode_events *events, size_t n_more);
void lode_events_release(struct lode_events *events);

/* Index of the first event of `events` that ends after `t_ns`; n if none. O(log n). Timeline only.
 */
size_t lode_events_find(const struct lode_events *events, int64_t t_ns);
/* The same, looking around index `near` first: O(log of the distance to it). */
size_t lode_events_find_near(const struct lode_events *events, int64_t t_ns, size_t near);

/* What a thread is called: by its title, else by its comm. */
static inline const char *lode_thread_name(const struct lode_stream *stream, lode_thread_id thread)
{
	const struct lode_thread *t = &stream->threads.at[thread];

	return stream->tree.strings.text.at[t->title ? t->title : t->comm];
}

static inline int64_t lode_event_end_ns(const struct lode_events *events, size_t i)
{
	return events->start_ns[i] + events->cost_ns[i];
}

/* Names of these (lode/event.h has one each), by number, with NULL behind the last. */
extern const char *const lode_event_kind_names[], *const lode_wait_reason_names[],
							  *const lode_device_names[];
