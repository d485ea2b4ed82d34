#include "analyses/patterns/miner.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyses/patterns/enumerate.h"
#include "analyses/patterns/explore.h"
#include "analyses/patterns/found.h"
#include "analyses/patterns/prefix_search.h"
#include "analyses/patterns/reduce.h"

void lode_pattern_set_release(struct lode_pattern_set *set)
{
	lode_vec_release(&set->items);
	lode_vec_release(&set->start);
	lode_vec_release(&set->cost);
	set->n = 0;
}

/* What the search by enumeration may list: with more, or longer ones, it is the wrong search. */
enum { ENUMERATED_AT_LEAST = 1 << 18, DEEPEST_ENUMERATED = 16 };

/* A found pattern, and its items written out in the caller's ids. */
struct result {
	int64_t cost;
	const uint32_t *items;
	size_t n;
};

static int compare_results(const void *pa, const void *pb)
{
	const struct result *a = pa, *b = pb;
	size_t i;

	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	for (i = 0; i < a->n && i < b->n; i++)
		if (a->items[i] != b->items[i])
			return a->items[i] < b->items[i] ? -1 : 1;
	return a->n < b->n ? -1 : a->n > b->n;
}

typedef LODE_VEC(struct result) result_vec;

/* A pattern of the reduced input, its chains written out. */
static void add_result(result_vec *results, struct lode_arena *arena,
		       const struct lode_reduced *reduced, const uint32_t *items, size_t n,
		       int64_t cost)
{
	uint32_t *written;
	size_t n_written = 0;

	for (size_t i = 0; i < n; i++)
		n_written += reduced->chain_start[items[i] + 1] - reduced->chain_start[items[i]];
	written = lode_arena_array(arena, uint32_t, n_written);
	lode_vec_append(results, ((struct result){cost, written, n_written}));
	for (size_t i = 0; i < n; i++)
		for (uint32_t c = reduced->chain_start[items[i]];
		     c < reduced->chain_start[items[i] + 1]; c++)
			*written++ = reduced->chain[c];
}

static void write_results(struct lode_pattern_set *out, result_vec *results)
{
	if (results->n)
		qsort(results->at, results->n, sizeof(*results->at), compare_results);
	lode_vec_append(&out->start, 0);
	for (size_t k = 0; k < results->n; k++) {
		const struct result *r = &results->at[k];

		lode_vec_reserve(&out->items, out->items.n + r->n);
		memcpy(out->items.at + out->items.n, r->items, r->n * sizeof(*r->items));
		out->items.n += r->n;
		lode_vec_append(&out->start, out->items.n);
		lode_vec_append(&out->cost, r->cost);
	}
	out->n = results->n;
}

static int too_many(const struct lode_miner_options *options, struct lode_error *err)
{
	return lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "more than %zu maximal patterns",
			 options->max_patterns);
}

/* 1: done; 0: gave up after `max_work`; negative: failed. */
static int mine_prefixes(result_vec *results, struct lode_arena *arena,
			 const struct lode_reduced *reduced,
			 const struct lode_miner_options *options, uint64_t max_work,
			 struct lode_error *err)
{
	struct lode_prefix_options search = {
		.min_cost = options->min_cost,
		.max_patterns = options->max_patterns,
		.n_threads = options->n_threads,
		.max_work = max_work,
	};
	struct lode_prefix_patterns found = {0};
	enum lode_prefix_end end = lode_prefix_search(&found, reduced, &search);

	for (size_t k = 0; end == LODE_PREFIX_DONE && k < found.n; k++)
		add_result(results, arena, reduced, &found.items.at[found.start.at[k]],
			   found.start.at[k + 1] - found.start.at[k], found.cost.at[k]);
	lode_prefix_patterns_release(&found);
	if (end == LODE_PREFIX_TOO_MANY)
		return too_many(options, err);
	return end == LODE_PREFIX_DONE;
}

