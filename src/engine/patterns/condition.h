/*
 * Conditional databases: what is left of the sequences once a pattern is settled on.
 *
 * For a pattern P the database holds the sequences that contain P, cut down to what can still be
 * inserted into P: an occurrence stays only if it stands in the window of a slot (windows.h) at
 * which inserting its function leaves a cost of λ or more. Equal remainders are merged. Functions
 * are renumbered from 0, cheapest first, so that tables stay small and in cache.
 */
#pragma once

#include "engine/patterns/reduce.h"
#include "engine/patterns/thin.h"
#include "base/map.h"

/*
 * May a function be inserted at a slot? A watched one may not, for it is another copy of the
 * pattern's own to its left; but it is counted, because as long as it reaches λ there may be
 * super-sequences that this part of the search does not see.
 */
enum { LODE_CLOSED, LODE_OPEN, LODE_WATCHED };

/* A function that can be inserted at a slot, and what the pattern costs then (>= λ). */
struct lode_insertion {
	uint32_t slot, item;
	int64_t cost;
	uint8_t state; /* LODE_OPEN or LODE_WATCHED */
};
typedef LODE_VEC(struct lode_insertion) lode_insertion_vec;
typedef LODE_VEC(uint32_t) lode_item_vec;

/* What one thread needs to count; reused for all databases of its branch. */
struct lode_slot_counter {
	int64_t cost;
	uint64_t stamp; /* sequence that was counted last */
};
struct lode_tail_item {
	int64_t best; /* its highest cost over all slots */
	uint32_t item;
};
struct lode_scratch {
	LODE_VEC(struct lode_slot_counter)
	counters;		  /* [slot * n_items + item]; all cost 0 between uses */
	LODE_VEC(size_t) touched; /* slot * n_items + item: those that were counted */
	/* Where these would be too many: their counters are in the order of `touched`, and found
	   here. */
	struct lode_map sparse;
	size_t most_counters; /* that may be made for all; 0: a good number */
	uint64_t stamp;
	uint64_t work; /* items walked over, some ns each; the owner resets it */
	LODE_VEC(uint32_t) first, last;
	LODE_VEC(uint8_t) keep;
	struct lode_thin_scratch thin;
	LODE_VEC(uint32_t) kept; /* a sequence, and its first[] and last[] */
	LODE_VEC(uint32_t) renumbered;
	LODE_VEC(struct lode_tail_item) tail;
};
void lode_scratch_release(struct lode_scratch *scratch);

struct lode_condition {
	struct lode_merge db;	    /* sequences of local items */
	LODE_VEC(uint32_t) global;  /* local item -> reduced item */
	uint32_t n_tail;	    /* items 0..n_tail - 1 are those that can be inserted */
	LODE_VEC(uint32_t) pattern; /* local items; no repeated item is left out */
	/* By [slot * n_items + item]: the pattern's cost with that item inserted there, 0 where
	   that is less than λ; and whether it may (still) be inserted there at all, as above. */
	LODE_VEC(int64_t) cost;
	LODE_VEC(uint8_t) is_open;
	bool has_watched;
	int64_t total; /* cost of the pattern itself */
	/* Per sequence: first[] and last[] of the pattern (windows.h), and whether they are one. */
	LODE_VEC(uint32_t) windows;
	LODE_VEC(uint8_t) is_tight;
};
void lode_condition_release(struct lode_condition *condition);

/*
 * A child to be: sequences of `parent` (by number), all of which contain `pattern` (in the parent's
 * items), which is the parent's or a super-sequence of it. Slot j of the pattern lies within the
 * parent's slot origin[j], and only what `is_open` there may be inserted.
 */
struct lode_selection {
	const struct lode_condition *parent;
	const uint8_t *is_open; /* the parent's, or one like it */
	const uint32_t *sequences;
	uint32_t n_sequences;
	const uint32_t *pattern;
	uint32_t n_pattern;
	const uint32_t *origin; /* n_pattern + 1 */
	/* The pattern is the parent's with its item inserted_slot inserted; LODE_NO_SLOT: it is
	   not, or not known to be. */
	uint32_t inserted_slot;
};
#define LODE_NO_SLOT UINT32_MAX

/* Costs of all single insertions: those that reach λ, by slot and item. */
void lode_condition_count(lode_insertion_vec *out, const struct lode_selection *selection,
			  int64_t min_cost, struct lode_scratch *scratch);

/* The conditional database itself; `insertions` from lode_condition_count, not empty. */
void lode_condition_build(struct lode_condition *out, const struct lode_selection *selection,
			  const lode_insertion_vec *insertions, int64_t total,
			  struct lode_scratch *scratch);

static inline uint32_t lode_condition_n_items(const struct lode_condition *condition)
{
	return (uint32_t)condition->global.n;
}

/* first[] of sequence i; last[] follows it. */
static inline const uint32_t *lode_condition_windows(const struct lode_condition *condition,
						     uint32_t i)
{
	return condition->windows.at + 2 * condition->pattern.n * i;
}

static inline const uint32_t *lode_condition_sequence(const struct lode_condition *condition,
						      uint32_t i, uint32_t *n)
{
	uint32_t from = condition->db.start.at[i];

	*n = condition->db.start.at[i + 1] - from;
	return condition->db.items.at + from;
}
