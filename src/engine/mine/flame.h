/*
 * What a flame graph of a cluster is drawn from: its stacks as one tree, no larger than asked for.
 *
 *   stacks  main > a > b 70, main > a > c 5, main > d 25
 *   tree    main 0
 *           +- a 5          (2 nodes asked for below main: c went into its caller)
 *           |  +- b 70
 *           +- d 25
 *
 * Of the nodes, those with the largest costs (their own and all below) are kept: a parent costs no
 * less than its children, so what is kept is a tree. What is left out stays in the nearest caller
 * that is there, if one is: own costs sum to the stacks' cost unless whole roots are left out.
 */
#pragma once

#include "engine/mine/mine.h"

struct lode_flame_node {
	uint32_t parent;	   /* index, smaller than the node's own; LODE_NONE for roots */
	uint32_t node;		   /* of the digest's tree; nodes of the flame are in their order */
	uint32_t frame;		   /* of the digest's tree */
	int64_t own_ns;		   /* of stacks that end here, or whose rest was left out */
	int64_t wait_ns, ready_ns; /* of own_ns */
};

struct lode_flame {
	LODE_VEC(struct lode_flame_node) nodes;
	size_t n_left_out;
	int64_t left_out_ns; /* cost that stands in a caller for want of room */
};

/* `{ 0 }` is ready. Parents before children, siblings in order of the digest's tree. */
void lode_flame_build(struct lode_flame *flame, const struct lode_calltree *tree,
		      const struct lode_cluster_stack *stacks, size_t n_stacks, size_t max_nodes);
/*
 * Costs of some of the same stacks - those of one side of a comparison - where the flame has them:
 * own_ns[i] of its node i, or of what was left out below it. `own_ns` has room for all nodes.
 */
void lode_flame_spread(int64_t *own_ns, const struct lode_flame *flame,
		       const struct lode_calltree *tree, const struct lode_cluster_stack *stacks,
		       size_t n_stacks);
void lode_flame_release(struct lode_flame *flame);
