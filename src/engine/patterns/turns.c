/* Runs three exact searches in turns until one is done. */
#include "engine/patterns/turns.h"

#include <math.h>

#include "engine/patterns/enumerate.h"
#include "engine/patterns/explore.h"
#include "engine/patterns/found.h"
#include "engine/patterns/prefix_search.h"

enum {
	/* Of the search by enumeration: past these it is the wrong search. */
	ENUMERATED_AT_LEAST = 1 << 18,
	DEEPEST_ENUMERATED = 16,

	/* Its steps in the time of one of the others: 3 ns beside 13 to 18. */
	ENUMERATION_STEPS = 5,

	/* Insertions are nearly done, and prefixes wait, when what is left is at most so many times
	   as large as what is done. */
	MOST_LEFT = 3,
	/* Forecasts are doubled, and prefixes get a turn, when one was too short by this factor. */
	MOST_LATE = 3,
	/* Else prefixes, whose steps take half of the time, get 16 times as many of them, or 32
	   while insertions do not get one branch done: what these do meanwhile is lost, for they
	   start the branch over. But no more than take as long as insertions may still need, or
	   have taken once a forecast was too short. */
	FIRST_DOUBLINGS = 4,
	MOST_DOUBLINGS = 5,
	PREFIX_STEPS = 2,

	/* Items of the sequence that an item stands in, on average, and the parts of their first
	   turn that insertions get from there on. */
	DEEP = 64,
	DEEP_PARTS = 16,
};

struct turns {
	struct lode_results *out;
	const struct lode_reduced *reduced;
	const struct lode_miner_options *options;
	uint64_t work; /* so far */
	struct lode_found found;
	uint64_t *branch_size;		     /* of each branch of the search by insertions */
	uint64_t done_size;		     /* of those that are done */
	uint64_t inserted;		     /* work of that search */
	bool is_nearly_done;		     /* that search */
	uint32_t n_stuck;		     /* its turns in a row that got none done */
	double expected;		     /* what it may still take; infinite if none tells */
	double due;			     /* when even a forecast that was too short is over */
	double doubt;			     /* what forecasts are multiplied by */
	struct lode_prefix_search *prefixes; /* once begun */
	bool is_enumerated;		     /* to no avail: not to be tried again */
	bool is_tested;			     /* see is_hopeless */
};

/* What is allowed altogether: patterns that are found allow more. */
static uint64_t allowed(const struct turns *t)
{
	return t->options->max_work + t->found.all.n * LODE_MINER_WORK_PER_PATTERN;
}

/* What a search may do in its turn; 0 when nothing bounds it. */
static uint64_t bound(const struct turns *t, uint64_t turn)
{
	uint64_t left;

	if (t->options->max_work == 0)
		return turn;
	left = allowed(t) > t->work ? allowed(t) - t->work : 1;
	return turn && turn < left ? turn : left;
}

static void add_result(void *context, const uint32_t *items, uint32_t n, int64_t cost)
{
	const struct turns *t = context;
	const struct lode_reduced *reduced = t->reduced;
	uint32_t *written;
	size_t n_written = 0;

	for (uint32_t i = 0; i < n; i++)
		n_written += reduced->chain_start[items[i] + 1] - reduced->chain_start[items[i]];
	written = lode_arena_array(&t->out->arena, uint32_t, n_written);
	lode_vec_append(&t->out->all, ((struct lode_result){cost, written, n_written}));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t c = reduced->chain_start[items[i]];
		     c < reduced->chain_start[items[i] + 1]; c++)
			*written++ = reduced->chain[c];
}

/* Each of these three: false when it gave up, and then the work is what it was allowed. */
static bool by_enumeration(struct turns *t, uint64_t turn, enum lode_turns_end *end)
{
	const struct lode_reduced *reduced = t->reduced;
	struct lode_enumerate_options search = {
		.min_cost = t->options->min_cost,
		.n_threads = t->options->n_threads,
		.max_work = ENUMERATION_STEPS * bound(t, turn),
		.max_nodes = ENUMERATED_AT_LEAST + reduced->start[reduced->n] / 2,
		.max_depth = DEEPEST_ENUMERATED,
	};
	struct lode_costly_trie trie = {0};
	enum lode_enumerate_end its_end;
	uint64_t steps = 0;

	search.work = &steps;
	its_end = lode_enumerate(&trie, reduced, &search);
	t->out->work += steps / ENUMERATION_STEPS;
	if (its_end == LODE_ENUMERATE_DONE)
		lode_costly_trie_walk(&trie, add_result, t);
	lode_costly_trie_release(&trie);
	t->is_enumerated = its_end == LODE_ENUMERATE_NEVER;
	if (its_end == LODE_ENUMERATE_GAVE_UP)
		t->work += bound(t, turn);
	*end = t->options->max_patterns && t->out->all.n > t->options->max_patterns
		       ? LODE_TURNS_TOO_MANY
		       : LODE_TURNS_DONE;
	return its_end == LODE_ENUMERATE_DONE;
}

