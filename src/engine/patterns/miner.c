/* Costly maximal patterns of sequences (docs/mining.md; StackMine §V). */
#include "engine/patterns/miner.h"

#include "engine/patterns/reduce.h"
#include "engine/patterns/shorten.h"
#include "engine/patterns/turns.h"
#include "base/sorted.h"

/* ---- Common ends ---- */

/*
 * What all sequences begin and end with: it is in every maximal pattern, and need not be mined.
 *
 *   main  loop  loop  loop  parse  read  exit_hook
 *   main  loop  loop  loop  draw         exit_hook
 *   |------ front ------|                |- back -|
 *
 * Where P is contained in sequences that all begin with C, so is C with what of P does not fit into
 * C behind it; the same from the end. So the maximal patterns are C, then one of the rest, then the
 * back: those of the rest one for one, and the ends alone when the rest has none. A stack of
 * 300,000 functions is mined so without looking for anything.
 */

/* `{ 0 }`: there are none. The caller's items. */
struct ends {
	LODE_VEC(uint32_t) front;
	LODE_VEC(uint32_t) back; /* the last one first */
	int64_t cost;		 /* of the ends alone */
};

enum {
	/* Shorter ends cost less to mine than to take off. */
	LEAST_ENDS = 64,
	/* What is too cheap to be in a pattern can hide ends: they are looked for again. */
	MOST_TRIES = 8,
};

static uint32_t length_of(const struct lode_reduced *r, uint32_t i)
{
	return r->start[i + 1] - r->start[i];
}

static void find_ends(uint32_t *n_front, uint32_t *n_back, const struct lode_reduced *r,
		      uint32_t least)
{
	const uint32_t *first = r->items, *last = r->items + length_of(r, 0) - 1;
	uint32_t shortest = length_of(r, 0), n;

	*n_front = *n_back = shortest;
	for (uint32_t i = 1; i < r->n && *n_front + *n_back >= least; i++) {
		const uint32_t *items = r->items + r->start[i];
		uint32_t n_items = length_of(r, i);

		shortest = n_items < shortest ? n_items : shortest;
		for (n = 0; n < *n_front && n < n_items && items[n] == first[n]; n++)
			;
		*n_front = n;
		for (n = 0; n < *n_back && n < n_items && items[n_items - 1 - n] == *(last - n);
		     n++)
			;
		*n_back = n;
	}
	/* They do not overlap in the shortest sequence. */
	if (*n_back > shortest - *n_front)
		*n_back = shortest - *n_front;
}

static void keep_ends(struct ends *ends, const struct lode_reduced *r, uint32_t n_front,
		      uint32_t n_back)
{
	for (uint32_t k = 0; k < n_front; k++)
		for (uint32_t c = r->chain_start[r->items[k]]; c < r->chain_start[r->items[k] + 1];
		     c++)
			lode_vec_append(&ends->front, r->chain[c]);
	for (uint32_t k = 0; k < n_back; k++) {
		uint32_t item = r->items[r->start[1] - 1 - k];

		for (uint32_t c = r->chain_start[item + 1]; c-- > r->chain_start[item];)
			lode_vec_append(&ends->back, r->chain[c]);
	}
	ends->cost = 0;
	for (uint32_t i = 0; i < r->n; i++)
		ends->cost += r->weight[i];
}

/* What is left between the ends, in the caller's items, becomes the reduced input. */
static int reduce_rest(struct lode_reduced *r, uint32_t n_front, uint32_t n_back, int64_t min_cost,
		       struct lode_error *err)
{
	LODE_VEC(uint32_t) items = {0};
	size_t *start = lode_alloc((r->n + (size_t)1) * sizeof(*start));
	struct lode_reduced rest;
	int rc;

	for (uint32_t i = 0; i < r->n; i++) {
		start[i] = items.n;
		for (uint32_t p = r->start[i] + n_front; p < r->start[i + 1] - n_back; p++)
			for (uint32_t c = r->chain_start[r->items[p]];
			     c < r->chain_start[r->items[p] + 1]; c++)
				lode_vec_append(&items, r->chain[c]);
	}
	start[r->n] = items.n;
	rc = lode_reduce(&rest, &(struct lode_sequences){r->n, items.at, start, r->weight},
			 min_cost, err);
	lode_reduced_release(r);
	*r = rest;
	lode_vec_release(&items);
	free(start);
	return rc;
}

/* Takes long ends off `reduced`, which is reduced again. */
static int ends_take(struct ends *ends, struct lode_reduced *reduced,
		     const struct lode_miner_options *options, struct lode_error *err)
{
	uint32_t least = options->deep ? options->deep : LEAST_ENDS, n_front, n_back;
	int rc = 0;

	for (int i = 0; rc == 0 && i < MOST_TRIES && reduced->n; i++) {
		find_ends(&n_front, &n_back, reduced, least);
		if (n_front + n_back < least)
			break;
		keep_ends(ends, reduced, n_front, n_back);
		rc = reduce_rest(reduced, n_front, n_back, options->min_cost, err);
	}
	return rc;
}

static void put_around(struct lode_result *result, const struct ends *ends,
		       struct lode_arena *arena)
{
	size_t n = ends->front.n + result->n + ends->back.n;
	uint32_t *items = lode_arena_array(arena, uint32_t, n), *to = items;

	for (size_t i = 0; i < ends->front.n; i++)
		*to++ = ends->front.at[i];
	for (size_t i = 0; i < result->n; i++)
		*to++ = result->items[i];
	for (size_t i = ends->back.n; i-- > 0;)
		*to++ = ends->back.at[i];
	result->items = items;
	result->n = n;
}

/* Puts them around all results; without results they are one. */
static void ends_put(struct lode_results *results, const struct ends *ends)
{
	if (!ends->front.n && !ends->back.n)
		return;
	if (!results->all.n)
		lode_vec_append(&results->all, ((struct lode_result){.cost = ends->cost}));
	for (size_t i = 0; i < results->all.n; i++)
		put_around(&results->all.at[i], ends, &results->arena);
}

static void ends_release(struct ends *ends)
{
	lode_vec_release(&ends->front);
	lode_vec_release(&ends->back);
}

/* ---- Mining ---- */

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

/* The sequences, and which of them have a function (struct lode_lists). */
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
	struct ends ends = {0};
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
	if ((rc = ends_take(&ends, &reduced, options, err)) < 0)
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
		ends_put(&results, &ends);
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
	ends_release(&ends);
	lode_shortened_release(&shortened);
	lode_results_release(&results);
	lode_reduced_release(&reduced);
	return rc;
}
