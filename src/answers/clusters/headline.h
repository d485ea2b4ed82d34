/*
 * The headline of a cluster: the line that people read. Whose wait it is, along the chain of whom
 * it waited for, to the culprit.
 *
 *   pluginhost  session_restore › session_state_get › pthread_mutex_lock
 *   → ph-store  store_checkpoint › journal_append
 *   → ph-journal  journal_flush_segment › fsync
 *
 * It is the common part, and what stands in its gaps and behind it in at least four fifths of the
 * cluster's own cost: one odd pattern, and the functions that mining left out of patterns, hide
 * nothing. Time ready to run without a CPU counts only where it is half of that cost or more. Made
 * of whole stacks, not of patterns.
 *
 * Threads at one place of the chain that have different names are called by their program, or "…"
 * (hop_names.h): no hop is left out where four fifths of the cost have one. But one called "…" with
 * which the line would end, without a function of a program, is.
 *
 * Where it ends before all cost does, it goes on down to what more than half of the cost has, with
 * the share of that: in the last thread, its main branch (`sqlite3VdbeHalt …
 * sqlite3PagerCommitPhaseOne … fdatasync (75 %)`), and in other threads (`→ ph-journal
 * journal_flush_segment › fsync (75 %)`). So more recordings never give a name less deep than half
 * of their cost has. Where no way has half of the cost and the last thread has no function of a
 * program, the line ends in the largest branches (headline_forks.h).
 */
#pragma once

#include "answers/clusters/cluster_who.h"
#include "answers/clusters/common_part.h"
#include "answers/clusters/hop_names.h"
#include "engine/mine/mine.h"

struct lode_headline {
	char who[LODE_WHO];	   /* name of whose wait it is, as links have it; "": of several */
	LODE_VEC(uint32_t) frames; /* root first; links stand between the threads */
	LODE_VEC(bool) gap_before; /* per frame: in most of the cost others stand before it */
	LODE_VEC(double)
	rarity;				 /* per frame: share of the cost of the rest of the area of
					    interest that does without it */
	struct lode_hop_names hop_names; /* of links among the frames */
	LODE_VEC(uint32_t) branch;	 /* the main branch, in the last thread */
	size_t n_more;	     /* of the frames, at their end: of threads that half of the cost has */
	double more_share;   /* what the last of them has; 0: there are none */
	double branch_share; /* of the cluster's cost; 0: there is none */
	struct lode_headline_fork forks[LODE_HEADLINE_FORKS]; /* without any of these */
	size_t n_forks;
};

/*
 * Frames of a gap are held by four fifths of the cost or more, each counted once in a gap; they
 * stand in the order in which they mostly follow each other. Of the functions that stacks have in
 * the last thread, behind the program's own functions that the headline has there, the deepest of
 * the program's own that more than half of the cost has is that of the main branch: what four
 * fifths of its stacks have there, up to the next link. `cluster` is one of mined->clusters.
 * O(frames of the cluster's own stacks). `*out` must be `{ 0 }`.
 */
void lode_headline_build(struct lode_headline *out, const struct lode_mined *mined,
			 const struct lode_cluster *cluster);
void lode_headline_release(struct lode_headline *headline);

/* One of several ways in which the cost goes on. */
struct lode_headline_way {
	const char *name; /* escaped */
	bool is_thread;
	double share;
};

/* A thread of the headline, with its functions that tell most. */
struct lode_headline_hop {
	const char *thread; /* as links name it; "": several, or none */
	const uint32_t *frames;
	size_t n;
	const uint32_t *branch; /* its functions in the main branch that tell most */
	size_t n_branch;
	bool is_more;	     /* the thread is in the main branch alone: it has no other frames */
	double branch_share; /* NaN: there is none */
	const struct lode_headline_way *forks; /* the last thread's, where no way has half */
	size_t n_forks;
	bool is_kernel_thread; /* it does what others asked for */
};
/* All of them, the waiting thread first, in the arena; gives how many. */
size_t lode_headline_hops(struct lode_headline_hop **out, const struct lode_mined *mined,
			  const struct lode_cluster *cluster, struct lode_arena *arena);

/* The lines of a headline, as lode_common_part_short writes them. */
const char *lode_headline_text(char *buffer, size_t size, const struct lode_mined *mined,
			       const struct lode_cluster *cluster, size_t columns,
			       size_t more_columns, size_t max_lines);
