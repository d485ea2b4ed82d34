/* Searches all maximal patterns of a reduced input by branching on insertions. */
#include "engine/patterns/explore.h"

#include <stdatomic.h>

#include "engine/patterns/children.h"
#include "engine/patterns/condition.h"
#include "engine/patterns/grow.h"
#include "engine/patterns/pivot.h"
#include "engine/patterns/windows.h"
#include "base/pool.h"

/* One level of the recursion: a pattern, its conditional database, and what is known about it. */
struct level {
	struct lode_condition condition;
	LODE_VEC(uint32_t) names; /* the pattern in reduced items */
	lode_found_vec known;	  /* patterns found that contain it */
	size_t n_fresh;		  /* of the branch's fresh patterns: how many `known` has seen */
	struct lode_pivot pivot;
	LODE_VEC(uint32_t) unexplained; /* sequences that may hold something new */
	LODE_VEC(uint8_t) is_settled;	/* per tail item: nothing to branch on */
	struct lode_lists lists;	/* of the others, among the unexplained */
	struct lode_children children;
	LODE_VEC(uint32_t) branches; /* insertions to branch on, as pairs slot * n_items + item */

	/* The child that is being visited: its insertions, and see struct lode_selection. */
	lode_insertion_vec insertions;
	lode_item_vec selected, mandatory, pattern, origin;
	const uint8_t *is_open;
	uint32_t inserted_slot;
	bool has_watched;
	bool keeps_base; /* children have this level's base, watched or not */

	/* The level in whose database super-sequences are to be looked for, and the slot of its
	   pattern that each slot of this one's lies in. */
	size_t base;
	LODE_VEC(uint32_t) base_origin;
};

struct search {
	const struct lode_explore_options *options;
	struct lode_found *found;
	const struct lode_reduced *reduced;
	struct lode_lists lists;
	struct worker *workers;
	unsigned n_workers;
	atomic_int end; /* enum lode_explore_end; DONE while all is well */
	/* Per sequence: a pattern that was found contains all of it, so that it holds nothing new
	   in any branch. Told of long ones only. */
	atomic_uchar *is_spent;
	atomic_uint_fast64_t work;
	atomic_size_t next_check; /* of max_patterns: at that many published patterns */
};

struct worker {
	struct search *search;
	struct level root;
	LODE_VEC(struct level *) levels;
	struct lode_scratch counting;
	struct lode_children_scratch children;
	struct lode_pivot_scratch pivoting;
	struct lode_grower grower;
	LODE_VEC(uint8_t) all_open;
	LODE_VEC(uint8_t) first_open; /* is_open of the first level before it closed anything */
	lode_found_vec fresh;	      /* found since the branch began, by this thread or heard of */
	size_t n_known;		      /* see lode_found_import */
	atomic_uint job;	      /* the item that its branch is about */
	uint32_t next_open;	      /* root items below are closed */
};

static void level_release(struct level *level)
{
	lode_condition_release(&level->condition);
	lode_vec_release(&level->names);
	lode_vec_release(&level->known);
	lode_pivot_release(&level->pivot);
	lode_vec_release(&level->unexplained);
	lode_vec_release(&level->is_settled);
	lode_lists_release(&level->lists);
	lode_children_release(&level->children);
	lode_vec_release(&level->branches);
	lode_vec_release(&level->insertions);
	lode_vec_release(&level->selected);
	lode_vec_release(&level->mandatory);
	lode_vec_release(&level->pattern);
	lode_vec_release(&level->origin);
	lode_vec_release(&level->base_origin);
}

static struct level *level_at(struct worker *worker, size_t depth)
{
	while (worker->levels.n <= depth)
		lode_vec_append(&worker->levels, lode_alloc0(1, sizeof(struct level)));
	return worker->levels.at[depth];
}

/* Since it was last added to that of all threads. */
static uint64_t fresh_work(const struct worker *worker)
{
	return worker->counting.work + worker->children.work + worker->pivoting.work;
}

