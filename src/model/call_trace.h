/*
 * All calls of a function trace, small enough to keep fifty million of them, and quick to sum up
 * at any width: what RegTime, queries and the index file work on.
 *
 *   thread    calls 0 1 2 3 ...               in order of their start, callers before callees
 *   spans     level 0   |----|----|----|----|----|   blocks of 2^block_bits calls
 *             level 1   |-------------------|----    each spans LODE_CALL_FAN_OUT of level 0
 *             level 2   |-----------------------     ... until one spans the thread
 *
 * A span keeps what lets a reader pass over it: its longest call, its outermost calls' times and,
 * where that is much shorter than the calls, these summed by stack. A block's calls are packed
 * (call_block.h), and read one block at a time (call_cursor.h).
 *
 * A trace is made from events by call_intake.h, or read from an index (store/timeline_file.h), and
 * constant from then on: share it freely. Of an index, a thread's spans and stacks are read when
 * they are first needed; cursors see to that.
 */
#pragma once

#include <stdatomic.h>

#include "model/call_stacks.h"
#include "model/frame.h"
#include "model/loss.h"
#include "base/error.h"

/*
 * Where the bytes of a trace's calls are: in memory up to a bound, behind it in a file without a
 * name, or in an index on disk. Pieces are written once and read by their place.
 *
 *   trace    struct lode_call_store     one: the bound, the file
 *   thread   struct lode_call_pieces    one writer each; a thread's pieces lie in order
 */

/* `{ 0 }` keeps everything in memory. */
struct lode_call_store {
	size_t memory_bytes;	    /* bound of what is kept in memory; 0: none */
	atomic_size_t in_memory;    /* taken of it */
	atomic_llong file_bytes;    /* written to the file */
	_Atomic(int) file;	    /* descriptor + 1; 0: none yet. Of an index: its own */
	_Atomic(const char *) path; /* of an index, for messages; borrowed */
};

/* A piece: `at` is chunk << 32 | offset for what was written here, an offset in the file for an
 * index. */
struct lode_call_piece {
	uint64_t at;
	uint32_t size, check; /* of its bytes: lode_call_check */
};

/* A checksum, eight bytes at a time (docs/formats/lodet.md). */
uint32_t lode_call_check(const uint8_t *data, size_t size);

struct lode_call_chunk {
	uint8_t *memory;     /* NULL: in the file */
	int64_t file_offset; /* there */
	uint32_t size, used;
};

/* `{ 0 }` is empty; `is_index` says that pieces are offsets in the store's file. */
struct lode_call_pieces {
	LODE_VEC(struct lode_call_chunk) chunks;
	bool is_index;
};

/* `store` gets its memory back; NULL if it goes too. */
void lode_call_pieces_release(struct lode_call_pieces *pieces, struct lode_call_store *store);

/* No more pieces come: what of the last chunk is not filled goes back. */
void lode_call_pieces_end(struct lode_call_pieces *pieces, struct lode_call_store *store);
int lode_call_pieces_append(struct lode_call_piece *out, struct lode_call_pieces *pieces,
			    struct lode_call_store *store, const uint8_t *data, size_t size,
			    struct lode_error *err);

/* The bytes of a piece: in place, or read into `buffer`, which grows. Thread-safe once written. */
typedef LODE_VEC(uint8_t) lode_call_buffer;
int lode_call_pieces_read(const uint8_t **out, const struct lode_call_pieces *pieces,
			  struct lode_call_store *store, struct lode_call_piece piece,
			  lode_call_buffer *buffer, struct lode_error *err);

enum {
	/* A block is what has to be unpacked to look at one call. Tests make them small. */
	LODE_CALL_BLOCK_BITS = 11,
	LODE_CALL_BLOCK_BITS_MAX = 16,
	LODE_CALL_FAN_OUT = 8,
};

/* LIMIT: times are within +-2^61 ns (73 years), so that differences are always right. An event
 * outside of that is dropped and counted. */
#define LODE_CALL_TIME_MAX ((int64_t)1 << 61)
/* What was repaired so that every call has a start and an end (docs/timeline.md), in events. */
enum lode_call_repair {
	LODE_REPAIR_EXIT_ALONE,	 /* exits without entry: dropped */
	LODE_REPAIR_NO_EXIT,	 /* entries whose caller was left first: end with the caller */
	LODE_REPAIR_CUT_AT_LOSS, /* open where events were lost: end at the last event before */
	LODE_REPAIR_CUT_AT_END,	 /* open at the thread's end: end at its last event */
	LODE_REPAIR_BACKWARDS,	 /* earlier than the event before: moved up to its time */
	LODE_REPAIR_DUPLICATE,	 /* said before, in the same order: dropped */
	LODE_REPAIR_BAD_TIME,	 /* beyond LODE_CALL_TIME_MAX: dropped */
	LODE_N_REPAIRS,
};

