/*
 * One recording: its threads, what each of them did, and with which stacks.
 *
 *	struct lode_recording *recording;
 *
 *	lode_recording_open(&recording, "perf.data", NULL, &err)
 *	for each thread of lode_recording_n_threads
 *		for each event of lode_recording_n_events    run, wait or ready, in order of time
 *			lode_recording_stack                 its functions, root first
 *
 * Read are perf.data, what perf script prints, and folded stacks; plain or compressed. Where
 * context switches were recorded, a thread's events tile its life without gap or overlap; else each
 * is a sample with its weight, and spans may overlap.
 *
 * Texts live as long as the recording. A recording does not change: any number of threads may ask
 * it at once.
 */
#ifndef LODE_PUBLIC_RECORDING_H
#define LODE_PUBLIC_RECORDING_H

#include <lode/error.h>
#include <lode/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lode_recording;

/* What is 0 or NULL is as `lode mine` has it. */
struct lode_recording_options {
	const char *kallsyms;	 /* file for kernel symbols */
	const char *buildid_dir; /* perf's build-id cache; NULL: ~/.debug */
	const char *symfs;	 /* prefix of all paths of programs */
	bool want_inlined;	 /* inlined functions are frames of their own */
	unsigned n_threads;	 /* that reading may use; 0: one, the caller's (lode/memory.h) */
	size_t memory_bytes;	 /* bound of what reading may hold at once */
};

int lode_recording_open(struct lode_recording **out, const char *path,
			const struct lode_recording_options *options, struct lode_error *err);
/* NULL does nothing. */
void lode_recording_close(struct lode_recording *recording);

/* What the recording says of itself; "" where it does not. */
struct lode_recording_about {
	const char *format; /* "perf.data", "perf script", "folded" */
	const char *unit;   /* of costs: "ns", or what a folded file counts */
	const char *host, *kernel, *command;
	int64_t begin_ns, end_ns; /* on the recording's own clock */
	uint64_t n_samples;	  /* samples in the file */
	bool has_switches, has_wakings, has_stacks;
};
void lode_recording_tell(const struct lode_recording *recording,
			 struct lode_recording_about *about);

/* What the file lacks, in words: it ends early, or holds bad records. NULL: nothing. */
const char *lode_recording_lacks(const struct lode_recording *recording);

/* ---- Threads, in order of first sight ---- */

struct lode_recorded_thread {
	int32_t pid, tid;
	const char *name;	  /* the last that it had */
	int64_t born_ns, died_ns; /* INT64_MIN, INT64_MAX: outside of the recording */
	bool is_kernel;		  /* a kernel thread */
	bool is_of_command;	  /* of the recorded command, or of what it started */
};

size_t lode_recording_n_threads(const struct lode_recording *recording);
/* `thread` counts from 0, below lode_recording_n_threads. */
void lode_recording_thread(const struct lode_recording *recording, size_t thread,
			   struct lode_recorded_thread *out);

/* ---- Events of a thread, in order of time ---- */

struct lode_recorded_event {
	enum lode_event_kind kind;
	enum lode_wait_reason reason; /* of a wait */
	enum lode_device device;      /* that ended a wait */
	unsigned flags;		      /* enum lode_event_flag */
	int64_t begin_ns;
	int64_t cost;	/* length in ns, or the weight of a sample */
	uint32_t stack; /* for lode_recording_stack; 0: none. Of waits: where it left the CPU */
	int64_t other;	/* waiting: the thread that ended it; ready: that ran instead; -1: none */
	uint32_t other_stack; /* waiting: that thread's stack then */
	int cpu;	      /* -1: not known */
};

size_t lode_recording_n_events(const struct lode_recording *recording, size_t thread);
void lode_recording_event(const struct lode_recording *recording, size_t thread, size_t event,
			  struct lode_recorded_event *out);

/* ---- Stacks ---- */

enum lode_stack_frame_flag {
	LODE_STACK_FRAME_KERNEL = 1,
	LODE_STACK_FRAME_UNKNOWN = 2, /* there is no symbol: `function` is "" */
	LODE_STACK_FRAME_INLINED = 4,
};

struct lode_stack_frame {
	const char *module, *function; /* "libc.so.6", "read"; "[kernel]" */
	unsigned flags;		       /* enum lode_stack_frame_flag */
};

/*
 * The frames of a stack, root first. Gives its depth; only the first `room` frames are filled in,
 * so that 0 asks for the depth alone. Equal stacks have equal numbers.
 */
size_t lode_recording_stack(const struct lode_recording *recording, uint32_t stack,
			    struct lode_stack_frame *frames, size_t room);

#ifdef __cplusplus
}
#endif

#endif
