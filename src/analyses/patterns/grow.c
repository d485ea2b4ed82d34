#include "analyses/patterns/grow.h"

#include <stdlib.h>

#include "analyses/patterns/windows.h"

void lode_grower_init(struct lode_grower *grower, uint32_t n_items)
{
	memset(grower, 0, sizeof(*grower));
	lode_vec_reserve(&grower->local, (size_t)n_items + 1);
}

void lode_grower_release(struct lode_grower *grower)
{
	lode_vec_release(&grower->local);
	lode_vec_release(&grower->sequences);
	lode_vec_release(&grower->pattern);
	lode_vec_release(&grower->origin);
	lode_vec_release(&grower->insertions);
	lode_vec_release(&grower->names);
}

/* Moves what is at `at` and behind one up; the last of the `n` is free to be overwritten. */
static void insert(uint32_t *values, size_t n, uint32_t at, uint32_t value)
{
	memmove(values + at + 1, values + at, (n - 1 - at) * sizeof(*values));
	values[at] = value;
}

static bool contains_pattern(const uint32_t *items, uint32_t n_items, const uint32_t *pattern,
			     size_t n_pattern)
{
	uint32_t at;
	size_t j = 0;

	for (at = 0; at < n_items && j < n_pattern; at++)
		j += items[at] == pattern[j];
	return j == n_pattern;
}

static void find_sequences(struct lode_grower *grower, const struct lode_condition *base,
			   struct lode_scratch *scratch)
{
	uint32_t n_items, i;

	grower->sequences.n = 0;
	grower->cost = 0;
	for (i = 0; i < base->db.n; i++) {
		const uint32_t *items = lode_condition_sequence(base, i, &n_items);

		scratch->work += n_items / 2;
		if (!contains_pattern(items, n_items, grower->pattern.at, grower->pattern.n))
			continue;
		lode_vec_append(&grower->sequences, i);
		grower->cost += base->db.weight.at[i];
	}
}

/* Keeps the sequences in which the item stands in the window of the slot. */
static void narrow(struct lode_grower *grower, const struct lode_condition *base,
		   const struct lode_insertion *insertion, struct lode_scratch *scratch)
{
	uint32_t n_pattern = (uint32_t)grower->pattern.n, n_items, at, end;
	size_t i, n_kept = 0;

	for (i = 0; i < grower->sequences.n; i++) {
		const uint32_t *items =
			lode_condition_sequence(base, grower->sequences.at[i], &n_items);

		lode_windows_match(items, n_items, grower->pattern.at, n_pattern, scratch->first.at,
				   scratch->last.at);
		at = lode_window_begin(scratch->first.at, insertion->slot);
		end = lode_window_end(scratch->last.at, n_pattern, n_items, insertion->slot);
		while (at < end && items[at] != insertion->item)
			at++;
		if (at < end)
			grower->sequences.at[n_kept++] = grower->sequences.at[i];
	}
	grower->sequences.n = n_kept;
}

static void insert_costliest(struct lode_grower *grower, const struct lode_condition *base,
			     struct lode_scratch *scratch)
{
	const struct lode_insertion *best = &grower->insertions.at[0];
	size_t i;

	for (i = 1; i < grower->insertions.n; i++)
		if (grower->insertions.at[i].cost > best->cost)
			best = &grower->insertions.at[i];
	grower->cost = best->cost;
	narrow(grower, base, best, scratch);
	lode_vec_append(&grower->pattern, 0);
	lode_vec_append(&grower->origin, 0);
	insert(grower->pattern.at, grower->pattern.n, best->slot, best->item);
	insert(grower->origin.at, grower->origin.n, best->slot, grower->origin.at[best->slot]);
}

static void begin(struct lode_grower *grower, const struct lode_condition *base,
		  const uint32_t *names, uint32_t n, const uint32_t *origin)
{
	uint32_t i;

	for (i = 0; i < base->global.n; i++)
		grower->local.at[base->global.at[i]] = i;
	grower->pattern.n = grower->origin.n = 0;
	for (i = 0; i < n; i++)
		lode_vec_append(&grower->pattern, grower->local.at[names[i]]);
	for (i = 0; i <= n; i++)
		lode_vec_append(&grower->origin, origin[i]);
}

void lode_grow(struct lode_grower *grower, const struct lode_condition *base,
	       const uint8_t *is_open, const uint32_t *names, uint32_t n, const uint32_t *origin,
	       int64_t min_cost, struct lode_scratch *scratch)
{
	size_t i;

	begin(grower, base, names, n, origin);
	find_sequences(grower, base, scratch);
	for (;;) {
		struct lode_selection selection = {.parent = base,
						   .is_open = is_open,
						   .sequences = grower->sequences.at,
						   .n_sequences = (uint32_t)grower->sequences.n,
						   .pattern = grower->pattern.at,
						   .n_pattern = (uint32_t)grower->pattern.n,
						   .origin = grower->origin.at,
						   .inserted_slot = LODE_NO_SLOT};

		lode_condition_count(&grower->insertions, &selection, min_cost, scratch);
		if (grower->insertions.n == 0)
			break;
		insert_costliest(grower, base, scratch);
	}
	grower->names.n = 0;
	for (i = 0; i < grower->pattern.n; i++)
		lode_vec_append(&grower->names, base->global.at[grower->pattern.at[i]]);
}