/* "exits without entry, dropped" */
const char *lode_call_repair_words(enum lode_call_repair repair);

struct lode_call {
	int64_t start_ns, duration_ns;
	uint32_t stack;
};

/* A call that was still open when its block was full. They chain to their callers: from the one
   that is innermost at a block's beginning, all that are open there can be walked. */
struct lode_call_late {
	struct lode_call call;
	uint32_t caller; /* late call, or LODE_NONE */
	uint32_t index;	 /* in its block */
};

/* A run of calls: a block (level 0), or several spans of the level below. */
struct lode_call_span {
	int64_t first_ns;	 /* start of its first call */
	int64_t max_duration_ns; /* longest call that begins in it */
	/* Of the outermost calls that begin in it, all of one depth and one caller: */
	int64_t max_gap_ns; /* longest time from the end of the one before; -1: none */
	int64_t top_start_ns, top_end_ns; /* the last one's */
	uint64_t first_call;		  /* index in the thread */
	uint64_t n_calls;
	uint32_t min_depth;
	struct lode_call_piece sums; /* its calls by stack (call_block.h); size 0: not kept */
	/* Of level 0 only: */
	/* Its longest call that is not late (duration -1: all are late), and the second one's
	   duration: one long call among short ones is found without unpacking. */
	struct lode_call longest;
	int64_t second_ns;
	uint32_t longest_index; /* in the block */
	struct lode_call_piece calls;
	uint32_t open;		     /* late call that is innermost when it begins, or LODE_NONE */
	uint32_t first_late, n_late; /* its own late calls */
};

typedef LODE_VEC(struct lode_call_span) lode_call_level;

/* What of a thread may not be here yet. */
enum lode_call_part {
	LODE_CALL_SPANS = 1,  /* levels, late calls */
	LODE_CALL_STACKS = 2, /* stacks */
	LODE_CALL_ALL = LODE_CALL_SPANS | LODE_CALL_STACKS,
};

struct lode_call_thread {
	int32_t pid, tid;
	uint32_t name; /* string of the trace's functions, or LODE_NONE */
	uint64_t n_calls, n_events;
	uint64_t n_cut; /* calls below shared stacks (call_stacks.h); told as a loss of the trace */
	/* From the first call's start to the last end: RegTime's "thread's total time". */
	int64_t first_ns, last_ns;
	uint32_t max_depth; /* functions on its deepest stack */
	uint32_t n_stacks;  /* number 0 included */
	uint64_t *repairs;  /* LODE_N_REPAIRS; NULL: none. Read by lode_call_repairs. */
	struct lode_call_pieces pieces;
	unsigned block_bits; /* all blocks but the last have 2^block_bits calls */
	uint32_t index;	     /* of an index: in it */
	uint32_t clock;	     /* of the trace's: call_clocks.h */
	atomic_uint parts;   /* of enum lode_call_part: what of the following is here */
	struct lode_call_stacks stacks;
	unsigned n_levels; /* 0: no calls */
	lode_call_level *levels;
	LODE_VEC(struct lode_call_late) late;
};

/* How long the calls of one function take, over all threads. Exact: no estimates. */
struct lode_call_spread {
	uint64_t n, total_ns;
	int64_t min_ns, median_ns, p99_ns, max_ns; /* nearest rank: median of 4 is the 2nd */
};

/*
 * What cursors leave behind for the next ones: their decompressors, since making one takes as long
 * as unpacking many blocks; and, where blocks are kept, the block they had unpacked.
 */
enum { LODE_CALL_SPARES = 16, LODE_CALL_KEPT_BLOCKS = 128 };

struct lode_call_kept {
	const struct lode_call_thread *thread;
	size_t block;
	LODE_VEC(struct lode_call) calls;
};

struct lode_call_spares {
	_Atomic(void *) decompressors[LODE_CALL_SPARES];
	/* For questions that come back to the same blocks. A walk over all calls is faster
	   without. Set while no other thread reads. */
	bool keeps_blocks;
	_Atomic(struct lode_call_kept *) blocks[LODE_CALL_KEPT_BLOCKS];
};

struct lode_call_trace;

/* Brings what is not here, on any of our threads; freed with the trace. */
struct lode_call_loader {
	int (*load)(struct lode_call_loader *loader, struct lode_call_trace *trace,
		    struct lode_call_thread *thread, unsigned parts, struct lode_error *err);
	void (*free)(struct lode_call_loader *loader);
};

