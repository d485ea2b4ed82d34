#include "analyses/patterns/explore.h"

#include <stdlib.h>

#include "analyses/patterns/condition.h"
#include "analyses/patterns/pivot.h"
#include "analyses/patterns/windows.h"
#include "base/mem.h"
#include "base/pool.h"

/* Sequences by item. */
struct lists {
	LODE_VEC(uint32_t) start, list, seen;
};

/* One level of the recursion: a pattern, its conditional database, and what is known about it. */
struct level {
	struct lode_condition condition;
	struct lode_pivot pivot;
	lode_found_vec known; /* patterns found that contain this level's */
	size_t n_fresh;	      /* of the branch's fresh patterns: how many `known` has seen */
	struct lists lists;   /* of the tail's items to branch on */
	LODE_VEC(uint32_t) selected, pattern; /* of the child that is being visited */
	lode_insertion_vec insertions;
};

struct search {
	const struct lode_explore_options *options;
	struct lode_found *found;
	const struct lode_reduced *reduced;
	struct lists lists;
	struct worker *workers;
	bool stopped;
};

struct worker {
	struct search *search;
	struct level root;
	LODE_VEC(struct level *) levels;
	struct lode_scratch counting;
	struct lode_pivot_scratch pivoting;
	lode_found_vec fresh; /* found since the branch began, by this thread or heard of */
	size_t n_known;	      /* see lode_found_import */
	uint32_t job;
	uint32_t next_open; /* root items below are closed */
};

static void lists_release(struct lists *lists)
{
	lode_vec_release(&lists->start);
	lode_vec_release(&lists->list);
	lode_vec_release(&lists->seen);
}

static void level_release(struct level *level)
{
	lode_condition_release(&level->condition);
	lode_pivot_release(&level->pivot);
	lode_vec_release(&level->known);
	lists_release(&level->lists);
	lode_vec_release(&level->selected);
	lode_vec_release(&level->pattern);
	lode_vec_release(&level->insertions);
}

static struct level *level_at(struct worker *worker, size_t depth)
{
	while (worker->levels.n <= depth)
		lode_vec_append(&worker->levels, lode_alloc0(1, sizeof(struct level)));
	return worker->levels.at[depth];
}

static void publish(struct worker *worker, const uint32_t *items, uint32_t n, int64_t cost)
{
	struct search *search = worker->search;
	size_t n_published = lode_found_publish(search->found, items, n, cost, worker->job,
						&worker->n_known, &worker->fresh);

	if (search->options->max_patterns && n_published > search->options->max_patterns)
		search->stopped = true;
}

/* Brings `known` up to date with what was found since. */
static void refresh_known(struct worker *worker, struct level *level, const uint32_t *names,
			  uint32_t n)
{
	for (; level->n_fresh < worker->fresh.n; level->n_fresh++) {
		const struct lode_found_pattern *m = worker->fresh.at[level->n_fresh];

		if (lode_is_subsequence(names, n, m->items, m->n))
			lode_vec_append(&level->known, m);
	}
}

/*
 * For every item x of `n_items` for which `skip` (may be NULL) is 0: the sequences that contain it,
 * ascending, as list[start[x] .. start[x + 1]).
 */
static void build_lists(struct lists *lists, const struct lode_merge *db, uint32_t n_items,
			const uint8_t *skip)
{
	uint32_t i, at, x, *fill, *seen;
	int pass;

	lode_vec_reserve(&lists->start, (size_t)n_items + 2);
	lode_vec_reserve(&lists->seen, (size_t)n_items + 1);
	memset(lists->start.at, 0, ((size_t)n_items + 2) * sizeof(*lists->start.at));
	/* While filling, fill[x] is where list x grows; once full, that is start[x + 1]. */
	fill = lists->start.at + 1;
	seen = lists->seen.at;
	for (pass = 0; pass < 2; pass++) {
		memset(seen, 0, n_items * sizeof(*seen));
		for (i = 0; i < db->n; i++)
			for (at = db->start.at[i]; at < db->start.at[i + 1]; at++) {
				x = db->items.at[at];
				if (x >= n_items || seen[x] == i + 1 || (skip && skip[x]))
					continue;
				seen[x] = i + 1;
				if (pass == 0)
					fill[x + 1]++;
				else
					lists->list.at[fill[x]++] = i;
			}
		if (pass == 0) {
			for (x = 0; x < n_items; x++)
				fill[x + 1] += fill[x];
			lode_vec_reserve(&lists->list, (size_t)fill[n_items] + 1);
		}
	}
}

