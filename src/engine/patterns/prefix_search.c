/* Search by prefixes on a prefix tree, with costs (BIDE). */
#include "engine/patterns/prefix_search.h"

#include <pthread.h>
#include <stdatomic.h>

#include "engine/patterns/enclosure.h"
#include "engine/patterns/holders.h"
#include "engine/patterns/prefix_tree.h"
#include "engine/patterns/projection.h"
#include "base/pool.h"

/* So many of the patterns known are compared with a task when it begins. */
enum { NEWEST_KNOWN = 64 };

/* One prefix on the way down: its projection, and what may follow. */
struct level {
	lode_range_vec ranges;
	const struct lode_view *view; /* that `ranges` are of: the parent's */
	struct lode_extensions extensions;
	struct lode_extensions spare;
	struct lode_holders holders;
	LODE_VEC(uint32_t) left; /* extensions still to grow by */
	int64_t cost;		 /* of what is not dropped, once known patterns hold the prefix */
};

/* A prefix to start from, for any thread: large ones are split into their children first. */
struct task {
	uint32_t *pattern, *nodes;
	uint32_t n_pattern, n_nodes;
	int64_t cost;
	uint64_t size; /* entries below the projection */
	/* Known patterns that hold it, at least those by which sequences were dropped from it. */
	struct lode_holders holders;
	bool is_done;
	/* What is left of it since it was interrupted, deepest prefix first: of each the items that
	   it is still to be grown by, their number, and its length. Empty: not begun, or done. */
	LODE_VEC(uint32_t) path;
};

typedef LODE_VEC(struct task) task_vec;

struct lode_prefix_search {
	struct lode_prefix_options options;
	struct lode_prefix_tree tree;
	uint64_t max_work; /* of this run */
	struct lode_view whole;
	struct worker *workers;
	task_vec tasks;
	task_vec *children; /* per task: what it was split into */
	uint64_t split_size;
	lode_known_vec found; /* by all threads; their arenas have the items */
	pthread_mutex_t lock; /* of `found` */
	atomic_size_t n_found;
	atomic_uint_fast64_t work;
	atomic_int end; /* enum lode_prefix_end */
};

struct worker {
	struct lode_prefix_search *search;
	struct lode_enclosure enclosure;
	struct lode_counting counting;
	struct lode_holding holding;
	LODE_VEC(struct level *) levels;
	LODE_VEC(uint32_t) nodes; /* of the projection in question */
	LODE_VEC(uint32_t) path;  /* of the task at hand, when it is interrupted */
	size_t n_resumable;	  /* how much of the task's former path is still to be gone */
	lode_range_vec ranges;	  /* scratch, as are these: */
	struct lode_holders holders;
	uint32_t *pattern;
	uint32_t n_pattern;
	struct lode_arena arena; /* items of what it has found */
	lode_known_vec known;	 /* what was found when it last looked, by any thread */
};

static struct level *level_at(struct worker *w, size_t depth)
{
	while (w->levels.n <= depth)
		lode_vec_append(&w->levels, lode_alloc0(1, sizeof(struct level)));
	return w->levels.at[depth];
}

/* Since it was last added to that of all threads. */
static uint64_t fresh_work(const struct worker *w)
{
	return w->enclosure.work + w->counting.work + w->holding.work;
}

static void forget_work(struct worker *w)
{
	w->enclosure.work = w->counting.work = w->holding.work = 0;
}

/* What other threads have found need not be found again. */
static void learn_found(struct worker *w)
{
	struct lode_prefix_search *s = w->search;

	pthread_mutex_lock(&s->lock);
	lode_vec_append_all(&w->known, s->found.at + w->known.n, s->found.n - w->known.n);
	pthread_mutex_unlock(&s->lock);
}

/* Adds up what the threads have done, now and then; false when it is time to stop. */
static bool may_go_on(struct worker *w)
{
	struct lode_prefix_search *s = w->search;
	uint64_t work = fresh_work(w);

	if (work > 1 << 16) {
		forget_work(w);
		learn_found(w);
		work += atomic_fetch_add(&s->work, work);
		if (s->max_work && work > s->max_work)
			atomic_store(&s->end, LODE_PREFIX_GAVE_UP);
	}
	return atomic_load_explicit(&s->end, memory_order_relaxed) == LODE_PREFIX_DONE;
}

