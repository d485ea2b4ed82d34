/*
 * The search by enumeration: every pattern that reaches λ is listed, and then those that another
 * one contains are struck out (lode_costly_trie).
 *
 * Where patterns are short (sentences, clicks, shallow stacks), there are only some times as many
 * that reach λ as there are maximal ones, and finding one more is far cheaper than proving that it
 * need not be looked at. A single pattern of 30 functions, though, has a thousand million
 * subsequences: on deep stacks this search gives up, and it tells soon, from the depth.
 */
#pragma once

#include "engine/patterns/reduce.h"

/*
 * All patterns that reach λ, as a trie, and which of them are maximal.
 *
 *   (empty) - a - b - c      a node is the pattern on the way to it; its children, side by side
 *           |   ` c          and in order of their items, are what can follow
 *           ` b - c
 *
 * What is longer costs less: so if any super-sequence of a pattern reaches λ, then one does that is
 * one item longer, and the pattern is what is left of it without that item. A pattern is maximal
 * exactly if it is no other costly pattern without one item; nothing else needs to be looked at.
 */

struct lode_trie_node {
	int64_t cost;
	uint32_t item;
	uint32_t first_child, n_children; /* nodes side by side */
	bool is_contained;		  /* in a longer one: not maximal */
};

struct lode_costly_trie {
	LODE_VEC(struct lode_trie_node) nodes; /* node 0 is the empty pattern */
	uint32_t depth;			       /* of the deepest */
};

void lode_costly_trie_release(struct lode_costly_trie *trie);

/* Calls `each` for every maximal pattern, none of which is empty; `items` are borrowed. */
void lode_costly_trie_walk(const struct lode_costly_trie *trie,
			   void (*each)(void *context, const uint32_t *items, uint32_t n,
					int64_t cost),
			   void *context);

struct lode_enumerate_options {
	int64_t min_cost;
	unsigned n_threads;
	uint64_t max_work;  /* steps of the inner loops, about a ns each; 0: no bound */
	uint32_t max_nodes; /* patterns that reach λ; bounds the memory */
	uint32_t max_depth; /* their length */
	uint64_t *work;	    /* the steps that were taken are added; may be NULL */
};

enum lode_enumerate_end {
	LODE_ENUMERATE_DONE,
	LODE_ENUMERATE_GAVE_UP, /* max_work is used up: with more it may be done */
	LODE_ENUMERATE_NEVER,	/* there are too many, or they are too long */
};

/* `*out` must be { 0 }; it is complete and marked with LODE_ENUMERATE_DONE, and empty otherwise. */
enum lode_enumerate_end lode_enumerate(struct lode_costly_trie *out,
				       const struct lode_reduced *reduced,
				       const struct lode_enumerate_options *options);
