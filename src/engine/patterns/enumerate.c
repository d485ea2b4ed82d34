/* Search by enumeration of every pattern that reaches λ. */
#include "engine/patterns/enumerate.h"

#include <assert.h>
#include <stdatomic.h>

#include "engine/patterns/follow.h"
#include "base/pool.h"

/* ---- The trie ---- */

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

/* Sets is_contained of all nodes; children must be complete. O(costly patterns * length). */
static void costly_trie_mark(struct lode_costly_trie *trie)
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

/* ---- The search ---- */

/* One prefix on the way down. */
struct level {
	struct lode_follow_db db;
	LODE_VEC(int64_t) cost; /* [x - first row][y]: of the prefix with x, then y behind it */
	struct lode_follow_places places;
};

typedef LODE_VEC(struct lode_trie_node) node_vec;

struct worker {
	struct search *search;
	LODE_VEC(struct level *) levels;
	struct lode_follow_scratch scratch;
	node_vec nodes; /* first_child counts from this worker's first */
	uint64_t work;
	uint32_t depth;
};

struct search {
	const struct lode_enumerate_options *options;
	struct lode_follow_db whole;
	struct worker *workers;
	unsigned n_workers;
	uint32_t rows;		     /* of the whole, per job */
	struct lode_trie_node *tops; /* single items: first_child is that of worker `top_of` */
	unsigned *top_of;
	atomic_uint_fast64_t work;
	atomic_uint_fast64_t n_nodes;
	atomic_int end; /* enum lode_enumerate_end */
};

enum { MOST_CELLS = 1 << 18 }; /* of the costs of one level: 2 MB */

static struct level *level_at(struct worker *w, size_t depth)
{
	while (w->levels.n <= depth)
		lode_vec_append(&w->levels, lode_alloc0(1, sizeof(struct level)));
	return w->levels.at[depth];
}

static bool may_go_on(struct worker *w, uint32_t n_new)
{
	struct search *s = w->search;
	uint64_t work = w->scratch.work;

	if (work > 1 << 16) {
		w->scratch.work = 0;
		work += atomic_fetch_add(&s->work, work);
		if (s->options->max_work && work > s->options->max_work)
			atomic_store(&s->end, LODE_ENUMERATE_GAVE_UP);
	}
	if (n_new && atomic_fetch_add(&s->n_nodes, n_new) + n_new > s->options->max_nodes)
		atomic_store(&s->end, LODE_ENUMERATE_NEVER);
	return atomic_load_explicit(&s->end, memory_order_relaxed) == LODE_ENUMERATE_DONE;
}

/* The children of one row become nodes; gives how many. */
static uint32_t add_children(struct worker *w, const struct lode_follow_db *db, const int64_t *cost,
			     uint32_t *first)
{
	int64_t min_cost = w->search->options->min_cost;
	uint32_t n = 0;

	*first = (uint32_t)w->nodes.n;
	for (uint32_t y = 0; y < db->n_items; y++)
		if (cost[y] >= min_cost) {
			lode_vec_append(&w->nodes,
					((struct lode_trie_node){.cost = cost[y],
								 .item = db->global.at[y]}));
			n++;
		}
	return n;
}

static bool visit(struct worker *w, const struct lode_follow_db *db, uint32_t first_node,
		  uint32_t depth);

/*
 * Rows `from` to `end` of a prefix: what can follow the prefix and one item more. `tops` are the
 * nodes of these, or NULL when they are this worker's from `first_node` on.
 */
static bool visit_rows(struct worker *w, const struct lode_follow_db *db, uint32_t from,
		       uint32_t end, struct lode_trie_node *tops, uint32_t first_node,
		       uint32_t depth)
{
	struct level *level = level_at(w, depth);
	uint32_t m = db->n_items, n_new = 0;

	lode_vec_reserve(&level->cost, (size_t)(end - from) * m);
	lode_follow_count(level->cost.at, db, from, end, &w->scratch);
	lode_follow_places_begin(&level->places, end - from);
	for (uint32_t x = from; x < end; x++) {
		uint32_t first,
			n = add_children(w, db, level->cost.at + (size_t)(x - from) * m, &first);
		struct lode_trie_node *node = tops ? &tops[x] : &w->nodes.at[first_node + x];

		node->first_child = first;
		node->n_children = n;
		n_new += n;
		level->places.is_wanted.at[x - from] = n > 0;
	}
	if (!may_go_on(w, n_new))
		return false;
	if (n_new == 0)
		return true;
	if (depth > w->depth)
		w->depth = depth;
	if (depth >= w->search->options->max_depth) {
		atomic_store(&w->search->end, LODE_ENUMERATE_NEVER);
		return false;
	}
	lode_follow_places_find(&level->places, db, from, &w->scratch);
	/* Costliest first: where patterns are too long, that shows soonest. */
	for (uint32_t x = end; x-- > from;) {
		uint32_t first_child =
			tops ? tops[x].first_child : w->nodes.at[first_node + x].first_child;
		struct level *below = level_at(w, depth + 1);
		int64_t weight;

		if (!level->places.is_wanted.at[x - from])
			continue;
		weight = lode_follow_project(&below->db, db, &level->places, x - from,
					     level->cost.at + (size_t)(x - from) * m,
					     w->search->options->min_cost, &w->scratch);
		if (weight >= w->search->options->min_cost &&
		    !visit(w, &below->db, first_child, depth + 1))
			return false;
	}
	return true;
}