static bool may_go_on(struct worker *worker)
{
	struct search *search = worker->search;
	uint64_t work = fresh_work(worker);

	if (work > 1 << 14) {
		worker->counting.work = worker->children.work = worker->pivoting.work = 0;
		work += atomic_fetch_add(&search->work, work);
		if (search->options->max_work && work > search->options->max_work)
			atomic_store(&search->end, LODE_EXPLORE_GAVE_UP);
	}
	return atomic_load_explicit(&search->end, memory_order_relaxed) == LODE_EXPLORE_DONE;
}

/*
 * Stops when there are certainly too many. What a branch has published is certain once no branch
 * before it runs any more; branches start in order, and a thread that is between two still names
 * the former one here.
 */
static void check_limit(struct search *search, size_t n_published)
{
	unsigned lowest = UINT32_MAX;

	if (search->options->max_patterns == 0 || n_published < atomic_load(&search->next_check))
		return;
	for (unsigned i = 0; i < search->n_workers; i++) {
		unsigned job = atomic_load(&search->workers[i].job);

		lowest = job < lowest ? job : lowest;
	}
	if (lode_found_count(search->found, lowest) > search->options->max_patterns)
		atomic_store(&search->end, LODE_EXPLORE_TOO_MANY);
	atomic_store(&search->next_check, n_published + n_published / 8 + 1);
}

static void publish(struct worker *worker, const uint32_t *items, uint32_t n, int64_t cost)
{
	struct search *search = worker->search;
	size_t n_published = lode_found_publish(search->found, items, n, cost, worker->job,
						&worker->n_known, &worker->fresh);

	check_limit(search, n_published);
}

/*
 * Publishes a maximal pattern that contains the level's, which no known one does. It is in the
 * level's own database, unless something is watched there: then in that of the nearest level above
 * where nothing was. Where even the first level watches, what it has closed since counts for
 * nothing: it was closed for patterns in which the branch's function is the leftmost.
 */
static void publish_grown(struct worker *worker, const struct level *level)
{
	const struct lode_condition *base = &worker->levels.at[level->base]->condition;
	struct lode_grower *grower = &worker->grower;
	bool is_first = level->base == 0 && base->has_watched;

	lode_grow(grower, base, is_first ? worker->first_open.at : base->is_open.at,
		  level->names.at, (uint32_t)level->names.n, level->base_origin.at,
		  worker->search->options->min_cost, &worker->counting);
	publish(worker, grower->names.at, (uint32_t)grower->names.n, grower->cost);
}

/* Brings `known` up to date with what was found since. */
static void refresh_known(struct worker *worker, struct level *level)
{
	for (; level->n_fresh < worker->fresh.n; level->n_fresh++) {
		const struct lode_found_pattern *m = worker->fresh.at[level->n_fresh];

		if (lode_is_subsequence(level->names.at, (uint32_t)level->names.n, m->items, m->n))
			lode_vec_append(&level->known, m);
	}
}

static void begin_level(struct worker *worker, struct level *level, const struct level *parent)
{
	level->names.n = level->known.n = 0;
	for (size_t i = 0; i < parent->pattern.n; i++)
		lode_vec_append(&level->names, parent->condition.global.at[parent->pattern.at[i]]);
	for (size_t i = 0; i < parent->known.n; i++) {
		const struct lode_found_pattern *m = parent->known.at[i];

		if (lode_is_subsequence(level->names.at, (uint32_t)level->names.n, m->items, m->n))
			lode_vec_append(&level->known, m);
	}
	level->n_fresh = parent->n_fresh;
	refresh_known(worker, level);
}

static struct lode_selection selection_of(const struct level *parent)
{
	return (struct lode_selection){
		.parent = &parent->condition,
		.is_open = parent->is_open,
		.sequences = parent->selected.at,
		.n_sequences = (uint32_t)parent->selected.n,
		.pattern = parent->pattern.at,
		.n_pattern = (uint32_t)parent->pattern.n,
		.origin = parent->origin.at,
		.inserted_slot = parent->inserted_slot,
	};
}

static bool visit(struct worker *worker, size_t depth, struct level *parent, int64_t total);

