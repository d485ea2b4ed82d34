/*
 * Projections on a prefix tree: how a prefix's possible next items are counted and taken.
 *
 * A view is what is left of the tree: the nodes, in preorder, whose items can still be in a
 * pattern. A projection is a list of ranges of a view: what stands below the nodes where the prefix
 * ends. An item's topmost nodes below a range are where its leftmost embeddings end.
 */
#pragma once

#include "engine/patterns/prefix_tree.h"

struct lode_view {
	uint32_t n, capacity;
	uint32_t *node;		/* in the tree */
	uint32_t *item, *above; /* as the tree's */
	uint32_t *end;		/* view entry behind the node's subtree */
	int64_t *weight;	/* of what is not dropped (holders.h); 0: as if it were not there */
	uint64_t *between; /* items between the range's top and the node: see lode_extensions */
};

/* View entries strictly below a node; `above` is that node + 1, 0 for the whole tree. */
struct lode_range {
	uint32_t low, high, above;
};

typedef LODE_VEC(struct lode_range) lode_range_vec;

/* Items that keep the minimum cost behind a prefix, and where their topmost nodes are. */
struct lode_extensions {
	struct lode_view view; /* of their nodes alone */
	LODE_VEC(uint32_t) items;
	LODE_VEC(int64_t) cost;
	LODE_VEC(uint32_t) first;   /* n + 1, into `entries` */
	LODE_VEC(uint32_t) entries; /* of `view` */
	/* Per item: what stands between prefix and item in all sequences, as bit k for item k, of
	   the first 64 items. Not 0: nothing maximal grows from the prefix with that item. */
	LODE_VEC(uint64_t) between;
	LODE_VEC(uint32_t) open; /* scratch: nodes whose subtree is being copied */
};

/* Scratch of one thread: per item, all zero between calls. */
struct lode_counting {
	int64_t *cost;
	uint32_t *count; /* topmost nodes; then where the next one goes, plus one */
	uint32_t *index; /* of the chosen items in lode_extensions; unset for others */
	LODE_VEC(uint32_t) touched;
	uint64_t work;
};

void lode_counting_init(struct lode_counting *counting, uint32_t n_items);
void lode_counting_release(struct lode_counting *counting);

/* The whole tree as a view: borrows from it, but for `node`. */
void lode_view_init(struct lode_view *view, const struct lode_prefix_tree *tree);

/*
 * Fills `out` with the extensions of the projection `ranges` of `view`; false when there are none.
 * Items come in order of first sight.
 */
bool lode_project(struct lode_extensions *out, struct lode_counting *counting,
		  const struct lode_view *view, const lode_range_vec *ranges, int64_t min_cost,
		  const struct lode_prefix_tree *tree);
void lode_extensions_release(struct lode_extensions *extensions);