static void add_pattern(struct worker *w, int64_t cost)
{
	struct lode_prefix_search *s = w->search;
	uint32_t *items = lode_arena_array(&w->arena, uint32_t, w->n_pattern);
	struct lode_known_pattern pattern = {items, w->n_pattern, cost};

	memcpy(items, w->pattern, w->n_pattern * sizeof(*items));
	pthread_mutex_lock(&s->lock);
	lode_vec_append(&s->found, pattern);
	pthread_mutex_unlock(&s->lock);
	if (atomic_fetch_add(&s->n_found, 1) >= s->options.max_patterns && s->options.max_patterns)
		atomic_store(&s->end, LODE_PREFIX_TOO_MANY);
	learn_found(w);
}

/* Nothing can follow this prefix: a pattern, unless something can go before or between. When no
   known pattern holds it, nothing was dropped from it. */
static void end_prefix(struct worker *w, const struct level *level)
{
	int64_t cost = 0;

	if (w->n_pattern == 0 || level->holders.all.n)
		return;
	w->nodes.n = 0;
	for (size_t k = 0; k < level->ranges.n; k++) {
		uint32_t node = level->ranges.at[k].above - 1;

		lode_vec_append(&w->nodes, node);
		cost += w->search->tree.weight[node];
	}
	if (!lode_can_take_more(&w->enclosure, w->pattern, w->n_pattern, w->nodes.at,
				(uint32_t)w->nodes.n, w->search->options.min_cost))
		add_pattern(w, cost);
}

/* The prefix grown by extension i becomes the child level, unless BackScan closes it: mostly by
   what stands right before the extension, which the projection has found out already. */
static bool enter_child(struct worker *w, const struct level *level, size_t i, struct level *child)
{
	const struct lode_extensions *x = &level->extensions;

	if (x->between.at[i])
		return false;
	w->nodes.n = child->ranges.n = 0;
	child->view = &x->view;
	for (uint32_t k = x->first.at[i]; k < x->first.at[i + 1]; k++) {
		uint32_t entry = x->entries.at[k], node = x->view.node[entry];
		struct lode_range range = {entry + 1, x->view.end[entry], node + 1};

		lode_vec_append(&w->nodes, node);
		lode_vec_append(&child->ranges, range);
	}
	w->pattern[w->n_pattern] = x->items.at[i];
	return !lode_is_enclosed(&w->enclosure, w->pattern, w->n_pattern + 1, w->nodes.at,
				 (uint32_t)w->nodes.n, x->cost.at[i]);
}

/* What the level's ranges are in the view that was made of them. */
static void find_ranges(const struct worker *w, struct level *level)
{
	const struct lode_view *view = &level->extensions.view;
	const uint32_t *ends = w->search->tree.end;
	uint32_t at = 0;

	for (size_t k = 0; k < level->ranges.n; k++) {
		struct lode_range *range = &level->ranges.at[k];
		uint32_t end = range->above ? ends[range->above - 1] : UINT32_MAX;

		range->low = at;
		while (at < view->n && view->node[at] < end)
			at = view->end[at];
		range->high = at;
	}
}

/*
 * Do all sequences go on with the same item? Then the prefix takes it: whatever else grows from
 * here lacks an item that stands right behind the prefix. And if nothing enclosed the prefix,
 * nothing encloses the longer one. Sequences that end here count only if no known pattern holds the
 * prefix.
 */
static bool take_next(struct worker *w, struct level *level)
{
	const struct lode_view *view = &level->extensions.view;
	lode_range_vec ranges;
	struct lode_holders holders;
	uint32_t item = UINT32_MAX;
	int64_t cost = 0;

	w->ranges.n = 0;
	for (size_t k = 0; k < level->ranges.n; k++) {
		uint32_t high = level->ranges.at[k].high;

		for (uint32_t i = level->ranges.at[k].low; i < high; i = view->end[i]) {
			struct lode_range next = {i + 1, view->end[i], view->node[i] + 1};

			w->counting.work++;
			if (view->weight[i] == 0)
				continue;
			if (item == UINT32_MAX)
				item = view->item[i];
			if (view->item[i] != item)
				return false;
			cost += view->weight[i];
			lode_vec_append(&w->ranges, next);
		}
	}
	if (cost < w->search->options.min_cost || (level->holders.all.n == 0 && cost < level->cost))
		return false;
	ranges = level->ranges;
	level->ranges = w->ranges;
	w->ranges = ranges;
	lode_holders_grow(&w->holders, &level->holders, item, &w->holding);
	holders = level->holders;
	level->holders = w->holders;
	w->holders = holders;
	level->cost = cost;
	w->pattern[w->n_pattern++] = item;
	return true;
}

