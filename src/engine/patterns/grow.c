/* Grows a pattern into a maximal one. */
#include "engine/patterns/grow.h"

#include "engine/patterns/windows.h"

/* ---- Common ends ---- */

void lode_closure_mandatory(lode_item_vec *out, const struct lode_condition *condition,
			    const uint32_t *sequences, uint32_t n_sequences, int64_t min_cost)
{
	int64_t spare = -min_cost, spared = 0;

	for (uint32_t i = 0; i < n_sequences; i++)
		spare += condition->db.weight.at[sequences[i]];
	out->n = 0;
	for (uint32_t i = 0; i < n_sequences; i++) {
		int64_t weight = condition->db.weight.at[sequences[i]];

		if (weight > spare)
			lode_vec_append(out, sequences[i]);
		else
			spared += weight;
	}
	if (spared <= spare)
		return;
	out->n = 0;
	for (uint32_t i = 0; i < n_sequences; i++)
		lode_vec_append(out, sequences[i]);
}

/* How many items all sequences have in common at the front and, not the same ones, at the end. */
static void find_ends(uint32_t *n_front, uint32_t *n_back, const struct lode_condition *condition,
		      const uint32_t *sequences, uint32_t n_sequences)
{
	uint32_t n_first, n_items, n, shortest;
	const uint32_t *first = lode_condition_sequence(condition, sequences[0], &n_first);

	*n_front = *n_back = shortest = n_first;
	for (uint32_t i = 1; i < n_sequences && *n_front + *n_back; i++) {
		const uint32_t *items = lode_condition_sequence(condition, sequences[i], &n_items);

		if (n_items < shortest)
			shortest = n_items;
		for (n = 0; n < *n_front && n < n_items && items[n] == first[n]; n++)
			;
		*n_front = n;
		for (n = 0;
		     n < *n_back && n < n_items && items[n_items - 1 - n] == first[n_first - 1 - n];
		     n++)
			;
		*n_back = n;
	}
	/* In the shortest sequence they may overlap; and a front is as good as a back. */
	if (*n_back > shortest - *n_front)
		*n_back = shortest - *n_front;
}

bool lode_closure_find(lode_item_vec *pattern, lode_item_vec *origin,
		       const struct lode_condition *condition, const uint32_t *old, uint32_t n_old,
		       const uint32_t *sequences, uint32_t n_sequences)
{
	uint32_t n_front, n_back, n_items, begin, end, begin_back, i;
	const uint32_t *items = lode_condition_sequence(condition, sequences[0], &n_items);

	find_ends(&n_front, &n_back, condition, sequences, n_sequences);
	for (i = 0, begin = 0; i < n_front && begin < n_old; i++)
		begin += items[i] == old[begin];
	for (i = 0, end = n_old; i < n_back && end > begin; i++)
		end -= items[n_items - 1 - i] == old[end - 1];
	if (n_front + (end - begin) + n_back == n_old)
		return false;
	/* Slots are told by how many of the old pattern's items stand before them. */
	for (i = 0, begin = 0; i < n_front; i++) {
		lode_vec_append(origin, begin);
		lode_vec_append(pattern, items[i]);
		begin += begin < n_old && items[i] == old[begin];
	}
	begin_back = end;
	for (i = begin; i < end; i++) {
		lode_vec_append(origin, i);
		lode_vec_append(pattern, old[i]);
	}
	/* At the end the old items are matched from the right. */
	for (i = 0; i < n_back; i++) {
		lode_vec_append(origin, 0);
		lode_vec_append(pattern, items[n_items - n_back + i]);
	}
	lode_vec_append(origin, n_old);
	for (i = n_back, end = n_old; i-- > 0;) {
		size_t at = pattern->n - n_back + i;

		end -= end > begin_back && pattern->at[at] == old[end - 1];
		origin->at[at] = end;
	}
	return true;
}

/* ---- Growing ---- */

enum { LEAST_ENDS = 64 };

void lode_grower_init(struct lode_grower *grower, uint32_t n_items, uint32_t least_ends)
{
	memset(grower, 0, sizeof(*grower));
	grower->least_ends = least_ends ? least_ends : LEAST_ENDS;
	lode_vec_reserve(&grower->local, (size_t)n_items + 1);
}

void lode_grower_release(struct lode_grower *grower)
{
	lode_vec_release(&grower->local);
	lode_vec_release(&grower->sequences);
	lode_vec_release(&grower->pattern);
	lode_vec_release(&grower->origin);
	lode_vec_release(&grower->insertions);
	lode_vec_release(&grower->longer);
	lode_vec_release(&grower->slots);
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
	size_t j = 0;

	for (uint32_t at = 0; at < n_items && j < n_pattern; at++)
		j += items[at] == pattern[j];
	return j == n_pattern;
}

