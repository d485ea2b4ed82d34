#include "analyses/patterns/prefix_search.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "analyses/patterns/enclosure.h"
#include "analyses/patterns/prefix_tree.h"
#include "analyses/patterns/projection.h"
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
};

typedef LODE_VEC(struct task) task_vec;

struct search {
	const struct lode_prefix_options *options;
	const struct lode_prefix_tree *tree;
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
	struct search *search;
	struct lode_enclosure enclosure;
	struct lode_counting counting;
	LODE_VEC(struct level *) levels;
	LODE_VEC(uint32_t) nodes; /* of the projection in question */
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

/* Adds up what the threads have done, now and then; false when it is time to stop. */
static bool may_go_on(struct worker *w)
{
	struct search *s = w->search;
	uint64_t work = w->enclosure.work + w->counting.work;

	if (work > 1 << 16) {
		w->enclosure.work = w->counting.work = 0;
		work += atomic_fetch_add(&s->work, work);
		if (s->options->max_work && work > s->options->max_work)
			atomic_store(&s->end, LODE_PREFIX_GAVE_UP);
	}
	return atomic_load_explicit(&s->end, memory_order_relaxed) == LODE_PREFIX_DONE;
}

static void add_pattern(struct worker *w, int64_t cost)
{
	struct search *s = w->search;

	for (uint32_t i = 0; i < w->n_pattern; i++)
		lode_vec_append(&w->found.items, w->pattern[i]);
	lode_vec_append(&w->found.start, w->found.items.n);
	lode_vec_append(&w->found.cost, cost);
	w->found.n++;
	if (atomic_fetch_add(&s->n_found, 1) >= s->options->max_patterns &&
	    s->options->max_patterns)
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
		cost += w->search->tree->weight[node];
	}
	if (!lode_can_take_more(&w->enclosure, w->pattern, w->n_pattern, w->nodes.at,
				(uint32_t)w->nodes.n, w->search->options->min_cost))
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

/* Everything that grows from the prefix at `depth`. No deeper than the longest sequence. */
static void visit(struct worker *w, size_t depth)
{
	struct level *child = level_at(w, depth + 1), *level = w->levels.at[depth];

	if (!may_go_on(w))
		return;
	if (!lode_project(&level->extensions, &w->counting, level->view, &level->ranges,
			  w->search->options->min_cost, w->search->tree)) {
		end_prefix(w, level);
		return;
	}
	for (size_t i = 0; i < level->extensions.items.n; i++) {
		if (!enter_child(w, level, i, child))
			continue;
		w->n_pattern++;
		visit(w, depth + 1);
		w->n_pattern--;
	}
}

/* The children of a large prefix become tasks of their own. */
static void split(struct worker *w, task_vec *children)
{
	struct level *child = level_at(w, 1), *level = w->levels.at[0];

	if (!lode_project(&level->extensions, &w->counting, level->view, &level->ranges,
			  w->search->options->min_cost, w->search->tree)) {
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
	struct search *s = context;
	struct worker *w = &s->workers[worker];
	const struct task *task = &s->tasks.at[index];
	struct level *level = level_at(w, 0);
	struct lode_range all = {0, s->tree->n, 0};

	if (!may_go_on(w))
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
		struct lode_range range = {node + 1, s->tree->end[node], node + 1};

		lode_vec_append(&level->ranges, range);
	}
	if (task->size >= s->split_size)
		split(w, &s->children[index]);
	else
		visit(w, 0);
}

/* Runs the tasks in waves, until none is left that was split. */
static void run_waves(struct search *s)
{
	struct task whole = {.size = s->tree->n};

	lode_vec_append(&s->tasks, whole);
	while (s->tasks.n) {
		task_vec next = {0};

		s->children = lode_alloc0(s->tasks.n, sizeof(*s->children));
		lode_pool_run(s->options->n_threads, s->tasks.n, run_task, s);
		for (size_t i = 0; i < s->tasks.n; i++) {
			for (size_t k = 0; k < s->children[i].n; k++)
				lode_vec_append(&next, s->children[i].at[k]);
			lode_vec_release(&s->children[i]);
			free(s->tasks.at[i].pattern);
			free(s->tasks.at[i].nodes);
		}
		free(s->children);
		lode_vec_release(&s->tasks);
		s->tasks.at = next.at;
		s->tasks.n = next.n;
		s->tasks.capacity = next.capacity;
	}
}

static void worker_init(struct worker *w, struct search *s, const struct lode_reduced *reduced)
{
	w->search = s;
	w->pattern = lode_alloc(((size_t)s->tree->max_depth + 1) * sizeof(*w->pattern));
	lode_enclosure_init(&w->enclosure, s->tree, reduced->item_cost);
	lode_counting_init(&w->counting, s->tree->n_items);
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
	free(w->pattern);
	lode_enclosure_release(&w->enclosure);
	lode_counting_release(&w->counting);
	lode_prefix_patterns_release(&w->found);
}

static void collect(struct lode_prefix_patterns *out, const struct search *s, unsigned n_workers)
{
	lode_vec_append(&out->start, 0);
	for (unsigned k = 0; k < n_workers; k++) {
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

enum lode_prefix_end lode_prefix_search(struct lode_prefix_patterns *out,
					const struct lode_reduced *reduced,
					const struct lode_prefix_options *options)
{
	unsigned n_workers = options->n_threads ? options->n_threads : 1;
	struct lode_prefix_options effective = *options;
	struct search s = {.options = &effective};
	struct lode_prefix_tree tree;
	enum lode_prefix_end end;

	if (reduced->n == 0) {
		lode_vec_append(&out->start, 0);
		return LODE_PREFIX_DONE;
	}
	effective.n_threads = n_workers;
	lode_prefix_tree_build(&tree, reduced);
	s.tree = &tree;
	/* Small enough to keep all threads busy, large enough to make few tasks. */
	s.split_size = n_workers > 1 ? tree.n / (8 * n_workers) + 1 : UINT64_MAX;
	lode_view_init(&s.whole, &tree);
	s.workers = lode_alloc0(n_workers, sizeof(*s.workers));
	for (unsigned k = 0; k < n_workers; k++)
		worker_init(&s.workers[k], &s, reduced);
	run_waves(&s);
	end = (enum lode_prefix_end)atomic_load(&s.end);
	if (end == LODE_PREFIX_DONE)
		collect(out, &s, n_workers);
	for (unsigned k = 0; k < n_workers; k++)
		worker_release(&s.workers[k]);
	free(s.workers);
	free(s.whole.node);
	lode_prefix_tree_release(&tree);
	return end;
}

void lode_prefix_patterns_release(struct lode_prefix_patterns *patterns)
{
	lode_vec_release(&patterns->items);
	lode_vec_release(&patterns->start);
	lode_vec_release(&patterns->cost);
	patterns->n = 0;
}
