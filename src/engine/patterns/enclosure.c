/* Tests whether a pattern can take one more item, on a prefix tree (BIDE). */
#include "engine/patterns/enclosure.h"

/* Sequences that go through the filter before there is a witness, and until there is none again. */
enum { FILTERED_FIRST = 3, MOST_FILTERED = 16 };

/* Longer ones are not walked over place by place: deep sequences have as many as items. */
enum { SHORT_WINDOW = 64 };

void lode_enclosure_init(struct lode_enclosure *e, const struct lode_prefix_tree *tree,
			 const int64_t *item_cost)
{
	size_t room = (size_t)tree->max_depth + 1;

	memset(e, 0, sizeof(*e));
	e->tree = tree;
	e->item_cost = item_cost;
	e->left = lode_alloc(room * sizeof(*e->left));
	e->right = lode_alloc(room * sizeof(*e->right));
	e->matched = lode_alloc(room * sizeof(*e->matched));
	e->cells = lode_alloc0(room * tree->n_items, sizeof(*e->cells));
	e->window.count = lode_alloc0(tree->n_items, sizeof(*e->window.count));
	e->window.at = lode_alloc(tree->n_items * sizeof(*e->window.at));
	e->window.items = lode_alloc(tree->n_items * sizeof(*e->window.items));
}

void lode_enclosure_release(struct lode_enclosure *e)
{
	free(e->left);
	free(e->right);
	free(e->matched);
	free(e->cells);
	lode_vec_release(&e->alive);
	free(e->window.count);
	free(e->window.at);
	free(e->window.items);
	memset(e, 0, sizeof(*e));
}

static struct lode_enclosure_cell *cell_at(struct lode_enclosure *e, uint32_t place, uint32_t item)
{
	return &e->cells[(size_t)place * e->tree->n_items + item];
}

/* ---- The items of a window ---- */

struct shown_window {
	const uint32_t *items; /* n; some of them twice where there is no `count` */
	uint32_t n;
	const uint32_t *count; /* per item */
};

static void leave_window(struct lode_enclosure_window *w)
{
	for (uint32_t k = 0; k < w->n; k++)
		w->count[w->items[k]] = 0;
	w->n = w->from = w->to = 0;
}

static void add_item(struct lode_enclosure_window *w, uint32_t item)
{
	if (w->count[item]++)
		return;
	w->at[item] = w->n;
	w->items[w->n++] = item;
}

static void take_item(struct lode_enclosure_window *w, uint32_t item)
{
	if (--w->count[item])
		return;
	w->items[w->at[item]] = w->items[--w->n];
	w->at[w->items[w->n]] = w->at[item];
}

/*
 * The window before pattern[i]. A short one is shown as it stands. Of a long one the items are
 * told once: both its ends only move right from place to place, so that all of them together take
 * two steps per item of the sequence, however much they overlap.
 */
static struct shown_window enter_window(struct lode_enclosure *e, const uint32_t *items, uint32_t i)
{
	struct lode_enclosure_window *w = &e->window;
	uint32_t from = i ? e->left[i - 1] + 1 : 0, to = e->right[i];

	if (i == 0)
		leave_window(w);
	if (to - from <= SHORT_WINDOW) {
		e->work += to - from;
		return (struct shown_window){items + from, to - from, NULL};
	}
	if (from >= w->to) {
		leave_window(w);
		w->from = w->to = from;
	}
	e->work += (to - w->to) + (from - w->from) + w->n;
	while (w->to < to)
		add_item(w, items[w->to++]);
	while (w->from < from)
		take_item(w, items[w->from++]);
	return (struct shown_window){w->items, w->n, w->count};
}

static bool has_item(const struct shown_window *window, uint32_t item)
{
	if (window->count)
		return window->count[item] > 0;
	for (uint32_t k = 0; k < window->n; k++)
		if (window->items[k] == item)
			return true;
	return false;
}

/* ---- The two questions ---- */

/* The items down to a node: any sequence that passes it begins with them. */
static void path_to(struct lode_enclosure *e, uint32_t v)
{
	const struct lode_prefix_tree *t = e->tree;

	e->work += t->depth[v] + 1;
	e->path = t->items + t->start[t->first_sequence[v]];
}

static void embed_left(const uint32_t *items, const uint32_t *pattern, uint32_t n, uint32_t *left)
{
	for (uint32_t i = 0, x = 0; i < n; x++)
		if (items[x] == pattern[i])
			left[i++] = x;
}

/* The rightmost embedding of which all positions are below `end`. */
static void embed_right(const uint32_t *items, const uint32_t *pattern, uint32_t n, uint32_t end,
			uint32_t *right)
{
	for (uint32_t i = n, x = end; i-- > 0;) {
		do
			x--;
		while (items[x] != pattern[i]);
		right[i] = x;
	}
}