static void find_sequences(struct lode_grower *grower, const struct lode_condition *base,
			   struct lode_scratch *scratch)
{
	uint32_t n_items;

	grower->sequences.n = 0;
	grower->cost = 0;
	for (uint32_t i = 0; i < base->db.n; i++) {
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
	size_t n_kept = 0;

	for (size_t i = 0; i < grower->sequences.n; i++) {
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

	for (size_t i = 1; i < grower->insertions.n; i++)
		if (grower->insertions.at[i].cost > best->cost)
			best = &grower->insertions.at[i];
	grower->cost = best->cost;
	narrow(grower, base, best, scratch);
	lode_vec_append(&grower->pattern, 0);
	lode_vec_append(&grower->origin, 0);
	insert(grower->pattern.at, grower->pattern.n, best->slot, best->item);
	insert(grower->origin.at, grower->origin.n, best->slot, grower->origin.at[best->slot]);
}

/* May all that the longer pattern has, and the pattern has not, be inserted there? */
static bool may_be_longer(struct lode_grower *grower, const struct lode_condition *base,
			  const uint8_t *is_open)
{
	uint32_t n_all = lode_condition_n_items(base);

	for (size_t i = 0; i < grower->longer.n; i++) {
		uint32_t slot = grower->slots.at[i];

		if (grower->slots.at[i + 1] == slot &&
		    !is_open[(size_t)grower->origin.at[slot] * n_all + grower->longer.at[i]])
			return false;
		grower->slots.at[i] = grower->origin.at[slot];
	}
	grower->slots.at[grower->longer.n] = grower->origin.at[grower->pattern.n];
	return true;
}

/*
 * Inserts all at once what the sequences begin and end with, if that is much: one by one, each
 * insertion would walk over all of it again.
 */
static void insert_ends(struct lode_grower *grower, const struct lode_condition *base,
			const uint8_t *is_open, struct lode_scratch *scratch)
{
	size_t n_before = grower->pattern.n;

	grower->longer.n = grower->slots.n = 0;
	for (size_t i = 0; i < grower->sequences.n; i++) {
		uint32_t n_items;

		lode_condition_sequence(base, grower->sequences.at[i], &n_items);
		if (n_items < n_before + grower->least_ends)
			return;
	}
	if (!lode_closure_find(&grower->longer, &grower->slots, base, grower->pattern.at,
			       (uint32_t)n_before, grower->sequences.at,
			       (uint32_t)grower->sequences.n))
		return;
	scratch->work += grower->longer.n * grower->sequences.n;
	if (grower->longer.n < n_before + grower->least_ends ||
	    !may_be_longer(grower, base, is_open))
		return;
	grower->pattern.n = grower->origin.n = 0;
	for (size_t i = 0; i < grower->longer.n; i++)
		lode_vec_append(&grower->pattern, grower->longer.at[i]);
	for (size_t i = 0; i <= grower->longer.n; i++)
		lode_vec_append(&grower->origin, grower->slots.at[i]);
}

static void begin(struct lode_grower *grower, const struct lode_condition *base,
		  const uint32_t *names, uint32_t n, const uint32_t *origin)
{
	for (uint32_t i = 0; i < base->global.n; i++)
		grower->local.at[base->global.at[i]] = i;
	grower->pattern.n = grower->origin.n = 0;
	for (uint32_t i = 0; i < n; i++)
		lode_vec_append(&grower->pattern, grower->local.at[names[i]]);
	for (uint32_t i = 0; i <= n; i++)
		lode_vec_append(&grower->origin, origin[i]);
}

void lode_grow(struct lode_grower *grower, const struct lode_condition *base,
	       const uint8_t *is_open, const uint32_t *names, uint32_t n, const uint32_t *origin,
	       int64_t min_cost, struct lode_scratch *scratch)
{
	struct lode_selection selection;
	size_t n_tried = 0;

	begin(grower, base, names, n, origin);
	find_sequences(grower, base, scratch);
	for (;;) {
		if (grower->sequences.n != n_tried)
			insert_ends(grower, base, is_open, scratch);
		n_tried = grower->sequences.n;
		selection = (struct lode_selection){.parent = base,
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
	for (size_t i = 0; i < grower->pattern.n; i++)
		lode_vec_append(&grower->names, base->global.at[grower->pattern.at[i]]);
}