static bool visit(struct worker *worker, size_t depth, struct level *parent, uint32_t last_at,
		  int64_t total);

/* Visits the child that has `item` inserted at `slot`; its candidates are in `list`. */
static bool visit_insertion(struct worker *worker, size_t depth, struct level *level,
			    const uint32_t *list, uint32_t n_list, uint32_t slot, uint32_t item,
			    int64_t total)
{
	const struct lode_condition *condition = &level->condition;
	const uint32_t *pattern = condition->pattern.at;
	uint32_t n_pattern = (uint32_t)condition->pattern.n, n_items, i, at, end;
	uint32_t *first, *last;

	lode_vec_reserve(&worker->counting.first, n_pattern + 1);
	lode_vec_reserve(&worker->counting.last, n_pattern + 1);
	first = worker->counting.first.at;
	last = worker->counting.last.at;
	level->selected.n = level->pattern.n = 0;
	for (i = 0; i < n_list; i++) {
		const uint32_t *items = lode_condition_sequence(condition, list[i], &n_items);

		lode_windows_match(items, n_items, pattern, n_pattern, first, last);
		end = lode_window_end(last, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end && items[at] != item; at++)
			;
		if (at < end)
			lode_vec_append(&level->selected, list[i]);
	}
	for (i = 0; i <= n_pattern; i++) {
		if (i == slot)
			lode_vec_append(&level->pattern, item);
		if (i < n_pattern)
			lode_vec_append(&level->pattern, pattern[i]);
	}
	return visit(worker, depth + 1, level, slot, total);
}

static bool branch(struct worker *worker, size_t depth, struct level *level, uint32_t item)
{
	struct lode_condition *condition = &level->condition;
	uint32_t n_all = lode_condition_n_items(condition), slot;
	uint32_t from = level->lists.start.at[item], end = level->lists.start.at[item + 1];

	for (slot = 0; slot <= condition->pattern.n; slot++) {
		int64_t total = condition->cost.at[(size_t)slot * n_all + item];

		if (total && !visit_insertion(worker, depth, level, level->lists.list.at + from,
					      end - from, slot, item, total))
			return false;
	}
	condition->is_open.at[item] = 0;
	return true;
}

/*
 * Finds everything that grows from the child pattern which `parent` has prepared in `selected` and
 * `pattern`. False: stop the whole search.
 */
static bool visit(struct worker *worker, size_t depth, struct level *parent, uint32_t last_at,
		  int64_t total)
{
	struct level *level = level_at(worker, depth);
	struct lode_condition *condition = &level->condition;
	struct lode_selection selection = {.parent = &parent->condition,
					   .sequences = parent->selected.at,
					   .n_sequences = (uint32_t)parent->selected.n,
					   .pattern = parent->pattern.at,
					   .n_pattern = (uint32_t)parent->pattern.n,
					   .last_at = last_at};
	uint32_t *names, n = selection.n_pattern, i;
	size_t k;

	if (worker->search->stopped)
		return false;
	lode_vec_reserve(&worker->pivoting.names, n);
	names = worker->pivoting.names.at;
	for (i = 0; i < n; i++)
		names[i] = parent->condition.global.at[selection.pattern[i]];
	level->known.n = 0;
	for (k = 0; k < parent->known.n; k++)
		if (lode_is_subsequence(names, n, parent->known.at[k]->items,
					parent->known.at[k]->n))
			lode_vec_append(&level->known, parent->known.at[k]);
	level->n_fresh = parent->n_fresh;
	refresh_known(worker, level, names, n);

	lode_condition_count(&level->insertions, &selection, worker->search->options->min_cost,
			     &worker->counting);
	if (level->insertions.n == 0) {
		if (level->known.n == 0)
			publish(worker, names, n, total);
		return true;
	}
	lode_condition_build(condition, &selection, &level->insertions, total, &worker->counting);
	if (level->known.n == 0) {
		int64_t cost = lode_pivot_grow(condition, worker->search->options->min_cost,
					       &worker->counting, &worker->pivoting);

		publish(worker, worker->pivoting.names.at, (uint32_t)worker->pivoting.names.n,
			cost);
		level->pattern.n = 0;
		for (i = 0; i < n; i++)
			lode_vec_append(&level->pattern,
					condition->global.at[condition->pattern.at[i]]);
		refresh_known(worker, level, level->pattern.at, n);
	}
	lode_pivot_choose(&level->pivot, condition, &level->known, &worker->counting,
			  &worker->pivoting);
	/* More of the last item comes first, whatever the pivot: docs/mining.md, order. */
	if (condition->last_item < condition->n_tail &&
	    level->pivot.is_covered.at[condition->last_item]) {
		level->pivot.is_covered.at[condition->last_item] = 0;
		level->pivot.n_covered--;
	}
	if (level->pivot.n_covered == condition->n_tail)
		return true;
	build_lists(&level->lists, &condition->db, condition->n_tail, level->pivot.is_covered.at);
	if (condition->last_item < condition->n_tail &&
	    !branch(worker, depth, level, condition->last_item))
		return false;
	for (i = 0; i < condition->n_tail; i++)
		if (i != condition->last_item && !level->pivot.is_covered.at[i] &&
		    !branch(worker, depth, level, i))
			return false;
	return true;
}

