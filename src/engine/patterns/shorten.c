/* Deep sequences without what no other sequence shares. */
#include "engine/patterns/shorten.h"

enum {
	LEAST_DEEP = 512,
	/* Steps of all comparisons: so many for each item of the input, and some. */
	STEPS_PER_ITEM = 4,
	STEPS = 1 << 22,
};

struct shortening {
	const struct lode_reduced *from;
	LODE_VEC(uint32_t) first;   /* n_items + 1: where an item's places begin in `places` */
	LODE_VEC(uint32_t) places;  /* in the deep sequence, by item, ascending */
	LODE_VEC(uint32_t) reached; /* by what was looked at of the other one, ascending */
	LODE_VEC(uint32_t) next, merged;
	uint8_t *is_reached; /* per place of the deep one: by this other one, by any */
	uint8_t *is_kept;    /* per item of the input; NULL: nothing was shortened */
	uint64_t steps_left;
};

static void find_places(struct shortening *s, uint32_t deep)
{
	const struct lode_reduced *r = s->from;
	const uint32_t *items = r->items + r->start[deep];
	uint32_t n = r->start[deep + 1] - r->start[deep];

	s->first.n = s->places.n = 0;
	lode_vec_reserve(&s->first, r->n_items + (size_t)2);
	lode_vec_reserve(&s->places, n);
	memset(s->first.at, 0, (r->n_items + (size_t)2) * sizeof(*s->first.at));
	for (uint32_t p = 0; p < n; p++)
		s->first.at[items[p] + 2]++;
	for (uint32_t x = 0; x < r->n_items; x++)
		s->first.at[x + 2] += s->first.at[x + 1];
	for (uint32_t p = 0; p < n; p++)
		s->places.at[s->first.at[items[p] + 1]++] = p;
}

/* What is reached when `item` comes next: the first place of it behind each that is. */
static void reach_next(struct shortening *s, uint32_t item)
{
	const uint32_t *place = s->places.at + s->first.at[item];
	const uint32_t *end = s->places.at + s->first.at[item + 1];
	uint64_t steps = place < end ? s->reached.n + (uint64_t)(end - place) : 1;
	size_t k = 0, m = 0;

	s->steps_left -= steps < s->steps_left ? steps : s->steps_left;
	s->next.n = 0;
	if (place == end)
		return;
	if (!s->is_reached[*place])
		lode_vec_append(&s->next, *place);
	for (size_t i = 0; i < s->reached.n && place < end; i++) {
		while (place < end && *place <= s->reached.at[i])
			place++;
		if (place < end && !s->is_reached[*place] &&
		    (!s->next.n || s->next.at[s->next.n - 1] != *place))
			lode_vec_append(&s->next, *place);
	}
	if (!s->next.n)
		return;
	s->merged.n = 0;
	lode_vec_reserve(&s->merged, s->reached.n + s->next.n);
	while (k < s->reached.n || m < s->next.n) {
		bool is_old =
			m == s->next.n || (k < s->reached.n && s->reached.at[k] < s->next.at[m]);
		uint32_t at = is_old ? s->reached.at[k++] : s->next.at[m++];

		s->is_reached[at] = true;
		s->merged.at[s->merged.n++] = at;
	}
	s->reached.n = 0;
	lode_vec_reserve(&s->reached, s->merged.n);
	memcpy(s->reached.at, s->merged.at, s->merged.n * sizeof(*s->merged.at));
	s->reached.n = s->merged.n;
}

static bool is_kept(const struct shortening *s, uint32_t p)
{
	return !s->is_kept || s->is_kept[p];
}

/* Marks in `keep` the places that some subsequence of sequence `other` needs. */
static void keep_for(struct shortening *s, uint8_t *keep, uint32_t other)
{
	const struct lode_reduced *r = s->from;

	s->reached.n = 0;
	for (uint32_t p = r->start[other]; p < r->start[other + 1] && s->steps_left; p++)
		if (is_kept(s, p))
			reach_next(s, r->items[p]);
	for (size_t i = 0; i < s->reached.n; i++) {
		keep[s->reached.at[i]] = true;
		s->is_reached[s->reached.at[i]] = false;
	}
}