/* The pattern of the child that has `item` inserted at `slot`. */
static void set_child_pattern(struct level *level, uint32_t slot, uint32_t item)
{
	const struct lode_condition *condition = &level->condition;
	uint32_t n_pattern = (uint32_t)condition->pattern.n;

	level->pattern.n = level->origin.n = 0;
	for (uint32_t i = 0; i <= n_pattern; i++) {
		if (i == slot)
			lode_vec_append(&level->pattern, item);
		if (i < n_pattern)
			lode_vec_append(&level->pattern, condition->pattern.at[i]);
	}
	for (uint32_t i = 0; i <= n_pattern + 1; i++)
		lode_vec_append(&level->origin, i <= slot ? i : i - 1);
	level->inserted_slot = slot;
	level->is_open = condition->is_open.at;
}

/* Its sequences; `list` has all those with the item. */
static void select_child(struct level *level, const uint32_t *list, uint32_t n_list, uint32_t slot,
			 uint32_t item)
{
	const struct lode_condition *condition = &level->condition;
	uint32_t n_pattern = (uint32_t)condition->pattern.n, n_items, at, end;

	level->selected.n = 0;
	for (uint32_t i = 0; i < n_list; i++) {
		const uint32_t *items = lode_condition_sequence(condition, list[i], &n_items);
		const uint32_t *first = lode_condition_windows(condition, list[i]);

		end = lode_window_end(first + n_pattern, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end && items[at] != item; at++)
			;
		if (at < end)
			lode_vec_append(&level->selected, list[i]);
	}
}

static void count_selected(struct worker *worker, struct level *level)
{
	struct lode_selection selection = selection_of(level);

	lode_condition_count(&level->insertions, &selection, worker->search->options->min_cost,
			     &worker->counting);
}

static void select_unexplained(struct level *level)
{
	level->selected.n = level->pattern.n = level->origin.n = 0;
	for (size_t i = 0; i < level->unexplained.n; i++)
		lode_vec_append(&level->selected, level->unexplained.at[i]);
	level->inserted_slot = LODE_NO_SLOT;
}

/* Prepares a child with the same pattern and only the unexplained sequences. */
static void select_same(struct worker *worker, struct level *level)
{
	select_unexplained(level);
	for (size_t i = 0; i < level->condition.pattern.n; i++)
		lode_vec_append(&level->pattern, level->condition.pattern.at[i]);
	for (size_t i = 0; i <= level->condition.pattern.n; i++)
		lode_vec_append(&level->origin, (uint32_t)i);
	level->is_open = level->condition.is_open.at;
	level->has_watched = level->condition.has_watched;
	count_selected(worker, level);
}

/* Drops the selected sequences that the child's pattern is not contained in; gives the weight of
   the others. */
static int64_t keep_containing(struct level *level)
{
	const struct lode_condition *condition = &level->condition;
	int64_t weight = 0;
	uint32_t n_items;
	size_t n = 0;

	for (size_t i = 0; i < level->selected.n; i++) {
		uint32_t s = level->selected.at[i];
		const uint32_t *items = lode_condition_sequence(condition, s, &n_items);

		if (!lode_is_subsequence(level->pattern.at, (uint32_t)level->pattern.n, items,
					 n_items))
			continue;
		level->selected.at[n++] = s;
		weight += condition->db.weight.at[s];
	}
	level->selected.n = n;
	return weight;
}

/*
 * Prepares a child that has the ends which all unexplained sequences (or those that count) have.
 * False: it has already. The pattern may stand elsewhere in the longer one than the search had it,
 * so what had been closed must be open again; that it is known by now will show.
 */
static bool select_closure(struct worker *worker, struct level *level, size_t depth, int64_t *total)
{
	size_t n = level->condition.is_open.n, n_before = worker->all_open.n;

	int64_t weight;

	select_unexplained(level);
	lode_closure_mandatory(&level->mandatory, &level->condition, level->unexplained.at,
			       (uint32_t)level->unexplained.n, worker->search->options->min_cost);
	if (!lode_closure_find(&level->pattern, &level->origin, &level->condition,
			       level->condition.pattern.at, (uint32_t)level->condition.pattern.n,
			       level->mandatory.at, (uint32_t)level->mandatory.n))
		return false;
	weight = keep_containing(level);
	if (n > n_before) {
		lode_vec_reserve(&worker->all_open, n);
		worker->all_open.n = worker->all_open.capacity;
		memset(worker->all_open.at, LODE_OPEN, worker->all_open.n);
	}
	level->is_open = worker->all_open.at;
	level->has_watched = false;
	level->keeps_base |= level->base != depth;
	count_selected(worker, level);
	*total = weight;
	return true;
}

