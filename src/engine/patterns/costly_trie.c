/* Trie of all patterns that reach λ, and which of them are maximal. */
#include "engine/patterns/costly_trie.h"

#include <assert.h>

void lode_costly_trie_release(struct lode_costly_trie *trie)
{
	lode_vec_release(&trie->nodes);
	trie->depth = 0;
}

/* Of the pattern on each level: what is left of it without one item. */
struct marking {
	struct lode_costly_trie *trie;
	uint32_t *shorter; /* (depth + 1) rows of so many */
	uint32_t *n_shorter;
};

/* The child must exist: its pattern is contained in one that reaches λ. */
static uint32_t find_child(const struct lode_costly_trie *trie, uint32_t node, uint32_t item)
{
	uint32_t low = trie->nodes.at[node].first_child;
	uint32_t n = trie->nodes.at[node].n_children;

	while (n > 1) {
		uint32_t half = n / 2;

		low = trie->nodes.at[low + half].item <= item ? low + half : low;
		n -= half;
	}
	assert(n && trie->nodes.at[low].item == item);
	return low;
}

static void mark_below(struct marking *m, uint32_t node, uint32_t depth)
{
	struct lode_trie_node *nodes = m->trie->nodes.at;
	size_t width = (size_t)m->trie->depth + 1;
	const uint32_t *above = m->shorter + depth * width;
	uint32_t *shorter = m->shorter + (depth + 1) * width;
	uint32_t end = nodes[node].first_child + nodes[node].n_children;

	nodes[node].is_contained |= nodes[node].n_children > 0;
	for (uint32_t child = nodes[node].first_child; child < end; child++) {
		uint32_t n = 0;

		shorter[n++] = node;
		for (uint32_t k = 0; k < m->n_shorter[depth]; k++) {
			uint32_t left = find_child(m->trie, above[k], nodes[child].item);

			nodes[left].is_contained = true;
			/* Of equal neighbours it does not matter which is left out. */
			if (left != shorter[n - 1])
				shorter[n++] = left;
		}
		m->n_shorter[depth + 1] = n;
		if (nodes[child].n_children)
			mark_below(m, child, depth + 1);
	}
}

void lode_costly_trie_mark(struct lode_costly_trie *trie)
{
	size_t width = (size_t)trie->depth + 1;
	struct marking m = {
		.trie = trie,
		.shorter = lode_alloc((width + 1) * width * sizeof(*m.shorter)),
		.n_shorter = lode_alloc0(width + 1, sizeof(*m.n_shorter)),
	};

	mark_below(&m, 0, 0);
	free(m.shorter);
	free(m.n_shorter);
}

struct walk {
	const struct lode_costly_trie *trie;
	uint32_t *items;
	void (*each)(void *context, const uint32_t *items, uint32_t n, int64_t cost);
	void *context;
};

static void walk_below(const struct walk *w, uint32_t node, uint32_t depth)
{
	const struct lode_trie_node *at = &w->trie->nodes.at[node];

	for (uint32_t child = at->first_child; child < at->first_child + at->n_children; child++) {
		const struct lode_trie_node *c = &w->trie->nodes.at[child];

		w->items[depth] = c->item;
		if (!c->is_contained)
			w->each(w->context, w->items, depth + 1, c->cost);
		if (c->n_children)
			walk_below(w, child, depth + 1);
	}
}

void lode_costly_trie_walk(const struct lode_costly_trie *trie,
			   void (*each)(void *context, const uint32_t *items, uint32_t n,
					int64_t cost),
			   void *context)
{
	struct walk w = {trie, lode_alloc(((size_t)trie->depth + 1) * sizeof(*w.items)), each,
			 context};

	walk_below(&w, 0, 0);
	free(w.items);
}