/* The root: the empty pattern, all sequences, every item a branch. */
static void root_init(struct worker *worker)
{
	const struct lode_reduced *reduced = worker->search->reduced;
	struct lode_condition *condition = &worker->root.condition;
	uint32_t i;

	/* Borrowed: root_release takes them out again. */
	condition->db.items.at = reduced->items;
	condition->db.start.at = reduced->start;
	condition->db.weight.at = reduced->weight;
	condition->db.n = reduced->n;
	condition->n_tail = reduced->n_items;
	for (i = 0; i < reduced->n_items; i++) {
		lode_vec_append(&condition->global, i);
		lode_vec_append(&condition->is_open, 1);
	}
}

static void root_release(struct worker *worker)
{
	memset(&worker->root.condition.db, 0, sizeof(worker->root.condition.db));
	level_release(&worker->root);
}

/* All patterns whose rarest item is `job`. */
static void run_branch(void *context, size_t job, unsigned index)
{
	struct search *search = context;
	struct worker *worker = &search->workers[index];
	struct level *root = &worker->root;
	uint32_t item = (uint32_t)job, i;

	if (search->stopped)
		return;
	for (; worker->next_open < item; worker->next_open++)
		root->condition.is_open.at[worker->next_open] = 0;
	worker->job = item;
	worker->n_known = 0;
	worker->fresh.n = 0;
	root->n_fresh = 0;
	root->known.n = 0;
	lode_found_import(search->found, item, &worker->n_known, &root->known);
	root->selected.n = root->pattern.n = 0;
	for (i = search->lists.start.at[item]; i < search->lists.start.at[item + 1]; i++)
		lode_vec_append(&root->selected, search->lists.list.at[i]);
	lode_vec_append(&root->pattern, item);
	visit(worker, 0, root, 0, search->reduced->item_cost[item]);
	if (index == 0 && search->options->progress)
		search->options->progress(search->options->progress_context,
					  (double)(job + 1) / search->reduced->n_items);
}

static void worker_release(struct worker *worker)
{
	size_t i;

	root_release(worker);
	for (i = 0; i < worker->levels.n; i++) {
		level_release(worker->levels.at[i]);
		free(worker->levels.at[i]);
	}
	lode_vec_release(&worker->levels);
	lode_scratch_release(&worker->counting);
	lode_pivot_scratch_release(&worker->pivoting);
	lode_vec_release(&worker->fresh);
}

int lode_explore(struct lode_found *found, const struct lode_reduced *reduced,
		 const struct lode_explore_options *options, struct lode_error *err)
{
	struct search search = {.options = options, .found = found, .reduced = reduced};
	unsigned n_threads = options->n_threads ? options->n_threads : 1, i;

	search.workers = lode_alloc0(n_threads, sizeof(*search.workers));
	for (i = 0; i < n_threads; i++) {
		search.workers[i].search = &search;
		lode_pivot_scratch_init(&search.workers[i].pivoting, reduced->n_items);
		root_init(&search.workers[i]);
	}
	build_lists(&search.lists, &search.workers[0].root.condition.db, reduced->n_items, NULL);
	lode_pool_run(n_threads, reduced->n_items, run_branch, &search);
	for (i = 0; i < n_threads; i++)
		worker_release(&search.workers[i]);
	free(search.workers);
	lists_release(&search.lists);
	if (search.stopped)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "more than %zu patterns",
				 options->max_patterns);
	return 0;
}
