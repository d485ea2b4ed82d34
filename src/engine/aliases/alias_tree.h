/*
 * The stacks of a digest with one name per function, as far as aliases are known: what the search
 * for more of them reads, and builds again after each step.
 *
 *   digest's tree    main > get > entry > do_syscall > ...     main > get_v2 > entry > ...
 *   units            functions that always follow each other are one, by the name of the first
 *   node             (caller, function), with the cost of all stacks through it
 *
 * Costs are sums over all recordings; which recordings have a function is a set of bits.
 */
#pragma once

#include "model/digest.h"

struct lode_alias_node {
	uint32_t parent, frame;	 /* parent smaller than the node; node 0 is the root */
	uint32_t next_of_frame;	 /* 0: none */
	uint32_t child, sibling; /* 0: none */
	int64_t cost, self;	 /* of stacks through it; of stacks that end in it */
};

/* Streams that have a function. */
struct lode_alias_streams {
	uint64_t *bits;
	uint32_t n;
};

struct lode_alias_tree {
	const struct lode_digest *digest;
	LODE_VEC(struct lode_alias_node) nodes;
	uint32_t *node_of_row;	  /* per row of the digest */
	uint32_t *first_of_frame; /* per frame: its nodes; 0: none */
	int64_t *cost;		  /* per frame: of its nodes */
	uint32_t *next_in_unit;	  /* per frame: what always follows it; LODE_NONE: the unit ends */
	struct lode_alias_streams *streams; /* per frame */
	struct lode_arena arena;
	int64_t all;
};

/*
 * `frame_of`: per frame of the digest, its name now; LODE_NONE: left out. O(nodes + rows), and
 * O(functions * streams / 64) memory.
 */
void lode_alias_tree_build(struct lode_alias_tree *tree, const struct lode_digest *digest,
			   const uint32_t *frame_of);
void lode_alias_tree_release(struct lode_alias_tree *tree);

/* Whether no stream has both. */
bool lode_alias_exclude(const struct lode_alias_streams *a, const struct lode_alias_streams *b,
			size_t n_streams);
