/*
 * Can a pattern take one more item? The two questions of BIDE [BIDE04], asked on a prefix tree.
 */
#pragma once

#include "engine/patterns/prefix_tree.h"

/* Where in the pattern an item could go, and what it would cost there. */
struct lode_enclosure_cell {
	uint32_t generation, last_sequence;
	int64_t cost;
};

/* Where in one sequence an item can go before one of the pattern's: items[from] up to `to`. Told of
   long ones only. */
struct lode_enclosure_window {
	uint32_t from, to;
	uint32_t *count; /* per item: how often it stands there */
	uint32_t *items; /* those that do, n of them, in no order */
	uint32_t *at;	 /* per item: where in `items` */
	uint32_t n;
};

/* Scratch of one thread. */
struct lode_enclosure {
	const struct lode_prefix_tree *tree;
	const int64_t *item_cost;
	const uint32_t *path;	/* the items of one sequence, borrowed */
	uint32_t *left, *right; /* the pattern's embeddings in it */
	/* Per place of the path to the node that was looked at last: how much of the pattern with a
	   witness in it is matched. */
	uint32_t *matched, last;
	LODE_VEC(uint64_t) alive; /* (place in the pattern, item) that all had so far */
	struct lode_enclosure_window window;
	struct lode_enclosure_cell *cells; /* per place and item */
	uint32_t generation;
	uint64_t work; /* steps taken */
};

void lode_enclosure_init(struct lode_enclosure *e, const struct lode_prefix_tree *tree,
			 const int64_t *item_cost);
void lode_enclosure_release(struct lode_enclosure *e);

/*
 * BackScan: does an item stand before or between the pattern's leftmost embedding in ALL sequences
 * of its projection? Then whatever grows from this prefix can take that item too, and is not
 * maximal. `nodes` is the projection in preorder, `cost` its cost.
 */
bool lode_is_enclosed(struct lode_enclosure *e, const uint32_t *pattern, uint32_t n_pattern,
		      const uint32_t *nodes, uint32_t n_nodes, int64_t cost);

/* Is there an item that, put before or between the pattern's, still costs `min_cost`? */
bool lode_can_take_more(struct lode_enclosure *e, const uint32_t *pattern, uint32_t n_pattern,
			const uint32_t *nodes, uint32_t n_nodes, int64_t min_cost);