/* The same; `found` keeps what was found for the next time. */
static int mine_insertions(result_vec *results, struct lode_arena *arena, struct lode_found *found,
			   const struct lode_reduced *reduced,
			   const struct lode_miner_options *options, uint64_t max_work,
			   struct lode_error *err)
{
	struct lode_explore_options explore = {
		.min_cost = options->min_cost,
		.max_patterns = options->max_patterns,
		.n_threads = options->n_threads,
		.max_work = max_work,
		.progress = options->progress,
		.progress_context = options->progress_context,
	};
	enum lode_explore_end end = lode_explore(found, reduced, &explore);

	if (end == LODE_EXPLORE_TOO_MANY)
		return too_many(options, err);
	for (size_t k = 0; end == LODE_EXPLORE_DONE && k < found->all.n; k++) {
		const struct lode_found_pattern *p = found->all.at[k];

		if (!lode_found_is_covered(found, p))
			add_result(results, arena, reduced, p->items, p->n, p->cost);
	}
	return end == LODE_EXPLORE_DONE;
}

struct add_context {
	result_vec *results;
	struct lode_arena *arena;
	const struct lode_reduced *reduced;
};

static void add_enumerated(void *context, const uint32_t *items, uint32_t n, int64_t cost)
{
	const struct add_context *c = context;

	add_result(c->results, c->arena, c->reduced, items, n, cost);
}

