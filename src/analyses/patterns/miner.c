#include "analyses/patterns/miner.h"

#include <stdlib.h>

#include "analyses/patterns/explore.h"
#include "analyses/patterns/found.h"
#include "analyses/patterns/reduce.h"

void lode_pattern_set_release(struct lode_pattern_set *set)
{
	lode_vec_release(&set->items);
	lode_vec_release(&set->start);
	lode_vec_release(&set->cost);
	set->n = 0;
}

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

static void write_results(struct lode_pattern_set *out, const struct lode_found *found,
			  const struct lode_reduced *reduced)
{
	LODE_VEC(struct result) results = {0};
	struct lode_arena arena = {0};
	size_t k, i;
	uint32_t c;

	for (k = 0; k < found->all.n; k++) {
		const struct lode_found_pattern *p = found->all.at[k];
		size_t n = 0;
		uint32_t *items;

		if (lode_found_is_covered(found, p))
			continue;
		for (i = 0; i < p->n; i++)
			n += reduced->chain_start[p->items[i] + 1] -
			     reduced->chain_start[p->items[i]];
		items = lode_arena_array(&arena, uint32_t, n);
		lode_vec_append(&results, ((struct result){p->cost, items, n}));
		for (i = 0, n = 0; i < p->n; i++)
			for (c = reduced->chain_start[p->items[i]];
			     c < reduced->chain_start[p->items[i] + 1]; c++)
				items[n++] = reduced->chain[c];
	}
	if (results.n)
		qsort(results.at, results.n, sizeof(*results.at), compare_results);
	lode_vec_append(&out->start, 0);
	for (k = 0; k < results.n; k++) {
		const struct result *r = &results.at[k];

		lode_vec_reserve(&out->items, out->items.n + r->n);
		memcpy(out->items.at + out->items.n, r->items, r->n * sizeof(*r->items));
		out->items.n += r->n;
		lode_vec_append(&out->start, out->items.n);
		lode_vec_append(&out->cost, r->cost);
	}
	out->n = results.n;
	lode_vec_release(&results);
	lode_arena_release(&arena);
}

int lode_mine_patterns(struct lode_pattern_set *out, const struct lode_sequences *sequences,
		       const struct lode_miner_options *options, struct lode_error *err)
{
	struct lode_explore_options explore = {
		.min_cost = options->min_cost,
		.max_patterns = options->max_patterns,
		.n_threads = options->n_threads,
		.progress = options->progress,
		.progress_context = options->progress_context,
	};
	struct lode_reduced reduced = {0};
	struct lode_found found = {0};
	int rc;

	memset(out, 0, sizeof(*out));
	if (options->min_cost <= 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "the minimum cost must be positive");
	rc = lode_reduce(&reduced, sequences, options->min_cost, err);
	if (rc < 0)
		goto out;
	lode_found_init(&found, reduced.n_items);
	rc = lode_explore(&found, &reduced, &explore, err);
	if (rc == 0)
		write_results(out, &found, &reduced);
	lode_found_release(&found);
out:
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
