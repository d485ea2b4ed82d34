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
#pragma once

#include "base/mem.h"

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

/* Sets is_contained of all nodes; children must be complete. O(costly patterns * length). */
void lode_costly_trie_mark(struct lode_costly_trie *trie);

/* Calls `each` for every maximal pattern, none of which is empty; `items` are borrowed. */
void lode_costly_trie_walk(const struct lode_costly_trie *trie,
			   void (*each)(void *context, const uint32_t *items, uint32_t n,
					int64_t cost),
			   void *context);