static uint32_t common_ancestor(const struct lode_prefix_tree *t, uint32_t a, uint32_t b)
{
	while (a != UINT32_MAX && t->end[a] <= b)
		a = t->parent[a];
	return a;
}

/*
 * What all share up to where they part: when the leftmost embedding there leaves items behind it,
 * these stand before the pattern's next item in every sequence.
 */
static bool is_enclosed_before_parting(struct lode_enclosure *e, const uint32_t *pattern,
				       uint32_t n_pattern, const uint32_t *nodes, uint32_t n_nodes)
{
	uint32_t v = common_ancestor(e->tree, nodes[0], nodes[n_nodes - 1]);
	uint32_t n_matched = 0, after = 0, n;

	if (n_nodes < 2 || v == UINT32_MAX)
		return false;
	n = e->tree->depth[v] + 1;
	path_to(e, v);
	for (uint32_t x = 0; x < n && n_matched < n_pattern; x++)
		if (e->path[x] == pattern[n_matched]) {
			n_matched++;
			after = x + 1;
		}
	return after < n;
}

/* All items in the windows of one sequence; those too cheap to be in all are left out. */
static void collect_alive(struct lode_enclosure *e, uint32_t n_pattern, int64_t cost)
{
	e->alive.n = 0;
	e->generation++;
	for (uint32_t i = 0; i < n_pattern; i++) {
		const struct shown_window window = enter_window(e, e->path, i);

		for (uint32_t k = 0; k < window.n; k++) {
			uint32_t item = window.items[k];
			struct lode_enclosure_cell *cell = cell_at(e, i, item);

			if (cell->generation == e->generation || e->item_cost[item] < cost)
				continue;
			cell->generation = e->generation;
			lode_vec_append(&e->alive, (uint64_t)i << 32 | item);
		}
	}
}

/* Keeps what this sequence has as well. */
static void filter_alive(struct lode_enclosure *e, uint32_t n_pattern)
{
	size_t n = 0, k = 0;

	e->work += e->alive.n;
	for (uint32_t i = 0; i < n_pattern && k < e->alive.n; i++) {
		const struct shown_window window = enter_window(e, e->path, i);

		for (; k < e->alive.n && e->alive.at[k] >> 32 == i; k++)
			if (has_item(&window, (uint32_t)e->alive.at[k]))
				e->alive.at[n++] = e->alive.at[k];
	}
	e->alive.n = n;
}

/* A stride that visits all of 0..n-1 with neighbours far apart: they differ soonest. */
static uint32_t far_stride(uint32_t n)
{
	uint32_t step = (uint32_t)(0.618 * n) | 1, a, b;

	for (;; step += 2) {
		for (a = n, b = step; b;) {
			uint32_t rest = a % b;

			a = b;
			b = rest;
		}
		if (a == 1)
			return step % n;
	}
}

/* How far two paths are the same nodes: those of a prefix tree are, as far as their items are. */
static uint32_t shared_length(const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b)
{
	uint32_t n = n_a < n_b ? n_a : n_b, x = 0;
	uint64_t two_of_a, two_of_b;

	for (; x + 2 <= n; x += 2) {
		memcpy(&two_of_a, a + x, sizeof(two_of_a));
		memcpy(&two_of_b, b + x, sizeof(two_of_b));
		if (two_of_a != two_of_b)
			break;
	}
	while (x < n && a[x] == b[x])
		x++;
	return x;
}

/*
 * Goes on along the path from x, where i items are matched, until `end` are; the next of them is
 * items[0]. A branch for each, which most often goes as before, is quicker than waiting for a sum.
 */
static uint32_t match_on(struct lode_enclosure *e, const uint32_t *items, uint32_t n, uint32_t end,
			 uint32_t *x, uint32_t i)
{
	uint32_t at = *x;

	for (; at < n && i < end; at++) {
		if (e->path[at] == *items) {
			items++;
			i++;
		}
		e->matched[at] = i;
	}
	*x = at;
	return i;
}

/*
 * Does a sequence take the witness, one of those alive: an item put before pattern[place]? Its
 * items down to `v` then contain the longer pattern, which one walk tells. It begins where the path
 * leaves that of the node before.
 */
static bool takes(struct lode_enclosure *e, const uint32_t *pattern, uint32_t n_pattern,
		  uint64_t witness, uint32_t v)
{
	const struct lode_prefix_tree *t = e->tree;
	uint32_t place = (uint32_t)(witness >> 32), item = (uint32_t)witness;
	uint32_t n = t->depth[v] + 1, x = 0, i = 0;
	/* e->path is still that of the last one. */
	const uint32_t *path = t->items + t->start[t->first_sequence[v]];

	if (e->last != UINT32_MAX) {
		uint32_t n_last = t->depth[e->last] + 1;

		x = shared_length(e->path, n_last, path, n);
		i = x ? e->matched[x - 1] : 0;
		e->work += n_last - x;
	}
	e->work += n - x + 1;
	e->last = v;
	e->path = path;
	i = match_on(e, pattern + i, n, place, &x, i);
	for (; x < n && i == place; x++) {
		i += e->path[x] == item;
		e->matched[x] = i;
	}
	if (i > place)
		i = match_on(e, pattern + i - 1, n, n_pattern + 1, &x, i);
	for (; x < n; x++)
		e->matched[x] = i;
	return i > n_pattern;
}

