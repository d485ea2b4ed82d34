/* Long ends that all sequences share, off before mining and on again behind it. */
#include "engine/patterns/ends.h"

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

static void keep_ends(struct lode_ends *ends, const struct lode_reduced *r, uint32_t n_front,
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

int lode_ends_take(struct lode_ends *ends, struct lode_reduced *reduced,
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

static void put_around(struct lode_result *result, const struct lode_ends *ends,
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

void lode_ends_put(struct lode_results *results, const struct lode_ends *ends)
{
	if (!ends->front.n && !ends->back.n)
		return;
	if (!results->all.n)
		lode_vec_append(&results->all, ((struct lode_result){.cost = ends->cost}));
	for (size_t i = 0; i < results->all.n; i++)
		put_around(&results->all.at[i], ends, &results->arena);
}

void lode_ends_release(struct lode_ends *ends)
{
	lode_vec_release(&ends->front);
	lode_vec_release(&ends->back);
}
