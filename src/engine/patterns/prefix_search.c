/* Search by prefixes on a prefix tree, with costs (BIDE). */
#include "engine/patterns/prefix_search.h"

#include <stdatomic.h>

#include "engine/patterns/enclosure.h"
#include "engine/patterns/prefix_tree.h"
#include "engine/patterns/projection.h"
#include "base/pool.h"

/* One prefix on the way down: its projection, and what may follow. */
struct level {
	lode_range_vec ranges;
	const struct lode_view *view; /* that `ranges` are of: the parent's */
	struct lode_extensions extensions;
};

/* A prefix to start from, for any thread: large ones are split into their children first. */
struct task {
	uint32_t *pattern, *nodes;
	uint32_t n_pattern, n_nodes;
	int64_t cost;
	uint64_t size; /* entries below the projection */
	bool is_done;
	/* Where the search stood in it when it was interrupted: which child of each prefix, deepest
	   first. Empty: not begun, or done. */
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
	atomic_size_t n_found;
	atomic_uint_fast64_t work;
	atomic_int end; /* enum lode_prefix_end */
};

struct worker {
	struct lode_prefix_search *search;
	struct lode_enclosure enclosure;
	struct lode_counting counting;
	LODE_VEC(struct level *) levels;
	LODE_VEC(uint32_t) nodes; /* of the projection in question */
	LODE_VEC(uint32_t) path;  /* of the task at hand, when it is interrupted */
	size_t n_resumed;	  /* how much of the task's former path has been gone */
	uint32_t *pattern;
	uint32_t n_pattern;
	struct lode_prefix_patterns found;
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
	return w->enclosure.work + w->counting.work;
}

static void forget_work(struct worker *w)
{
	w->enclosure.work = w->counting.work = 0;
}

/* Adds up what the threads have done, now and then; false when it is time to stop. */
static bool may_go_on(struct worker *w)
{
	struct lode_prefix_search *s = w->search;
	uint64_t work = fresh_work(w);

	if (work > 1 << 16) {
		forget_work(w);
		work += atomic_fetch_add(&s->work, work);
		if (s->max_work && work > s->max_work)
			atomic_store(&s->end, LODE_PREFIX_GAVE_UP);
	}
	return atomic_load_explicit(&s->end, memory_order_relaxed) == LODE_PREFIX_DONE;
}

static void add_pattern(struct worker *w, int64_t cost)
{
	struct lode_prefix_search *s = w->search;

	for (uint32_t i = 0; i < w->n_pattern; i++)
		lode_vec_append(&w->found.items, w->pattern[i]);
	lode_vec_append(&w->found.start, w->found.items.n);
	lode_vec_append(&w->found.cost, cost);
	w->found.n++;
	if (atomic_fetch_add(&s->n_found, 1) >= s->options.max_patterns && s->options.max_patterns)
		atomic_store(&s->end, LODE_PREFIX_TOO_MANY);
}

/* Nothing can follow this prefix: a pattern, unless something can go before or between. */
static void end_prefix(struct worker *w, const struct level *level)
{
	int64_t cost = 0;

	if (w->n_pattern == 0)
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

/*
 * Everything that grows from the prefix at `depth`; no deeper than the longest sequence. False when
 * it was interrupted, which it is not on the way to where it was interrupted before; `path` then
 * tells which child of each prefix it was at.
 */
static bool visit(struct worker *w, size_t depth, const struct task *task)
{
	struct level *child = level_at(w, depth + 1), *level = w->levels.at[depth];
	bool is_resuming = w->n_resumed < task->path.n, is_done;
	size_t i = 0;

	if (!is_resuming && !may_go_on(w))
		return false;
	if (!lode_project(&level->extensions, &w->counting, level->view, &level->ranges,
			  w->search->options.min_cost, &w->search->tree)) {
		end_prefix(w, level);
		return true;
	}
	if (is_resuming)
		i = task->path.at[task->path.n - ++w->n_resumed];
	for (; i < level->extensions.items.n; i++) {
		if (!enter_child(w, level, i, child))
			continue;
		w->n_pattern++;
		is_done = visit(w, depth + 1, task);
		w->n_pattern--;
		if (!is_done) {
			lode_vec_append(&w->path, (uint32_t)i);
			return false;
		}
	}
	return true;
}

/* All of a task that is left. */
static void visit_task(struct worker *w, struct task *task)
{
	w->n_resumed = w->path.n = 0;
	task->is_done = visit(w, 0, task);
	task->path.n = 0;
	for (size_t k = 0; k < w->path.n; k++)
		lode_vec_append(&task->path, w->path.at[k]);
}

/* The children of a large prefix become tasks of their own. */
static void split_prefix(struct worker *w, task_vec *children)
{
	struct level *child = level_at(w, 1), *level = w->levels.at[0];

	if (!lode_project(&level->extensions, &w->counting, level->view, &level->ranges,
			  w->search->options.min_cost, &w->search->tree)) {
		end_prefix(w, level);
		return;
	}
	for (size_t i = 0; i < level->extensions.items.n; i++) {
		struct task task = {.n_pattern = w->n_pattern + 1};

		if (!enter_child(w, level, i, child))
			continue;
		task.n_nodes = (uint32_t)w->nodes.n;
		task.cost = level->extensions.cost.at[i];
		task.pattern = lode_alloc(task.n_pattern * sizeof(*task.pattern));
		memcpy(task.pattern, w->pattern, task.n_pattern * sizeof(*task.pattern));
		task.nodes = lode_alloc(w->nodes.n * sizeof(*task.nodes));
		memcpy(task.nodes, w->nodes.at, w->nodes.n * sizeof(*task.nodes));
		for (size_t k = 0; k < child->ranges.n; k++)
			task.size += child->ranges.at[k].high - child->ranges.at[k].low;
		lode_vec_append(children, task);
	}
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
	level->view = &s->whole;
	level->ranges.n = 0;
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
}

static void worker_release(struct worker *w)
{
	for (size_t i = 0; i < w->levels.n; i++) {
		lode_vec_release(&w->levels.at[i]->ranges);
		lode_extensions_release(&w->levels.at[i]->extensions);
		free(w->levels.at[i]);
	}
	lode_vec_release(&w->levels);
	lode_vec_release(&w->nodes);
	lode_vec_release(&w->path);
	free(w->pattern);
	lode_enclosure_release(&w->enclosure);
	lode_counting_release(&w->counting);
	lode_prefix_patterns_release(&w->found);
}

struct lode_prefix_search *lode_prefix_search_new(const struct lode_reduced *reduced,
						  const struct lode_prefix_options *options)
{
	struct lode_prefix_search *s = lode_alloc0(1, sizeof(*s));
	struct task whole = {0};

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
	free(s);
}

void lode_prefix_search_collect(struct lode_prefix_patterns *out,
				const struct lode_prefix_search *s)
{
	lode_vec_append(&out->start, 0);
	for (unsigned k = 0; s->workers && k < s->options.n_threads; k++) {
		const struct lode_prefix_patterns *found = &s->workers[k].found;

		for (size_t i = 0; i < found->n; i++) {
			lode_vec_append(&out->start, out->items.n + found->start.at[i]);
			lode_vec_append(&out->cost, found->cost.at[i]);
		}
		for (size_t i = 0; i < found->items.n; i++)
			lode_vec_append(&out->items, found->items.at[i]);
		out->n += found->n;
	}
}

void lode_prefix_patterns_release(struct lode_prefix_patterns *patterns)
{
	lode_vec_release(&patterns->items);
	lode_vec_release(&patterns->start);
	lode_vec_release(&patterns->cost);
	patterns->n = 0;
}
