/* Costly maximal patterns of sequences (design §3.3; StackMine §V). */
#include "engine/patterns/miner.h"

#include "engine/patterns/ends.h"
#include "engine/patterns/reduce.h"
#include "engine/patterns/shorten.h"
#include "engine/patterns/turns.h"
#include "base/sorted.h"

void lode_pattern_set_release(struct lode_pattern_set *set)
{
	lode_vec_release(&set->items);
	lode_vec_release(&set->start);
	lode_vec_release(&set->cost);
	set->n = 0;
}

static int compare_results(const void *pa, const void *pb)
{
	const struct lode_result *a = pa, *b = pb;

	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (a->items[i] != b->items[i])
			return a->items[i] < b->items[i] ? -1 : 1;
	return LODE_ORDER(a->n, b->n);
}

static void write_results(struct lode_pattern_set *out, const struct lode_results *results)
{
	lode_vec_append(&out->start, 0);
	for (size_t k = 0; k < results->all.n; k++) {
		const struct lode_result *r = &results->all.at[k];

		lode_vec_append_all(&out->items, r->items, r->n);
		lode_vec_append(&out->start, out->items.n);
		lode_vec_append(&out->cost, r->cost);
	}
	out->n = results->all.n;
}

/* The sequences, and which of them have a function (engine/patterns/lists.h). */
static size_t lookup_bytes(const struct lode_reduced *reduced)
{
	size_t n = reduced->n, n_items = n ? reduced->start[n] : 0;

	return 2 * n_items * sizeof(*reduced->items) +
	       n * (sizeof(*reduced->start) + sizeof(*reduced->weight));
}

int lode_mine_patterns(struct lode_pattern_set *out, const struct lode_sequences *sequences,
		       const struct lode_miner_options *options, struct lode_error *err)
{
	struct lode_reduced reduced = {0};
	struct lode_results results = {0};
	struct lode_shortened shortened = {0};
	struct lode_ends ends = {0};
	struct lode_miner_stop stop = {0};
	enum lode_turns_end end;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (options->stop)
		*options->stop = stop;
	if (options->min_cost <= 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "the minimum cost must be positive");
	if ((rc = lode_reduce(&reduced, sequences, options->min_cost, err)) < 0)
		goto out;
	if ((rc = lode_shorten(&shortened, &reduced, options, err)) < 0)
		goto out;
	if ((rc = lode_ends_take(&ends, &reduced, options, err)) < 0)
		goto out;
	if (options->max_lookups && lookup_bytes(&reduced) > options->max_lookups) {
		stop.is_too_long = true;
		stop.lookups = lookup_bytes(&reduced);
		rc = lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			       "the search for maximal patterns needs too much memory");
		goto stopped;
	}
	end = lode_turns_run(&results, &reduced, options);
	if (end != LODE_TURNS_TOO_LONG)
		lode_ends_put(&results, &ends);
	lode_shortened_put(&results, &shortened);
	stop.work = results.work;
	lode_sort(results.all.at, results.all.n, compare_results);
	if (end == LODE_TURNS_DONE) {
		write_results(out, &results);
	} else if (end == LODE_TURNS_TOO_MANY) {
		/* What is maximal here is so for every larger λ that it reaches. */
		stop.crowded_to = results.all.at[options->max_patterns].cost;
		rc = lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "more than %zu maximal patterns",
			       options->max_patterns);
	} else {
		stop.is_too_long = true;
		rc = lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			       "the search for maximal patterns takes too long");
	}
stopped:
	if (options->stop)
		*options->stop = stop;
out:
	lode_ends_release(&ends);
	lode_shortened_release(&shortened);
	lode_results_release(&results);
	lode_reduced_release(&reduced);
	return rc;
}