/* Threads whose times can be compared (call_clocks.h). */
struct lode_call_clock {
	int64_t offset_ns; /* what was recorded is so much later than a time here */
	int64_t last_ns;   /* of its threads; all clocks begin with the trace */
	size_t n_threads;
	uint64_t n_calls;
};

struct lode_call_trace {
	const char *path; /* borrowed */
	char *source;	  /* name of the trace's own file, also where this comes from an index */
	char *format, *command, *host;
	double ticks_per_ns;
	struct lode_calltree functions; /* its frames: a function is a frame id */
	/* By (pid, tid). Pointers stay where they are. */
	LODE_VEC(struct lode_call_thread *) threads;
	LODE_VEC(struct lode_call_clock) clocks;   /* nearly always one */
	LODE_VEC(struct lode_call_spread) spreads; /* by function */
	size_t n_left_out; /* threads that lode_call_trace_keep_threads took away */
	struct lode_losses losses;
	uint64_t repairs[LODE_N_REPAIRS]; /* of all threads */
	int64_t first_ns, last_ns;	  /* of the clock that lasts longest, last_ns */
	uint64_t n_calls, n_events;
	struct lode_call_store store;
	struct lode_call_spares spares;
	struct lode_call_loader *loader; /* of an index; NULL: all is here */
};

/* Keeps blocks that were unpacked (6 MB at most), until switched off. Not while another thread
 * reads. */
void lode_call_trace_keep_blocks(struct lode_call_trace *trace, bool is_kept);

struct lode_call_trace *lode_call_trace_new(void);
void lode_call_trace_free(struct lode_call_trace *trace);

/* Leaves only the `n` threads with the most calls, of equal ones the first. What is known of the
   trace as a whole stays as it is. Not while another thread reads. */
void lode_call_trace_keep_threads(struct lode_call_trace *trace, size_t n);

struct lode_call_thread *lode_call_thread_new(int32_t pid, int32_t tid, unsigned block_bits);
void lode_call_thread_free(struct lode_call_thread *thread);
/* An empty one above the others. */
void lode_call_thread_add_level(struct lode_call_thread *thread);
void lode_call_thread_forget_levels(struct lode_call_thread *thread);
/* Adds to one of the thread's repairs. */
void lode_call_repaired(struct lode_call_thread *thread, enum lode_call_repair repair, uint64_t n);

static inline uint64_t lode_call_repairs(const struct lode_call_thread *thread,
					 enum lode_call_repair repair)
{
	return thread->repairs ? thread->repairs[repair] : 0;
}

/* Must be called before a thread's levels, late calls or stacks are looked at. Cursors do. */
static inline int lode_call_thread_need(struct lode_call_trace *trace,
					const struct lode_call_thread *thread, unsigned parts,
					struct lode_error *err)
{
	if ((atomic_load_explicit(&thread->parts, memory_order_acquire) & parts) == parts)
		return LODE_OK;
	/* Threads are the trace's, which is not constant here. */
	return trace->loader->load(trace->loader, trace, (struct lode_call_thread *)thread, parts,
				   err);
}

/* A thread's blocks; none where it has no calls, or could not be read. */
static inline lode_call_level lode_call_blocks(const struct lode_call_thread *thread)
{
	return thread->n_levels ? thread->levels[0] : (lode_call_level){0};
}

/* The span at the top, of all the thread's calls; NULL without calls. */
static inline const struct lode_call_span *
lode_call_thread_top(const struct lode_call_thread *thread)
{
	return thread->n_levels ? thread->levels[thread->n_levels - 1].at : NULL;
}

static inline uint32_t lode_call_function(const struct lode_call_thread *thread, uint32_t stack)
{
	return thread->stacks.at.at[stack].function;
}

/* Callers a call has. */
static inline uint32_t lode_call_depth(const struct lode_call_thread *thread, uint32_t stack)
{
	return thread->stacks.at.at[stack].n_functions - 1;
}

static inline int64_t lode_call_end(const struct lode_call *call)
{
	return call->start_ns + call->duration_ns;
}

/* A time of a thread as it was recorded. */
static inline int64_t lode_call_recorded_ns(const struct lode_call_trace *trace,
					    const struct lode_call_thread *thread, int64_t t_ns)
{
	return trace->clocks.n ? t_ns + trace->clocks.at[thread->clock].offset_ns : t_ns;
}

/* "worker", or "" if not known. */
static inline const char *lode_call_thread_name(const struct lode_call_trace *trace,
						const struct lode_call_thread *thread)
{
	return thread->name == LODE_NONE ? "" : trace->functions.strings.text.at[thread->name];
}