/* The view's projection becomes the level's; false when nothing is left that can follow. */
static bool project_again(struct worker *w, struct level *level)
{
	struct lode_prefix_search *s = w->search;
	struct lode_extensions made;

	if (!lode_project(&level->spare, &w->counting, &level->extensions.view, &level->ranges,
			  s->options.min_cost, &s->tree))
		return false;
	made = level->spare;
	level->spare = level->extensions;
	level->extensions = made;
	find_ranges(w, level);
	return true;
}

/*
 * What may follow the prefix, but for what known patterns hold, and once the prefix has taken all
 * that its sequences go on with; false when nothing may.
 */
static bool project(struct worker *w, struct level *level)
{
	struct lode_prefix_search *s = w->search;
	bool has_taken;

	if (!lode_project(&level->extensions, &w->counting, level->view, &level->ranges,
			  s->options.min_cost, &s->tree))
		return false;
	level->view = &level->extensions.view;
	find_ranges(w, level);
	if (w->n_pattern == 0)
		return true;
	level->cost = 0;
	for (size_t k = 0; k < level->ranges.n; k++)
		level->cost += s->tree.weight[level->ranges.at[k].above - 1];
	do {
		while (lode_holders_drop(&level->extensions.view, &level->holders, &w->holding))
			if (!project_again(w, level))
				return false;
		has_taken = false;
		while (take_next(w, level))
			has_taken = true;
		if (has_taken && !project_again(w, level))
			return false;
	} while (has_taken);
	return true;
}

/* The prefix with all that follows it in every sequence, and its extensions. */
static bool enter_prefix(struct worker *w, struct level *level)
{
	bool can_grow;

	lode_holders_update(&level->holders, &w->known, w->pattern, w->n_pattern, &w->holding);
	can_grow = project(w, level);
	lode_holders_update(&level->holders, &w->known, w->pattern, w->n_pattern, &w->holding);
	if (!can_grow)
		end_prefix(w, level);
	return can_grow;
}

/* The extensions that are left: all, but where the search was interrupted, when the prefix is still
   the same. Patterns found since may have left it fewer of them, or have made it longer. */
static void choose_left(struct worker *w, struct level *level, const struct task *task)
{
	const struct lode_extensions *x = &level->extensions;
	const uint32_t *path = task->path.at;
	bool is_same = w->n_resumable && path[w->n_resumable - 1] == w->n_pattern;
	uint32_t n_left, next;

	level->left.n = 0;
	if (!is_same) {
		w->n_resumable = 0;
		for (uint32_t i = 0; i < x->items.n; i++)
			lode_vec_append(&level->left, i);
		return;
	}
	n_left = path[w->n_resumable - 2];
	w->n_resumable -= 2 + (size_t)n_left;
	next = path[w->n_resumable];
	for (uint32_t k = 0; k < n_left; k++)
		for (uint32_t i = 0; i < x->items.n; i++)
			if (x->items.at[i] == path[w->n_resumable + k])
				lode_vec_append(&level->left, i);
	if (level->left.n == 0 || x->items.at[level->left.at[0]] != next)
		w->n_resumable = 0;
}

/* Notes from which extension on the prefix is still to be grown. */
static void note_left(struct worker *w, const struct level *level, size_t from)
{
	for (size_t k = from; k < level->left.n; k++)
		lode_vec_append(&w->path, level->extensions.items.at[level->left.at[k]]);
	lode_vec_append(&w->path, (uint32_t)(level->left.n - from));
	lode_vec_append(&w->path, w->n_pattern);
}

/*
 * Everything that grows from the prefix at `depth`; no deeper than the longest sequence. False when
 * it was interrupted, which it is not on the way to where it was interrupted before; `path` then
 * has what is left.
 */
static bool visit(struct worker *w, size_t depth, const struct task *task)
{
	struct level *child = level_at(w, depth + 1), *level = w->levels.at[depth];
	uint32_t n_pattern = w->n_pattern;
	bool is_done = true;

	if (w->n_resumable == 0 && !may_go_on(w))
		return false;
	if (enter_prefix(w, level)) {
		choose_left(w, level, task);
		for (size_t k = 0; k < level->left.n && is_done; k++) {
			uint32_t i = level->left.at[k];

			if (!enter_child(w, level, i, child)) {
				w->n_resumable = 0;
				continue;
			}
			lode_holders_grow(&child->holders, &level->holders,
					  level->extensions.items.at[i], &w->holding);
			w->n_pattern++;
			is_done = visit(w, depth + 1, task);
			w->n_pattern--;
			if (!is_done)
				note_left(w, level, k);
		}
	} else {
		w->n_resumable = 0;
	}
	w->n_pattern = n_pattern;
	return is_done;
}

