/*
 * The common part of a cluster in short: the frames that tell most, one line per thread.
 *
 *   session_restore › session_state_get › pthread_mutex_lock
 *   → ph-store   store_checkpoint › journal_append
 *   → ph-journal journal_flush_segment › fsync
 *
 * "›" joins frames that stand side by side in the common part, "…" stands for frames left out. The
 * last thread's may go on with "… fdatasync (75 %)": where most of the cost goes on, but not all.
 * Or the line goes on in other threads: "→ ph-journal  journal_flush_segment › fsync (75 %)". Or it
 * ends in the branches that no other has half of: "scrub_personal_data 49 %, write 31 %".
 */
#pragma once

#include "answers/clusters/headline_forks.h"

enum { LODE_COMMON_LINE = 1024 }; /* bytes of one line at most */

/* Frames that lines are made of; everything is borrowed, and may be NULL but for the frames. */
struct lode_line_frames {
	const char *who;	/* name of the first thread */
	const uint32_t *frames; /* root first; links stand between threads */
	const bool *gap_before; /* per frame: others are left out before it */
	const double *rarity;	/* per frame: how much of all else does without it, 0 to 1; NULL: by
				   the digest's name statistics */
	uint32_t name;		/* of a problem: it comes first of what tells; LODE_NONE: none */
	size_t n;
	const uint32_t *branch; /* where most of the cost goes on behind them; NULL: nowhere */
	size_t n_branch;
	double branch_share; /* how much of it */
	size_t n_more; /* of the frames, at their end: threads that only more_share of it has */
	double more_share;
	const struct lode_hop_name *hop_names; /* of links that several threads are at */
	size_t n_hop_names;
	const struct lode_headline_fork *forks; /* where the cost goes on in several ways */
	size_t n_forks;
};

/*
 * Writes up to `max_lines` lines into `buffer`, separated by line feeds, escaped: the first of at
 * most `columns` columns, the others of `more_columns`. With more threads than lines, those in the
 * middle have their names in one line: the first (the symptom's) and the last (the root) tell most.
 */
const char *lode_common_part_short(char *buffer, size_t size, const struct lode_digest *digest,
				   const struct lode_line_frames *line, size_t columns,
				   size_t more_columns, size_t max_lines);

/* The functions of one thread that tell most, in their order. */
enum { LODE_LINE_HOP_FRAMES = 6, LODE_LINE_HOPS = 32 };
struct lode_line_hop {
	const char *name; /* of the thread, without "→" */
	size_t n;
	uint32_t link; /* frame "→ comm"; LODE_NONE: the first thread */
	uint32_t frames[LODE_LINE_HOP_FRAMES];
	bool is_more; /* a thread that only line->more_share of the cost has */
};
/* The same without a bound of columns, a hop per thread, up to LODE_LINE_HOPS; gives how many. */
size_t lode_line_hops(struct lode_line_hop *out, const struct lode_digest *digest,
		      const struct lode_line_frames *line);

/* The functions that tell most of where most of the cost goes on: the program's own one, and what
   all comes to, such as fsync; gives how many. */
enum { LODE_LINE_BRANCH_FRAMES = 2 };
size_t lode_line_branch(uint32_t *out, const struct lode_digest *digest,
			const struct lode_line_frames *line);

/* The program's own function that tells most among these frames; LODE_NONE when there is none. */
uint32_t lode_telling_frame(const struct lode_digest *digest, const uint32_t *frames, size_t n);

/* A function of a program, or a public one of the C library, that not every program passes
   through. */
bool lode_is_telling(const struct lode_digest *digest, uint32_t frame);

/* A function's name for one line: arguments and templates of C++ names folded, escaped. */
const char *lode_short_label(char *buffer, size_t size, const struct lode_calltree *tree,
			     uint32_t frame);