/* The commonest item: likely in all. */
static uint64_t choose_witness(const struct lode_enclosure *e)
{
	uint64_t best = e->alive.at[0];

	for (size_t k = 1; k < e->alive.n; k++)
		if ((uint32_t)e->alive.at[k] > (uint32_t)best)
			best = e->alive.at[k];
	return best;
}

/* What is alive after the sequence of one more node; the first one gives what there is. */
static void filter_at(struct lode_enclosure *e, const uint32_t *pattern, uint32_t n_pattern,
		      uint32_t v, bool is_first, int64_t cost)
{
	path_to(e, v);
	embed_left(e->path, pattern, n_pattern, e->left);
	embed_right(e->path, pattern, n_pattern, e->tree->depth[v] + 1, e->right);
	if (is_first)
		collect_alive(e, n_pattern, cost);
	else
		filter_alive(e, n_pattern);
}

/*
 * One item that all sequences take is enough. So once the first few have ruled out most, a witness,
 * one of those alive, is looked for in the others, which takes a fraction of a filter's time. Where
 * it is missing, that sequence filters the rest, and the next witness goes all the way round; after
 * some of these, the filter does.
 */
bool lode_is_enclosed(struct lode_enclosure *e, const uint32_t *pattern, uint32_t n_pattern,
		      const uint32_t *nodes, uint32_t n_nodes, int64_t cost)
{
	uint32_t step = n_nodes > 3 ? far_stride(n_nodes) : 1, n_filtered = 0;
	uint64_t at = 0, witness = 0;
	bool has_witness = false;

	e->last = UINT32_MAX;

	if (is_enclosed_before_parting(e, pattern, n_pattern, nodes, n_nodes))
		return true;
	/* n_seen nodes in a row have the witness, or were filtered by. */
	for (uint32_t n_seen = 0; n_seen < n_nodes; n_seen++, at = (at + step) % n_nodes) {
		uint32_t v = nodes[at];

		if (e->tree->weight[v] == 0 ||
		    (has_witness && takes(e, pattern, n_pattern, witness, v)))
			continue;
		filter_at(e, pattern, n_pattern, v, n_filtered++ == 0, cost);
		if (e->alive.n == 0)
			return false;
		if (has_witness || n_filtered == FILTERED_FIRST)
			n_seen = 0;
		has_witness = n_filtered >= FILTERED_FIRST && n_filtered < MOST_FILTERED;
		if (has_witness) {
			step = 1;
			witness = choose_witness(e);
			e->last = UINT32_MAX;
		}
	}
	return n_filtered > 0;
}

/* Counts the items in the windows of one sequence; true once one of them costs enough. */
static bool count_windows(struct lode_enclosure *e, uint32_t s, uint32_t n_pattern,
			  int64_t min_cost)
{
	const uint32_t *items = &e->tree->items[e->tree->start[s]];
	int64_t cost = e->tree->cost[s];

	for (uint32_t i = 0; i < n_pattern; i++) {
		const struct shown_window window = enter_window(e, items, i);

		for (uint32_t k = 0; k < window.n; k++) {
			struct lode_enclosure_cell *cell = cell_at(e, i, window.items[k]);

			if (cell->generation != e->generation) {
				cell->generation = e->generation;
				cell->cost = cost;
			} else if (cell->last_sequence != s) {
				cell->cost += cost;
			}
			cell->last_sequence = s;
			if (cell->cost >= min_cost)
				return true;
		}
	}
	return false;
}

bool lode_can_take_more(struct lode_enclosure *e, const uint32_t *pattern, uint32_t n_pattern,
			const uint32_t *nodes, uint32_t n_nodes, int64_t min_cost)
{
	const struct lode_prefix_tree *t = e->tree;

	e->generation++;
	for (uint32_t k = 0; k < n_nodes; k++) {
		uint32_t first = t->first_sequence[nodes[k]];

		embed_left(&t->items[t->start[first]], pattern, n_pattern, e->left);
		for (uint32_t s = first; s < t->first_sequence[t->end[nodes[k]]]; s++) {
			uint32_t len = t->start[s + 1] - t->start[s];

			e->work += len;
			embed_right(&t->items[t->start[s]], pattern, n_pattern, len, e->right);
			if (count_windows(e, s, n_pattern, min_cost))
				return true;
		}
	}
	return false;
}
