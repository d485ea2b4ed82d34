/*
 * Counts the insertions into all children of a pattern in one pass over its database.
 *
 * A child is the pattern P with one insertion, a pair (slot, item), made. Each child has a row of
 * costs by its own (slot, item): its slots are P's, the one that was inserted into being two now.
 * To count them all at once takes a few additions per child and sequence; most children turn out to
 * have nothing left to insert and are never built.
 */
#pragma once

#include "engine/patterns/condition.h"

struct lode_children {
	LODE_VEC(uint32_t) pairs; /* row -> slot * n_items + item */
	LODE_VEC(int64_t) rows;	  /* [row * row_length + child slot * n_items + item] */
	size_t row_length;
	LODE_VEC(uint32_t) row_of; /* pair -> row + 1, 0 none */
};
void lode_children_release(struct lode_children *children);

/* An insertion that a sequence allows, and where it stands. */
struct lode_entry {
	uint32_t pair, first, last;
};
struct lode_children_scratch {
	LODE_VEC(struct lode_entry) entries;
	LODE_VEC(uint32_t) slot_end; /* per slot: end of its entries */
	LODE_VEC(uint32_t)
	entry_of;		  /* pair -> entry of the sequence at hand, if it is that pair's */
	LODE_VEC(uint64_t) stamp; /* child (slot, item): row and sequence that were counted last */
	uint64_t last_stamp;
	uint64_t work; /* additions and items walked over; the owner resets it */
	LODE_VEC(uint32_t) pattern, first, last;
};
void lode_children_scratch_release(struct lode_children_scratch *scratch);

/* How many rows there should be at most at a time. */
size_t lode_children_most(const struct lode_condition *condition);

/* Counts the children listed in children->pairs, over the given sequences. */
void lode_children_count(struct lode_children *children, const struct lode_condition *condition,
			 const uint32_t *sequences, uint32_t n_sequences,
			 struct lode_children_scratch *scratch);

/*
 * What reaches λ in a row and is still open or watched in the parent, by slot, then item. The
 * child's own item to the left of itself in the same slot becomes watched. Gives whether there is
 * anything watched.
 */
bool lode_children_insertions(lode_insertion_vec *out, const struct lode_children *children,
			      size_t row, const struct lode_condition *condition, int64_t min_cost);
