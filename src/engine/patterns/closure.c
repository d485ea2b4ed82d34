/* Finds items that belong to every maximal pattern of a database. */
#include "engine/patterns/closure.h"

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
