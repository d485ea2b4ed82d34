/*
 * The sequences as a prefix tree, in preorder arrays: what sequences share is looked at once.
 *
 *   a;b;c 5       node 0  a  weight 9  end 5     weight: cost of all sequences that pass
 *   a;b;d 3            1  b         8      4     end: first node behind the subtree
 *   a;c   1            2  c         5      3
 *                      3  d         3      4
 *                      4  c         1      5
 *
 * A subtree is a range of nodes, and its sequences are a range too, since sequences are sorted.
 */
#pragma once

#include "engine/patterns/reduce.h"

struct lode_prefix_tree {
	uint32_t n, n_items, max_depth;
	uint32_t *item, *end;
	uint32_t *parent; /* UINT32_MAX for the first item of a sequence */
	uint32_t *above;  /* 1 + the nearest ancestor with the same item, 0 when there is none */
	uint32_t *depth;  /* 0 for the first item of a sequence */
	int64_t *weight;
	/* n + 1: the sequences that pass v are first_sequence[v] .. first_sequence[end[v]]. */
	uint32_t *first_sequence;
	uint32_t n_sequences;
	uint32_t *start; /* n_sequences + 1, into `items`: the sequences in the tree's order */
	uint32_t *items;
	int64_t *cost;
};

void lode_prefix_tree_build(struct lode_prefix_tree *out, const struct lode_reduced *reduced);
void lode_prefix_tree_release(struct lode_prefix_tree *tree);