/* What is certainly maximal: of all branches up to the first that is not searched to its end. */
static void add_found(struct turns *t)
{
	uint32_t first_open = 0;

	while (first_open < t->found.n_items && t->found.is_done[first_open])
		first_open++;
	for (size_t k = 0; k < t->found.all.n; k++) {
		const struct lode_found_pattern *p = t->found.all.at[k];

		if (p->job <= first_open && !lode_found_is_covered(&t->found, p))
			add_result(t, p->items, p->n, p->cost);
	}
}

/* A branch searches the sequences that its item stands in: their items. */
static void measure_branches(struct turns *t)
{
	const struct lode_reduced *reduced = t->reduced;
	uint32_t *seen_in = lode_alloc0(reduced->n_items, sizeof(*seen_in));

	t->branch_size = lode_alloc0(reduced->n_items, sizeof(*t->branch_size));
	for (uint32_t s = 0; s < reduced->n; s++)
		for (size_t at = reduced->start[s]; at < reduced->start[s + 1]; at++) {
			uint32_t item = reduced->items[at];

			if (seen_in[item] != s + 1)
				t->branch_size[item] += reduced->start[s + 1] - reduced->start[s];
			seen_in[item] = s + 1;
		}
	free(seen_in);
}

/*
 * As if branches took time by their size: is little left? The last ones are the largest, for their
 * items stand in most sequences, and take longer than that; so it is decided again after every
 * turn, and each time that it proves to be far too short, prefixes get a turn, and forecasts
 * double.
 */
static void foresee(struct turns *t, uint64_t turn)
{
	uint64_t done = 0, left = 0;

	if (!t->branch_size)
		measure_branches(t);
	for (uint32_t i = 0; i < t->found.n_items; i++)
		*(t->found.is_done[i] ? &done : &left) += t->branch_size[i];
	t->inserted += turn;
	t->is_nearly_done = left <= MOST_LEFT * done;
	t->n_stuck = done > t->done_size ? 0 : t->n_stuck + 1;
	t->expected =
		done ? t->doubt * (double)t->inserted * (double)left / (double)done : INFINITY;
	t->due = fmin(t->due, (double)t->inserted + MOST_LATE * t->expected);
	if ((double)t->inserted > t->due) {
		t->is_nearly_done = false;
		t->doubt *= 2;
		t->expected *= 2;
		t->due = (double)t->inserted + t->expected;
	}
	t->done_size = done;
}

static bool by_insertions(struct turns *t, uint64_t turn, enum lode_turns_end *end)
{
	struct lode_explore_options search = {
		.min_cost = t->options->min_cost,
		.max_patterns = t->options->max_patterns,
		.n_threads = t->options->n_threads,
		.deep = t->options->deep,
		.max_work = bound(t, turn),
		.work = &t->out->work,
		.progress = t->options->progress,
		.progress_context = t->options->progress_context,
	};
	enum lode_explore_end its_end = lode_explore(&t->found, t->reduced, &search);

	if (its_end == LODE_EXPLORE_GAVE_UP) {
		t->work += search.max_work;
		foresee(t, search.max_work);
		return false;
	}
	add_found(t);
	*end = its_end == LODE_EXPLORE_TOO_MANY ? LODE_TURNS_TOO_MANY : LODE_TURNS_DONE;
	return true;
}

/* Some times what it takes to look at all pairs of items of every sequence once. */
static uint64_t pair_work(const struct lode_reduced *reduced, uint32_t times)
{
	uint64_t work = 0;

	for (uint32_t i = 0; i < reduced->n; i++) {
		uint64_t n = reduced->start[i + 1] - reduced->start[i];

		work += times * n * n;
	}
	return work;
}

static bool is_deep(const struct lode_reduced *reduced)
{
	return pair_work(reduced, 1) >= (uint64_t)DEEP * reduced->start[reduced->n];
}

/* Of deep stacks with one thread: what it has found spares it more than several threads, which
   begin in many places with nothing found, gain: 0.8 billion steps beside 4.6 with two. */
static bool by_prefixes(struct turns *t, uint64_t turn, enum lode_turns_end *end)
{
	struct lode_prefix_options search = {
		.min_cost = t->options->min_cost,
		.max_patterns = t->options->max_patterns,
		.n_threads = is_deep(t->reduced) ? 1 : t->options->n_threads,
		.work = &t->out->work,
	};
	struct lode_prefix_patterns found = {0};
	enum lode_prefix_end its_end;

	if (!t->prefixes)
		t->prefixes = lode_prefix_search_new(t->reduced, &search);
	its_end = lode_prefix_search_run(t->prefixes, bound(t, turn));
	if (its_end == LODE_PREFIX_GAVE_UP) {
		t->work += bound(t, turn);
		return false;
	}
	lode_prefix_search_collect(&found, t->prefixes);
	for (size_t k = 0; k < found.n; k++)
		add_result(t, &found.items.at[found.start.at[k]],
			   (uint32_t)(found.start.at[k + 1] - found.start.at[k]), found.cost.at[k]);
	lode_prefix_patterns_release(&found);
	*end = its_end == LODE_PREFIX_TOO_MANY ? LODE_TURNS_TOO_MANY : LODE_TURNS_DONE;
	return true;
}

