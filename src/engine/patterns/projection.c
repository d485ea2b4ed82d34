/* Projections on a prefix tree: counts and takes a prefix's next items. */
#include "engine/patterns/projection.h"

void lode_counting_init(struct lode_counting *counting, uint32_t n_items)
{
	memset(counting, 0, sizeof(*counting));
	counting->cost = lode_alloc0(n_items, sizeof(*counting->cost));
	counting->count = lode_alloc0(n_items, sizeof(*counting->count));
	counting->index = lode_alloc0(n_items, sizeof(*counting->index));
}

void lode_counting_release(struct lode_counting *counting)
{
	free(counting->cost);
	free(counting->count);
	free(counting->index);
	lode_vec_release(&counting->touched);
}

void lode_view_init(struct lode_view *view, const struct lode_prefix_tree *tree)
{
	*view = (struct lode_view){
		.n = tree->n,
		.node = lode_alloc(tree->n * sizeof(*view->node)),
		.item = tree->item,
		.above = tree->above,
		.end = tree->end,
		.weight = tree->weight,
	};
	for (uint32_t v = 0; v < tree->n; v++)
		view->node[v] = v;
}

/*
 * The hot loop: one pass over preorder arrays, no pointers. A node is the topmost of its item below
 * a range exactly when its nearest ancestor with that item is not below the range's node.
 */
static void count_topmost(struct lode_counting *c, const struct lode_view *view,
			  const lode_range_vec *ranges)
{
	c->touched.n = 0;
	for (size_t k = 0; k < ranges->n; k++) {
		const struct lode_range range = ranges->at[k];

		c->work += range.high - range.low;
		for (uint32_t i = range.low; i < range.high; i++) {
			uint32_t item = view->item[i];

			if (view->above[i] > range.above || view->weight[i] == 0)
				continue;
			if (c->count[item]++ == 0)
				lode_vec_append(&c->touched, item);
			c->cost[item] += view->weight[i];
		}
	}
}

/* Lays out the lists of the items that cost enough; the others' counts go back to zero. */
static bool choose_items(struct lode_extensions *out, struct lode_counting *c, int64_t min_cost)
{
	uint32_t n_entries = 0;

	out->items.n = out->cost.n = out->first.n = out->between.n = 0;
	for (size_t k = 0; k < c->touched.n; k++) {
		uint32_t item = c->touched.at[k], count = c->count[item];

		if (c->cost[item] >= min_cost) {
			lode_vec_append(&out->items, item);
			lode_vec_append(&out->cost, c->cost[item]);
			lode_vec_append(&out->first, n_entries);
			lode_vec_append(&out->between, UINT64_MAX);
			c->index[item] = (uint32_t)out->items.n - 1;
			c->count[item] = n_entries + 1;
			n_entries += count;
		} else {
			c->count[item] = 0;
		}
		c->cost[item] = 0;
	}
	lode_vec_append(&out->first, n_entries);
	lode_vec_reserve(&out->entries, n_entries);
	return out->items.n > 0;
}

static void view_reserve(struct lode_view *view, uint32_t n)
{
	if (n <= view->capacity)
		return;
	view->capacity = n + n / 2;
	view->node = lode_realloc_n(view->node, view->capacity, sizeof(*view->node));
	view->item = lode_realloc_n(view->item, view->capacity, sizeof(*view->item));
	view->above = lode_realloc_n(view->above, view->capacity, sizeof(*view->above));
	view->end = lode_realloc_n(view->end, view->capacity, sizeof(*view->end));
	view->weight = lode_realloc_n(view->weight, view->capacity, sizeof(*view->weight));
	view->between = lode_realloc_n(view->between, view->capacity, sizeof(*view->between));
}

/* The items above the next node to be copied, below the range's top. */
static uint64_t items_between(const struct lode_extensions *out, const struct lode_counting *c)
{
	uint32_t parent, index;

	if (out->open.n == 0)
		return 0;
	parent = out->open.at[out->open.n - 1];
	index = c->index[out->view.item[parent]];
	return out->view.between[parent] | (index < 64 ? UINT64_C(1) << index : 0);
}

/* Copies the chosen items' nodes of one range, and notes the topmost ones. */
static void copy_range(struct lode_extensions *out, struct lode_counting *c,
		       const struct lode_view *from, struct lode_range range, const uint32_t *end)
{
	struct lode_view *to = &out->view;

	out->open.n = 0;
	for (uint32_t i = range.low; i < range.high; i++) {
		uint32_t item = from->item[i], node = from->node[i];

		if (c->count[item] == 0 || from->weight[i] == 0)
			continue;
		while (out->open.n && end[to->node[out->open.at[out->open.n - 1]]] <= node)
			to->end[out->open.at[--out->open.n]] = to->n;
		to->between[to->n] = items_between(out, c);
		if (from->above[i] <= range.above) {
			out->entries.at[c->count[item]++ - 1] = to->n;
			out->between.at[c->index[item]] &= to->between[to->n];
		}
		to->node[to->n] = node;
		to->item[to->n] = item;
		to->above[to->n] = from->above[i];
		to->weight[to->n] = from->weight[i];
		lode_vec_append(&out->open, to->n);
		to->n++;
	}
	while (out->open.n)
		to->end[out->open.at[--out->open.n]] = to->n;
}

bool lode_project(struct lode_extensions *out, struct lode_counting *c,
		  const struct lode_view *view, const lode_range_vec *ranges, int64_t min_cost,
		  const struct lode_prefix_tree *tree)
{
	uint64_t n_most = 0;

	count_topmost(c, view, ranges);
	if (!choose_items(out, c, min_cost))
		return false;
	for (size_t k = 0; k < ranges->n; k++)
		n_most += ranges->at[k].high - ranges->at[k].low;
	view_reserve(&out->view, (uint32_t)n_most);
	out->view.n = 0;
	for (size_t k = 0; k < ranges->n; k++)
		copy_range(out, c, view, ranges->at[k], tree->end);
	for (size_t i = 0; i < out->items.n; i++)
		c->count[out->items.at[i]] = 0;
	return true;
}

void lode_extensions_release(struct lode_extensions *extensions)
{
	free(extensions->view.node);
	free(extensions->view.item);
	free(extensions->view.above);
	free(extensions->view.end);
	free(extensions->view.weight);
	free(extensions->view.between);
	lode_vec_release(&extensions->between);
	lode_vec_release(&extensions->items);
	lode_vec_release(&extensions->cost);
	lode_vec_release(&extensions->first);
	lode_vec_release(&extensions->entries);
	lode_vec_release(&extensions->open);
}