/* Lists what the pivot does not cover, rarest item first, and marks the items without any. */
static void list_branches(struct level *level)
{
	const struct lode_condition *condition = &level->condition;
	uint32_t n_all = lode_condition_n_items(condition);

	level->branches.n = 0;
	lode_vec_reserve(&level->is_settled, condition->n_tail);
	for (uint32_t x = 0; x < condition->n_tail; x++) {
		size_t n_before = level->branches.n;

		for (uint32_t slot = 0; slot <= condition->pattern.n; slot++) {
			uint32_t pair = slot * n_all + x;

			if (condition->is_open.at[pair] == LODE_OPEN &&
			    !level->pivot.is_covered.at[pair])
				lode_vec_append(&level->branches, pair);
		}
		level->is_settled.at[x] = level->branches.n == n_before;
	}
}

static bool has_open(const lode_insertion_vec *insertions)
{
	for (size_t i = 0; i < insertions->n; i++)
		if (insertions->at[i].state == LODE_OPEN)
			return true;
	return false;
}

static bool branch(struct worker *worker, size_t depth, struct level *level, size_t row)
{
	struct lode_condition *condition = &level->condition;
	uint32_t n_all = lode_condition_n_items(condition), pair = level->children.pairs.at[row];
	uint32_t slot = pair / n_all, item = pair % n_all;
	uint32_t from = level->lists.start.at[item], end = level->lists.start.at[item + 1];

	level->has_watched = lode_children_insertions(&level->insertions, &level->children, row,
						      condition, worker->search->options->min_cost);
	set_child_pattern(level, slot, item);
	if (has_open(&level->insertions))
		select_child(level, level->lists.list.at + from, end - from, slot, item);
	if (!visit(worker, depth + 1, level, condition->cost.at[pair]))
		return false;
	condition->is_open.at[pair] = 0;
	return true;
}

/* Visits the children, as many at a time as there is room to count for. */
static bool branch_each(struct worker *worker, size_t depth, struct level *level)
{
	size_t most = lode_children_most(&level->condition), n;

	for (size_t at = 0; at < level->branches.n; at += most) {
		n = level->branches.n - at < most ? level->branches.n - at : most;
		level->children.pairs.n = 0;
		for (size_t row = 0; row < n; row++)
			lode_vec_append(&level->children.pairs, level->branches.at[at + row]);
		lode_children_count(&level->children, &level->condition, level->unexplained.at,
				    (uint32_t)level->unexplained.n, &worker->children);
		for (size_t row = 0; row < n; row++)
			if (!branch(worker, depth, level, row))
				return false;
	}
	return true;
}

/* Looks at all that the known patterns do not explain. */
static bool branch_all(struct worker *worker, size_t depth, struct level *level)
{
	struct lode_condition *condition = &level->condition;
	int64_t weight;

	lode_pivot_prepare(condition, &level->known, &worker->pivoting);
	lode_vec_reserve(&level->unexplained, condition->db.n);
	level->unexplained.n = lode_pivot_unexplained(level->unexplained.at, &weight, condition,
						      &worker->pivoting);
	if (weight < worker->search->options->min_cost)
		return true;
	if (select_closure(worker, level, depth, &weight))
		return visit(worker, depth + 1, level, weight);
	if (level->unexplained.n < condition->db.n / 4 * 3) {
		select_same(worker, level);
		return visit(worker, depth + 1, level, condition->total);
	}
	lode_pivot_choose(&level->pivot, condition, level->unexplained.at,
			  (uint32_t)level->unexplained.n, worker->search->options->min_cost,
			  &worker->pivoting);
	if (level->pivot.n_uncovered == 0)
		return true;
	list_branches(level);
	lode_lists_build(&level->lists, &condition->db, level->unexplained.at,
			 (uint32_t)level->unexplained.n, condition->n_tail, level->is_settled.at);
	return branch_each(worker, depth, level);
}

