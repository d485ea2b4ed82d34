/*
 * Folding pieces of events into digest rows: equal (stack, kind, reason, waker) become one.
 *
 * A piece is the part of an event that a symptom's time is attributed to: the whole event, or less
 * of it where the critical path takes only a part, or several parts of it. Costs are summed; an
 * event counts once in a row however many pieces of it are there. So does an occurrence: a run on
 * the CPU, or a stay off it, of the symptom's thread (model/digest.h).
 */
#pragma once

#include "base/number_sort.h"
#include "engine/waits/aoi.h"
#include "model/digest.h"

/*
 * Content filter of an area of interest: which stacks pass the --include and --exclude globs.
 */

/*
 * Drops the digest's rows whose stacks do not pass, see struct lode_aoi_options. Each frame is
 * matched once: O(frames * globs + nodes + rows). A glob is tried on "function" and
 * "module!function"; on frames without a symbol as "[module]", and on links as "→ comm" alone, so
 * that the name of a thread is not taken for a function's.
 */
void lode_content_filter(struct lode_digest *digest, const struct lode_aoi_options *options);

struct lode_piece {
	uint32_t stack; /* chain, see chain.h: few enough for one number each */
	uint32_t waker; /* string id in the digest's tree, 0 none */
	enum lode_event_kind kind;
	enum lode_wait_reason reason;
	lode_thread_id thread; /* the event that it is a piece of */
	uint32_t event;
	int64_t start_ns, cost_ns;
	bool is_whole;	   /* no other piece of this event can come */
	bool is_unsampled; /* running, without a sample */
};

/* A piece that is not a whole event; other parts of the event may be in the same row. */
struct lode_fold_part {
	lode_thread_id thread;
	uint32_t event;
	int64_t start_ns, cost_ns;
	uint32_t row; /* index into `rows` below */
};

/* A set of rows, ascending, that is `before` and one more; `n` occurrences are in these alone. */
struct lode_fold_set {
	uint32_t before; /* LODE_NONE: the empty one. Both are keys of an index. */
	uint32_t row;
	uint32_t n;
};

/* Who ran while the thread of a ready row waited for a CPU. */
struct lode_fold_runner {
	uint32_t row;
	struct lode_digest_runner ran;
};

/*
 * `{ 0 }` is ready for use; symptoms go through it one after the other.
 *
 * A stack mostly comes with the label that it had the last time, and so in the row that it had: a
 * table per stack says which. Only stacks with several labels are looked up.
 */
struct lode_fold {
	LODE_VEC(uint32_t) last_row; /* per stack: its latest row, LODE_NONE none yet */
	struct lode_map row_of;	     /* (stack, label) -> row, of stacks with several labels */
	struct lode_map label_of;    /* (waker, kind, reason) -> label */
	uint32_t n_labels;
	LODE_VEC(struct lode_digest_row) rows; /* of the symptom at hand; `stack` is a chain */
	LODE_VEC(uint32_t) last_part;	       /* per row, LODE_NONE none yet */
	LODE_VEC(struct lode_fold_part) parts;
	LODE_VEC(uint32_t) last_occurrence;   /* per row, LODE_NONE none yet */
	LODE_VEC(struct lode_keyed) occurred; /* occurrence, and a row that it is in */
	LODE_VEC(struct lode_fold_set) sets;
	struct lode_pair_index set_of;
	struct lode_map runner_of; /* (row, name) -> runner */
	LODE_VEC(struct lode_fold_runner) runners;
};

/* Gives the row that the piece is in now, for lode_fold_ran. Occurrences of a symptom have numbers
   of their own, in any order; LODE_NONE: not known. */
uint32_t lode_fold_add(struct lode_fold *fold, const struct lode_piece *piece, uint32_t occurrence);
/* `name`, a string id of the digest's tree, ran for so long during a piece of the row. */
void lode_fold_ran(struct lode_fold *fold, uint32_t row, uint32_t name, int64_t cost_ns);

/* Appends the rows of `symptom`, which the digest has, in order of their making, and starts over.
 */
void lode_fold_finish(struct lode_fold *fold, struct lode_digest *digest, uint32_t symptom);
void lode_fold_release(struct lode_fold *fold);
