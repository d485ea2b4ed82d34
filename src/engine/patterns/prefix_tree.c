/* Builds the prefix tree of the sequences, as arrays in preorder. */
#include "engine/patterns/prefix_tree.h"

#include "base/sorted.h"

static int by_items(const void *pa, const void *pb, void *context)
{
	const struct lode_reduced *r = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const uint32_t *x = &r->items[r->start[a]], *y = &r->items[r->start[b]];
	uint32_t n_x = r->start[a + 1] - r->start[a], n_y = r->start[b + 1] - r->start[b];

	for (uint32_t i = 0; i < n_x && i < n_y; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return LODE_ORDER(n_x, n_y);
}

/* The sequences sorted, so that equal prefixes are neighbours. */
static void sort_sequences(struct lode_prefix_tree *t, const struct lode_reduced *r)
{
	uint32_t *order = lode_order_by(r->n, by_items, r);
	uint32_t at = 0;

	t->n_sequences = r->n;
	t->start = lode_alloc((r->n + 1) * sizeof(*t->start));
	t->items = lode_alloc(r->start[r->n] * sizeof(*t->items));
	t->cost = lode_alloc(r->n * sizeof(*t->cost));
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t s = order[i], len = r->start[s + 1] - r->start[s];

		t->start[i] = at;
		t->cost[i] = r->weight[s];
		memcpy(&t->items[at], &r->items[r->start[s]], len * sizeof(*t->items));
		at += len;
		if (len > t->max_depth)
			t->max_depth = len;
	}
	t->start[r->n] = at;
	free(order);
}

static uint32_t shared_prefix(const struct lode_prefix_tree *t, uint32_t s)
{
	const uint32_t *a = &t->items[t->start[s - 1]], *b = &t->items[t->start[s]];
	uint32_t n = t->start[s] - t->start[s - 1], m = t->start[s + 1] - t->start[s], i;

	for (i = 0; i < n && i < m && a[i] == b[i]; i++)
		;
	return i;
}

static void allocate_nodes(struct lode_prefix_tree *t, size_t room)
{
	t->item = lode_alloc(room * sizeof(*t->item));
	t->parent = lode_alloc(room * sizeof(*t->parent));
	t->end = lode_alloc(room * sizeof(*t->end));
	t->above = lode_alloc(room * sizeof(*t->above));
	t->depth = lode_alloc(room * sizeof(*t->depth));
	t->weight = lode_alloc0(room, sizeof(*t->weight));
	t->first_sequence = lode_alloc(room * sizeof(*t->first_sequence));
}

/* The path to where the tree grows, and per item its latest node there (plus one). */
struct growth {
	uint32_t *path, *latest;
	uint32_t depth;
};

static void leave_nodes(struct lode_prefix_tree *t, struct growth *g, uint32_t keep)
{
	for (; g->depth > keep; g->depth--) {
		uint32_t v = g->path[g->depth - 1];

		t->end[v] = t->n;
		g->latest[t->item[v]] = t->above[v];
	}
}

static void add_sequence(struct lode_prefix_tree *t, struct growth *g, uint32_t s)
{
	uint32_t len = t->start[s + 1] - t->start[s];

	for (; g->depth < len; g->depth++, t->n++) {
		uint32_t item = t->items[t->start[s] + g->depth];

		t->item[t->n] = item;
		t->parent[t->n] = g->depth ? g->path[g->depth - 1] : UINT32_MAX;
		t->depth[t->n] = g->depth;
		t->above[t->n] = g->latest[item];
		t->first_sequence[t->n] = s;
		g->latest[item] = t->n + 1;
		g->path[g->depth] = t->n;
	}
	for (uint32_t i = 0; i < len; i++)
		t->weight[g->path[i]] += t->cost[s];
}

void lode_prefix_tree_build(struct lode_prefix_tree *t, const struct lode_reduced *r)
{
	struct growth g = {0};

	memset(t, 0, sizeof(*t));
	sort_sequences(t, r);
	t->n_items = r->n_items;
	allocate_nodes(t, (size_t)r->start[r->n] + 1);
	g.path = lode_alloc((t->max_depth + 1) * sizeof(*g.path));
	g.latest = lode_alloc0(r->n_items, sizeof(*g.latest));
	for (uint32_t s = 0; s < t->n_sequences; s++) {
		leave_nodes(t, &g, s ? shared_prefix(t, s) : 0);
		add_sequence(t, &g, s);
	}
	leave_nodes(t, &g, 0);
	t->first_sequence[t->n] = t->n_sequences;
	free(g.path);
	free(g.latest);
}

void lode_prefix_tree_release(struct lode_prefix_tree *t)
{
	free(t->item);
	free(t->parent);
	free(t->end);
	free(t->above);
	free(t->depth);
	free(t->weight);
	free(t->first_sequence);
	free(t->start);
	free(t->items);
	free(t->cost);
	memset(t, 0, sizeof(*t));
}