static void set_base(struct level *level, const struct level *parent, size_t depth)
{
	bool is_own = depth == 0 || (!parent->has_watched && !parent->keeps_base);

	level->keeps_base = parent->keeps_base;
	level->base = is_own ? depth : parent->base;
	level->base_origin.n = 0;
	for (size_t i = 0; i < parent->origin.n; i++)
		lode_vec_append(&level->base_origin,
				is_own ? (uint32_t)i
				       : parent->base_origin.at[parent->origin.at[i]]);
}

/* From here on, the function that the branch is about is its leftmost. */
static void watch_left(struct worker *worker, struct lode_condition *condition)
{
	uint8_t *left = &condition->is_open.at[condition->pattern.at[0]];

	lode_vec_reserve(&worker->first_open, condition->is_open.n);
	memcpy(worker->first_open.at, condition->is_open.at, condition->is_open.n);
	if (*left == LODE_OPEN) {
		*left = LODE_WATCHED;
		condition->has_watched = true;
	}
}

/*
 * Finds everything new that grows from the child pattern which `parent` has prepared. False: stop
 * the whole search.
 */
static bool visit(struct worker *worker, size_t depth, struct level *parent, int64_t total)
{
	struct level *level = level_at(worker, depth);
	struct lode_condition *condition = &level->condition;
	struct lode_selection selection = selection_of(parent);

	if (!may_go_on(worker))
		return false;
	begin_level(worker, level, parent);
	set_base(level, parent, depth);
	if (!has_open(&parent->insertions)) {
		if (level->known.n == 0 && level->base != depth)
			publish_grown(worker, level);
		else if (level->known.n == 0)
			publish(worker, level->names.at, (uint32_t)level->names.n, total);
		return true;
	}
	lode_condition_build(condition, &selection, &parent->insertions, total, &worker->counting);
	if (depth == 0)
		watch_left(worker, condition);
	if (level->known.n == 0) {
		publish_grown(worker, level);
		refresh_known(worker, level);
	}
	return branch_all(worker, depth, level);
}

/* The root: the empty pattern, all sequences, every item a branch. */
static void root_init(struct worker *worker)
{
	const struct lode_reduced *reduced = worker->search->reduced;
	struct lode_condition *condition = &worker->root.condition;

	/* Borrowed: root_release takes them out again. */
	condition->db.items.at = reduced->items;
	condition->db.start.at = reduced->start;
	condition->db.weight.at = reduced->weight;
	condition->db.n = reduced->n;
	condition->n_tail = reduced->n_items;
	for (uint32_t i = 0; i < reduced->n_items; i++) {
		lode_vec_append(&condition->global, i);
		lode_vec_append(&condition->is_open, 1);
	}
}

static void root_release(struct worker *worker)
{
	memset(&worker->root.condition.db, 0, sizeof(worker->root.condition.db));
	level_release(&worker->root);
}

/* Below, finding out that a branch has nothing new is about as quick. */
enum { LONG_SEQUENCE = 1024 };

static void note_spent(struct worker *worker)
{
	struct search *search = worker->search;
	const lode_item_vec *selected = &worker->root.selected;
	uint32_t least = search->options->deep ? search->options->deep : LONG_SEQUENCE;

	for (size_t i = 0; i < selected->n; i++) {
		uint32_t s = selected->at[i], n_items;
		const uint32_t *items =
			lode_condition_sequence(&worker->root.condition, s, &n_items);

		for (size_t k = 0; n_items >= least && k < worker->fresh.n; k++)
			if (lode_is_subsequence(items, n_items, worker->fresh.at[k]->items,
						worker->fresh.at[k]->n))
				atomic_store_explicit(&search->is_spent[s], 1,
						      memory_order_relaxed);
	}
}

static bool may_hold_new(const struct search *search, const lode_item_vec *selected)
{
	int64_t weight = 0;

	for (size_t i = 0; i < selected->n && weight < search->options->min_cost; i++)
		if (!atomic_load_explicit(&search->is_spent[selected->at[i]], memory_order_relaxed))
			weight += search->reduced->weight[selected->at[i]];
	return weight >= search->options->min_cost;
}