/* 1: done; 0: gave up after `max_work`; -1: never try again. */
static int enumerate(result_vec *results, struct lode_arena *arena,
		     const struct lode_reduced *reduced, const struct lode_miner_options *options,
		     uint64_t max_work)
{
	struct lode_enumerate_options search = {
		.min_cost = options->min_cost,
		.n_threads = options->n_threads,
		.max_work = max_work,
		.max_nodes = ENUMERATED_AT_LEAST + reduced->start[reduced->n] / 2,
		.max_depth = DEEPEST_ENUMERATED,
	};
	struct add_context context = {results, arena, reduced};
	struct lode_costly_trie trie = {0};
	enum lode_enumerate_end end = lode_enumerate(&trie, reduced, &search);

	if (end == LODE_ENUMERATE_DONE)
		lode_costly_trie_walk(&trie, add_enumerated, &context);
	lode_costly_trie_release(&trie);
	return end == LODE_ENUMERATE_DONE ? 1 : end == LODE_ENUMERATE_GAVE_UP ? 0 : -1;
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

/*
 * The bounds of a turn, in steps of each search's inner loops. Those of insertions and prefixes
 * grow so fast that the turns before cost little beside the last one: no input makes this much
 * slower than the best search alone. Where insertions fare well, they need less than the first
 * bound. Enumeration comes first, since where it fares well it is many times faster than the
 * others, and elsewhere sees soon that patterns are too long; on large inputs, whose first step
 * alone takes long, it waits for its turn.
 */
struct turn {
	uint64_t insertions, prefixes, enumeration;
};

static struct turn first_turn(const struct lode_reduced *reduced)
{
	return (struct turn){
		.insertions = pair_work(reduced, 6) + (1 << 20),
		.prefixes = 1 << 27, /* some tenths of a second */
		.enumeration = 1 << 26,
	};
}

static struct turn next_turn(const struct turn *turn)
{
	struct turn next = {4 * turn->insertions, 4 * turn->prefixes, 4 * turn->enumeration};

	if (next.prefixes < next.insertions)
		next.prefixes = next.insertions;
	return next;
}

static int mine_by_turns(result_vec *results, struct lode_arena *arena, struct lode_found *found,
			 const struct lode_reduced *reduced,
			 const struct lode_miner_options *options, struct lode_error *err)
{
	struct turn turn = first_turn(reduced);
	uint64_t first_step = pair_work(reduced, 8);
	int rc = 0, enumerated = 0;

	for (; rc == 0; turn = next_turn(&turn)) {
		if (enumerated == 0 && turn.enumeration >= first_step)
			enumerated = enumerate(results, arena, reduced, options, turn.enumeration);
		if (enumerated == 1)
			return 1;
		rc = mine_insertions(results, arena, found, reduced, options, turn.insertions, err);
		if (rc == 0)
			rc = mine_prefixes(results, arena, reduced, options, turn.prefixes, err);
	}
	return rc;
}

static int mine(result_vec *results, struct lode_arena *arena, const struct lode_reduced *reduced,
		const struct lode_miner_options *options, struct lode_error *err)
{
	struct lode_found found;
	int rc = 0;

	lode_found_init(&found, reduced->n_items);
	if (options->method == LODE_MINER_ENUMERATION)
		rc = enumerate(results, arena, reduced, options, 0) == 1;
	else if (options->method == LODE_MINER_PREFIXES)
		rc = mine_prefixes(results, arena, reduced, options, 0, err);
	else if (options->method == LODE_MINER_INSERTIONS)
		rc = mine_insertions(results, arena, &found, reduced, options, 0, err);
	if (rc == 0)
		rc = mine_by_turns(results, arena, &found, reduced, options, err);
	lode_found_release(&found);
	if (rc > 0 && options->max_patterns && results->n > options->max_patterns)
		return too_many(options, err);
	return rc;
}

int lode_mine_patterns(struct lode_pattern_set *out, const struct lode_sequences *sequences,
		       const struct lode_miner_options *options, struct lode_error *err)
{
	struct lode_reduced reduced = {0};
	struct lode_arena arena = {0};
	result_vec results = {0};
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (options->min_cost <= 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "the minimum cost must be positive");
	if ((rc = lode_reduce(&reduced, sequences, options->min_cost, err)) < 0)
		goto out;
	rc = mine(&results, &arena, &reduced, options, err);
	if (rc < 0)
		goto out;
	write_results(out, &results);
	rc = 0;
out:
	lode_vec_release(&results);
	lode_arena_release(&arena);
	lode_reduced_release(&reduced);
	return rc;
}

/* Does λ give at most `max_patterns`? 1 yes, 0 no, or an error. */
static int gives_few(const struct lode_sequences *sequences, int64_t min_cost, size_t max_patterns,
		     const struct lode_miner_options *options, struct lode_error *err)
{
	struct lode_miner_options probe = *options;
	struct lode_pattern_set set = {0};
	int rc;

	probe.min_cost = min_cost;
	probe.max_patterns = max_patterns;
	probe.progress = NULL;
	rc = lode_mine_patterns(&set, sequences, &probe, err);
	lode_pattern_set_release(&set);
	if (rc == LODE_ERR_LIMIT)
		return 0;
	return rc < 0 ? rc : 1;
}

int lode_mine_find_min_cost(int64_t *min_cost, const struct lode_sequences *sequences,
			    size_t max_patterns, const struct lode_miner_options *options,
			    struct lode_error *err)
{
	int64_t total = 0, few, many;
	size_t i;
	int rc;

	*min_cost = 0;
	if (max_patterns == 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "the number of patterns must be positive");
	for (i = 0; i < sequences->n; i++)
		if (sequences->cost[i] < 0 ||
		    __builtin_add_overflow(total, sequences->cost[i], &total))
			return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
					 "the sum of all costs is not within 0 .. 2^63 - 2");
	if (total == INT64_MAX)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
				 "the sum of all costs is not within 0 .. 2^63 - 2");
	/* Above the total there is no pattern. Down from there in halves, then bisection. */
	for (few = total + 1, many = 0; few > 1 && many == 0;) {
		rc = gives_few(sequences, few / 2, max_patterns, options, err);
		if (rc < 0)
			return rc;
		*(rc ? &few : &many) = few / 2;
	}
	while (few - many > 1) {
		int64_t middle = many + (few - many) / 2;

		rc = gives_few(sequences, middle, max_patterns, options, err);
		if (rc < 0)
			return rc;
		*(rc ? &few : &many) = middle;
	}
	*min_cost = few;
	return 0;
}