/* False: nothing can be left out of it, or that would take too long to find. */
static bool shorten_one(struct shortening *s, uint32_t deep)
{
	const struct lode_reduced *r = s->from;
	uint32_t n = r->start[deep + 1] - r->start[deep], n_kept = 0;
	uint64_t steps = (uint64_t)r->n_items + n;
	uint8_t *keep = lode_alloc0(n, 1);

	s->steps_left -= steps < s->steps_left ? steps : s->steps_left;
	find_places(s, deep);
	s->is_reached = lode_alloc0(n, 1);
	for (uint32_t i = 0; i < r->n && s->steps_left; i++)
		if (i != deep)
			keep_for(s, keep, i);
	free(s->is_reached);
	for (uint32_t p = 0; p < n; p++)
		n_kept += keep[p];
	if (!s->steps_left || n_kept > n / 2) {
		free(keep);
		return false;
	}
	if (!s->is_kept) {
		s->is_kept = lode_alloc(r->start[r->n]);
		memset(s->is_kept, true, r->start[r->n]);
	}
	memcpy(s->is_kept + r->start[deep], keep, n);
	free(keep);
	return true;
}

/* An item that the caller has not, and many more behind it; 0: there is none. */
static uint32_t free_id(const struct lode_reduced *r)
{
	uint32_t highest = 0;

	for (uint32_t c = 0; c < r->chain_start[r->n_items]; c++)
		highest = r->chain[c] > highest ? r->chain[c] : highest;
	return highest < UINT32_MAX - r->n - 16 ? highest + 1 : 0;
}

static void write_out(lode_item_vec *to, const struct lode_reduced *r, uint32_t item)
{
	for (uint32_t c = r->chain_start[item]; c < r->chain_start[item + 1]; c++)
		lode_vec_append(to, r->chain[c]);
}

/* A pattern by itself is kept as it is, behind an item that stands for it. */
static uint32_t keep_whole(struct lode_shortened *out, const struct lode_reduced *r, uint32_t deep)
{
	if (!out->start.n)
		lode_vec_append(&out->start, 0);
	for (uint32_t p = r->start[deep]; p < r->start[deep + 1]; p++)
		write_out(&out->items, r, r->items[p]);
	lode_vec_append(&out->start, out->items.n);
	return out->first_id + (uint32_t)out->start.n - 2;
}

/* What is kept, in the caller's items, becomes the reduced input. */
static int reduce_kept(struct lode_shortened *out, struct lode_reduced *r, const uint8_t *kept,
		       const uint8_t *is_short, int64_t min_cost, struct lode_error *err)
{
	lode_item_vec items = {0};
	size_t *start = lode_alloc((r->n + (size_t)1) * sizeof(*start));
	struct lode_reduced rest;
	int rc;

	for (uint32_t i = 0; i < r->n; i++) {
		start[i] = items.n;
		for (uint32_t p = r->start[i]; p < r->start[i + 1]; p++)
			if (kept[p])
				write_out(&items, r, r->items[p]);
		if (is_short[i] && r->weight[i] >= min_cost)
			lode_vec_append(&items, keep_whole(out, r, i));
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

int lode_shorten(struct lode_shortened *out, struct lode_reduced *reduced,
		 const struct lode_miner_options *options, struct lode_error *err)
{
	uint32_t least = options->deep ? options->deep : LEAST_DEEP;
	struct shortening s = {.from = reduced};
	uint8_t *is_short = lode_alloc0(reduced->n + (size_t)1, 1);
	int rc = 0;

	if (reduced->n)
		s.steps_left = STEPS + (uint64_t)STEPS_PER_ITEM * reduced->start[reduced->n];
	out->first_id = free_id(reduced);
	for (uint32_t i = 0; i < reduced->n && s.steps_left && out->first_id; i++)
		if (reduced->start[i + 1] - reduced->start[i] >= least)
			is_short[i] = shorten_one(&s, i);
	if (s.is_kept)
		rc = reduce_kept(out, reduced, s.is_kept, is_short, options->min_cost, err);
	lode_vec_release(&s.first);
	lode_vec_release(&s.places);
	lode_vec_release(&s.reached);
	lode_vec_release(&s.next);
	lode_vec_release(&s.merged);
	free(s.is_kept);
	free(is_short);
	return rc;
}

void lode_shortened_put(struct lode_results *results, const struct lode_shortened *shortened)
{
	size_t n = shortened->start.n ? shortened->start.n - 1 : 0;

	for (size_t i = 0; i < results->all.n && n; i++) {
		struct lode_result *result = &results->all.at[i];
		uint32_t number = result->items[result->n - 1] - shortened->first_id;
		size_t n_items;
		uint32_t *items;

		if (number >= n)
			continue;
		n_items = shortened->start.at[number + 1] - shortened->start.at[number];
		items = lode_arena_array(&results->arena, uint32_t, n_items);
		memcpy(items, shortened->items.at + shortened->start.at[number],
		       n_items * sizeof(*items));
		result->items = items;
		result->n = n_items;
	}
}

void lode_shortened_release(struct lode_shortened *shortened)
{
	lode_vec_release(&shortened->items);
	lode_vec_release(&shortened->start);
}