/* All patterns whose rarest item is `job`. */
static void run_branch(void *context, size_t job, unsigned index)
{
	struct search *search = context;
	struct worker *worker = &search->workers[index];
	struct level *root = &worker->root;
	uint32_t item = (uint32_t)job;

	atomic_store(&worker->job, item);
	if (search->found->is_done[item] || !may_go_on(worker))
		return;
	for (; worker->next_open < item; worker->next_open++)
		root->condition.is_open.at[worker->next_open] = 0;
	worker->n_known = 0;
	worker->fresh.n = 0;
	root->n_fresh = 0;
	root->known.n = 0;
	lode_found_import(search->found, item, &worker->n_known, &root->known);
	root->selected.n = root->pattern.n = root->origin.n = 0;
	for (uint32_t i = search->lists.start.at[item]; i < search->lists.start.at[item + 1]; i++)
		lode_vec_append(&root->selected, search->lists.list.at[i]);
	if (!may_hold_new(search, &root->selected)) {
		search->found->is_done[item] = true;
		return;
	}
	lode_vec_append(&root->pattern, item);
	lode_vec_append(&root->origin, 0);
	lode_vec_append(&root->origin, 0);
	root->inserted_slot = LODE_NO_SLOT;
	root->is_open = root->condition.is_open.at;
	root->has_watched = false;
	count_selected(worker, root);
	search->found->is_done[item] = visit(worker, 0, root, search->reduced->item_cost[item]);
	note_spent(worker);
	if (index == 0 && search->options->progress)
		search->options->progress(search->options->progress_context,
					  (double)(job + 1) / search->reduced->n_items);
}

static void worker_release(struct worker *worker)
{
	root_release(worker);
	for (size_t i = 0; i < worker->levels.n; i++) {
		level_release(worker->levels.at[i]);
		free(worker->levels.at[i]);
	}
	lode_vec_release(&worker->levels);
	lode_scratch_release(&worker->counting);
	lode_children_scratch_release(&worker->children);
	lode_pivot_scratch_release(&worker->pivoting);
	lode_grower_release(&worker->grower);
	lode_vec_release(&worker->all_open);
	lode_vec_release(&worker->first_open);
	lode_vec_release(&worker->fresh);
}

static void search_init(struct search *search)
{
	const struct lode_reduced *reduced = search->reduced;

	search->n_workers = search->options->n_threads ? search->options->n_threads : 1;
	search->workers = lode_alloc0(search->n_workers, sizeof(*search->workers));
	for (unsigned i = 0; i < search->n_workers; i++) {
		search->workers[i].search = search;
		lode_pivot_scratch_init(&search->workers[i].pivoting, reduced->n_items);
		search->workers[i].counting.most_counters = search->options->deep;
		lode_grower_init(&search->workers[i].grower, reduced->n_items,
				 search->options->deep);
		root_init(&search->workers[i]);
	}
	search->is_spent = lode_alloc0(reduced->n, sizeof(*search->is_spent));
	lode_lists_build(&search->lists, &search->workers[0].root.condition.db, NULL, reduced->n,
			 reduced->n_items, NULL);
	atomic_store(&search->next_check, search->options->max_patterns + 1);
}

static void search_release(struct search *search)
{
	for (unsigned i = 0; i < search->n_workers; i++)
		worker_release(&search->workers[i]);
	free(search->workers);
	free(search->is_spent);
	lode_lists_release(&search->lists);
}

static uint64_t work_done(const struct search *search)
{
	uint64_t work = atomic_load(&search->work);

	for (unsigned i = 0; i < search->n_workers; i++)
		work += fresh_work(&search->workers[i]);
	return work;
}

enum lode_explore_end lode_explore(struct lode_found *found, const struct lode_reduced *reduced,
				   const struct lode_explore_options *options)
{
	struct search search = {.options = options, .found = found, .reduced = reduced};
	enum lode_explore_end end;

	search_init(&search);
	lode_pool_run(search.n_workers, reduced->n_items, run_branch, &search);
	end = (enum lode_explore_end)atomic_load(&search.end);
	if (options->work)
		*options->work += work_done(&search);
	if (end == LODE_EXPLORE_DONE && options->max_patterns &&
	    lode_found_count(found, reduced->n_items) > options->max_patterns)
		end = LODE_EXPLORE_TOO_MANY;
	search_release(&search);
	return end;
}