/* All of a task that is left. */
static void visit_task(struct worker *w, struct task *task)
{
	w->n_resumable = task->path.n;
	w->path.n = 0;
	task->is_done = visit(w, 0, task);
	task->path.n = 0;
	for (size_t k = 0; k < w->path.n; k++)
		lode_vec_append(&task->path, w->path.at[k]);
}

/* The children of a large prefix become tasks of their own. */
static void split_prefix(struct worker *w, task_vec *children)
{
	struct level *child = level_at(w, 1), *level = w->levels.at[0];

	if (!enter_prefix(w, level))
		return;
	for (uint32_t i = 0; i < level->extensions.items.n; i++) {
		struct task task = {.n_pattern = w->n_pattern + 1};

		if (!enter_child(w, level, i, child))
			continue;
		task.n_nodes = (uint32_t)w->nodes.n;
		task.cost = level->extensions.cost.at[i];
		task.pattern = lode_alloc(task.n_pattern * sizeof(*task.pattern));
		memcpy(task.pattern, w->pattern, task.n_pattern * sizeof(*task.pattern));
		task.nodes = lode_alloc(w->nodes.n * sizeof(*task.nodes));
		memcpy(task.nodes, w->nodes.at, w->nodes.n * sizeof(*task.nodes));
		lode_holders_grow(&task.holders, &level->holders, level->extensions.items.at[i],
				  &w->holding);
		for (size_t k = 0; k < child->ranges.n; k++)
			task.size += child->ranges.at[k].high - child->ranges.at[k].low;
		lode_vec_append(children, task);
	}
}

/*
 * A task begun before may come by what it has found again, unless it knows all of that. Else it
 * saves work to know patterns, but there may be more tasks and patterns than that is worth.
 */
static void begin_holders(const struct worker *w, struct level *level, const struct task *task)
{
	struct lode_holders *holders = &level->holders;

	holders->all.n = 0;
	lode_vec_append_all(&holders->all, task->holders.all.at, task->holders.all.n);
	holders->n_seen = task->holders.n_seen;
	if (task->path.n == 0 && w->known.n > holders->n_seen + NEWEST_KNOWN)
		holders->n_seen = w->known.n - NEWEST_KNOWN;
}

static void run_task(void *context, size_t index, unsigned worker)
{
	struct lode_prefix_search *s = context;
	struct worker *w = &s->workers[worker];
	struct task *task = &s->tasks.at[index];
	struct level *level = level_at(w, 0);
	struct lode_range all = {0, s->tree.n, 0};

	if (task->is_done || !may_go_on(w))
		return;
	learn_found(w);
	level->view = &s->whole;
	level->ranges.n = 0;
	begin_holders(w, level, task);
	w->n_pattern = task->n_pattern;
	if (task->n_pattern == 0)
		lode_vec_append(&level->ranges, all);
	else
		memcpy(w->pattern, task->pattern, task->n_pattern * sizeof(*w->pattern));
	for (uint32_t i = 0; i < task->n_nodes; i++) {
		uint32_t node = task->nodes[i];
		struct lode_range range = {node + 1, s->tree.end[node], node + 1};

		lode_vec_append(&level->ranges, range);
	}
	if (task->size < s->split_size) {
		visit_task(w, task);
	} else {
		split_prefix(w, &s->children[index]);
		task->is_done = true;
	}
}

static void task_release(struct task *task)
{
	free(task->pattern);
	free(task->nodes);
	lode_holders_release(&task->holders);
	lode_vec_release(&task->path);
}

/* What the tasks were split into is the next wave. */
static void next_wave(struct lode_prefix_search *s)
{
	task_vec next = {0};

	for (size_t i = 0; i < s->tasks.n; i++) {
		for (size_t k = 0; k < s->children[i].n; k++)
			lode_vec_append(&next, s->children[i].at[k]);
		lode_vec_release(&s->children[i]);
		task_release(&s->tasks.at[i]);
	}
	free(s->children);
	lode_vec_release(&s->tasks);
	s->tasks.at = next.at;
	s->tasks.n = next.n;
	s->tasks.capacity = next.capacity;
	s->children = lode_alloc0(s->tasks.n, sizeof(*s->children));
}

enum lode_prefix_end lode_prefix_search_run(struct lode_prefix_search *s, uint64_t max_work)
{
	enum lode_prefix_end end = LODE_PREFIX_DONE;