/* Everything that grows from a prefix; its single extensions are nodes from `first_node` on. */
static bool visit(struct worker *w, const struct lode_follow_db *db, uint32_t first_node,
		  uint32_t depth)
{
	uint32_t rows = MOST_CELLS / db->n_items + 1;

	for (uint32_t end = db->n_items, from; end > 0; end = from) {
		from = end > rows ? end - rows : 0;
		if (!visit_rows(w, db, from, end, NULL, first_node, depth))
			return false;
	}
	return true;
}

static void run_job(void *context, size_t job, unsigned index)
{
	struct search *s = context;
	struct worker *w = &s->workers[index];
	uint32_t end = s->whole.n_items - (uint32_t)job * s->rows;
	uint32_t from = end > s->rows ? end - s->rows : 0;

	for (uint32_t x = from; x < end; x++)
		s->top_of[x] = index;
	if (may_go_on(w, end - from))
		visit_rows(w, &s->whole, from, end, s->tops, 0, 1);
}

/* The whole input, borrowed. */
static void whole_init(struct search *s, const struct lode_reduced *reduced)
{
	s->whole.n_items = reduced->n_items;
	s->whole.items.at = reduced->items;
	s->whole.items.n = reduced->start[reduced->n];
	s->whole.start.at = reduced->start;
	s->whole.start.n = (size_t)reduced->n + 1;
	s->whole.weight.at = reduced->weight;
	s->whole.weight.n = reduced->n;
	s->tops = lode_alloc0(reduced->n_items, sizeof(*s->tops));
	s->top_of = lode_alloc0(reduced->n_items, sizeof(*s->top_of));
	for (uint32_t i = 0; i < reduced->n_items; i++) {
		lode_vec_append(&s->whole.global, i);
		s->tops[i] = (struct lode_trie_node){.cost = reduced->item_cost[i], .item = i};
	}
	s->rows = MOST_CELLS / reduced->n_items + 1;
	if (s->n_workers > 1 && s->rows > reduced->n_items / (16 * s->n_workers))
		s->rows = reduced->n_items / (16 * s->n_workers) + 1;
}

/* The nodes of all workers behind those of single items, behind that of the empty pattern. */
static void collect(struct lode_costly_trie *out, struct search *s)
{
	uint32_t n_items = s->whole.n_items, base = n_items + 1;
	uint32_t *base_of = lode_alloc(s->n_workers * sizeof(*base_of));

	for (unsigned k = 0; k < s->n_workers; k++) {
		base_of[k] = base;
		base += (uint32_t)s->workers[k].nodes.n;
		if (s->workers[k].depth + 1 > out->depth)
			out->depth = s->workers[k].depth + 1;
	}
	lode_vec_reserve(&out->nodes, base);
	lode_vec_append(&out->nodes,
			((struct lode_trie_node){.first_child = 1, .n_children = n_items}));
	for (uint32_t i = 0; i < n_items; i++) {
		s->tops[i].first_child += base_of[s->top_of[i]];
		lode_vec_append(&out->nodes, s->tops[i]);
	}
	for (unsigned k = 0; k < s->n_workers; k++) {
		for (size_t i = 0; i < s->workers[k].nodes.n; i++) {
			struct lode_trie_node node = s->workers[k].nodes.at[i];

			node.first_child += base_of[k];
			lode_vec_append(&out->nodes, node);
		}
		lode_vec_release(&s->workers[k].nodes);
	}
	free(base_of);
}

static void release(struct search *s)
{
	for (unsigned k = 0; k < s->n_workers; k++) {
		struct worker *w = &s->workers[k];

		for (size_t i = 0; i < w->levels.n; i++) {
			lode_follow_db_release(&w->levels.at[i]->db);
			lode_follow_places_release(&w->levels.at[i]->places);
			lode_vec_release(&w->levels.at[i]->cost);
			free(w->levels.at[i]);
		}
		lode_vec_release(&w->levels);
		lode_vec_release(&w->nodes);
		lode_follow_scratch_release(&w->scratch);
	}
	free(s->workers);
	lode_vec_release(&s->whole.global);
	free(s->tops);
	free(s->top_of);
}

enum lode_enumerate_end lode_enumerate(struct lode_costly_trie *out,
				       const struct lode_reduced *reduced,
				       const struct lode_enumerate_options *options)
{
	struct search s = {.options = options,
			   .n_workers = options->n_threads ? options->n_threads : 1};
	enum lode_enumerate_end end;

	if (reduced->n_items == 0) {
		(void)lode_vec_append_zero(&out->nodes);
		return LODE_ENUMERATE_DONE;
	}
	whole_init(&s, reduced);
	s.workers = lode_alloc0(s.n_workers, sizeof(*s.workers));
	for (unsigned k = 0; k < s.n_workers; k++)
		s.workers[k].search = &s;
	lode_pool_run(s.n_workers, (reduced->n_items + s.rows - 1) / s.rows, run_job, &s);
	end = (enum lode_enumerate_end)atomic_load(&s.end);
	if (options->work) {
		*options->work += atomic_load(&s.work);
		for (unsigned k = 0; k < s.n_workers; k++)
			*options->work += s.workers[k].scratch.work;
	}
	if (end == LODE_ENUMERATE_DONE) {
		collect(out, &s);
		costly_trie_mark(out);
	}
	release(&s);
	return end;
}