static uint64_t prefix_turn(const struct turns *t, uint64_t turn)
{
	uint32_t n = FIRST_DOUBLINGS + t->n_stuck;
	uint64_t most = turn << (n < MOST_DOUBLINGS ? n : MOST_DOUBLINGS);
	double time = t->doubt > 1 ? fmax(t->expected, (double)t->inserted) : t->expected;

	return PREFIX_STEPS * time < (double)most ? (uint64_t)(PREFIX_STEPS * time) + 1 : most;
}

static bool is_used_up(const struct turns *t)
{
	return t->options->max_work && t->work >= allowed(t);
}

/* Where insertions fare well, they are done in their first turn; but seldom where stacks are deep,
   and that turn would be long. It also leaves most of what is allowed to the others. */
static uint64_t first_turn(const struct turns *t)
{
	const struct lode_reduced *reduced = t->reduced;
	uint64_t turn = pair_work(reduced, 3), most = t->options->max_work / 8 + 1;

	if (is_deep(reduced))
		turn /= DEEP_PARTS;
	turn += 1 << 20;
	return t->options->max_work && turn > most ? most : turn;
}

enum { TESTED_FROM = 32, TEST_SHARE = 8 }; /* parts of what is allowed */

/*
 * Before much work is done: does test_cost, at which there are few patterns, take an eighth of what
 * is allowed? Then λ itself would take more than all of it. With one thread, so that the answer is
 * always the same.
 */
static bool is_hopeless(struct turns *t, uint64_t turn)
{
	struct lode_miner_options test = *t->options;
	struct lode_results found = {0};
	enum lode_turns_end end;

	if (t->is_tested || test.test_cost <= test.min_cost || test.max_work == 0 ||
	    t->work + turn < test.max_work / TESTED_FROM)
		return false;
	t->is_tested = true;
	test.min_cost = test.test_cost;
	test.max_work /= TEST_SHARE;
	test.n_threads = 1;
	test.progress = NULL;
	end = lode_turns_run(&found, t->reduced, &test);
	t->out->work += found.work;
	lode_results_release(&found);
	return end == LODE_TURNS_TOO_LONG;
}

static enum lode_turns_end take_turns(struct turns *t)
{
	uint64_t turn = first_turn(t);
	uint64_t enumeration = 1 << 24, first_step = pair_work(t->reduced, 2);
	enum lode_turns_end end;

	for (;; turn += turn / 2) {
		if (!t->is_enumerated && (double)enumeration <= t->expected) {
			if (enumeration >= first_step && by_enumeration(t, enumeration, &end))
				return end;
			enumeration *= 2;
		}
		if (is_used_up(t))
			return LODE_TURNS_TOO_LONG;
		if (by_insertions(t, turn, &end))
			return end;
		if (is_used_up(t))
			return LODE_TURNS_TOO_LONG;
		if (is_hopeless(t, prefix_turn(t, turn)))
			return LODE_TURNS_TOO_LONG;
		if (!t->is_nearly_done && by_prefixes(t, prefix_turn(t, turn), &end))
			return end;
		if (is_used_up(t))
			return LODE_TURNS_TOO_LONG;
	}
}

enum lode_turns_end lode_turns_run(struct lode_results *out, const struct lode_reduced *reduced,
				   const struct lode_miner_options *options)
{
	struct turns t = {.out = out,
			  .reduced = reduced,
			  .options = options,
			  .expected = INFINITY,
			  .due = INFINITY,
			  .doubt = 1};
	enum lode_turns_end end = LODE_TURNS_TOO_LONG;
	bool is_done = false;

	lode_found_init(&t.found, reduced->n_items);
	switch (options->method) {
	case LODE_MINER_ENUMERATION:
		is_done = by_enumeration(&t, 0, &end);
		break;
	case LODE_MINER_INSERTIONS:
		is_done = by_insertions(&t, 0, &end);
		break;
	case LODE_MINER_PREFIXES:
		is_done = by_prefixes(&t, 0, &end);
		break;
	case LODE_MINER_ALL:
		break;
	}
	if (!is_done)
		end = is_used_up(&t) ? LODE_TURNS_TOO_LONG : take_turns(&t);
	lode_found_release(&t.found);
	lode_prefix_search_free(t.prefixes);
	free(t.branch_size);
	return end;
}

void lode_results_release(struct lode_results *results)
{
	lode_vec_release(&results->all);
	lode_arena_release(&results->arena);
}