	s->max_work = max_work;
	atomic_store(&s->work, 0);
	atomic_store(&s->end, LODE_PREFIX_DONE);
	while (s->tasks.n) {
		lode_pool_run(s->options.n_threads, s->tasks.n, run_task, s);
		end = (enum lode_prefix_end)atomic_load(&s->end);
		if (end != LODE_PREFIX_DONE)
			break;
		next_wave(s);
	}
	if (s->options.work) {
		*s->options.work += atomic_load(&s->work);
		for (unsigned k = 0; s->workers && k < s->options.n_threads; k++) {
			*s->options.work += fresh_work(&s->workers[k]);
			forget_work(&s->workers[k]);
		}
	}
	return end;
}

static void worker_init(struct worker *w, struct lode_prefix_search *s,
			const struct lode_reduced *reduced)
{
	w->search = s;
	w->pattern = lode_alloc(((size_t)s->tree.max_depth + 1) * sizeof(*w->pattern));
	lode_enclosure_init(&w->enclosure, &s->tree, reduced->item_cost);
	lode_counting_init(&w->counting, s->tree.n_items);
	lode_holding_init(&w->holding, s->tree.n_items);
}

static void worker_release(struct worker *w)
{
	for (size_t i = 0; i < w->levels.n; i++) {
		lode_vec_release(&w->levels.at[i]->ranges);
		lode_vec_release(&w->levels.at[i]->left);
		lode_holders_release(&w->levels.at[i]->holders);
		lode_extensions_release(&w->levels.at[i]->extensions);
		lode_extensions_release(&w->levels.at[i]->spare);
		free(w->levels.at[i]);
	}
	lode_vec_release(&w->levels);
	lode_vec_release(&w->nodes);
	lode_vec_release(&w->path);
	free(w->pattern);
	lode_enclosure_release(&w->enclosure);
	lode_counting_release(&w->counting);
	lode_holding_release(&w->holding);
	lode_holders_release(&w->holders);
	lode_vec_release(&w->ranges);
	lode_vec_release(&w->known);
	lode_arena_release(&w->arena);
}

struct lode_prefix_search *lode_prefix_search_new(const struct lode_reduced *reduced,
						  const struct lode_prefix_options *options)
{
	struct lode_prefix_search *s = lode_alloc0(1, sizeof(*s));
	struct task whole = {0};

	pthread_mutex_init(&s->lock, NULL);
	s->options = *options;
	if (s->options.n_threads == 0)
		s->options.n_threads = 1;
	if (reduced->n == 0)
		return s;
	lode_prefix_tree_build(&s->tree, reduced);
	/* Small enough to keep all threads busy, large enough to make few tasks. */
	s->split_size =
		s->options.n_threads > 1 ? s->tree.n / (8 * s->options.n_threads) + 1 : UINT64_MAX;
	lode_view_init(&s->whole, &s->tree);
	s->workers = lode_alloc0(s->options.n_threads, sizeof(*s->workers));
	for (unsigned k = 0; k < s->options.n_threads; k++)
		worker_init(&s->workers[k], s, reduced);
	whole.size = s->tree.n;
	lode_vec_append(&s->tasks, whole);
	s->children = lode_alloc0(1, sizeof(*s->children));
	return s;
}

void lode_prefix_search_free(struct lode_prefix_search *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->tasks.n; i++) {
		for (size_t k = 0; k < s->children[i].n; k++)
			task_release(&s->children[i].at[k]);
		lode_vec_release(&s->children[i]);
		task_release(&s->tasks.at[i]);
	}
	free(s->children);
	lode_vec_release(&s->tasks);
	if (s->workers) {
		for (unsigned k = 0; k < s->options.n_threads; k++)
			worker_release(&s->workers[k]);
		free(s->whole.node);
		lode_prefix_tree_release(&s->tree);
	}
	free(s->workers);
	lode_vec_release(&s->found);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void lode_prefix_search_collect(struct lode_prefix_patterns *out,
				const struct lode_prefix_search *s)
{
	lode_vec_append(&out->start, 0);
	for (size_t i = 0; i < s->found.n; i++) {
		const struct lode_known_pattern *p = &s->found.at[i];

		lode_vec_append_all(&out->items, p->items, p->n);
		lode_vec_append(&out->start, out->items.n);
		lode_vec_append(&out->cost, p->cost);
	}
	out->n = s->found.n;
}

void lode_prefix_patterns_release(struct lode_prefix_patterns *patterns)
{
	lode_vec_release(&patterns->items);
	lode_vec_release(&patterns->start);
	lode_vec_release(&patterns->cost);
	patterns->n = 0;
}
