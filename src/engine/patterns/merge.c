/* Merges equal sequences while they are written. */
#include "engine/patterns/merge.h"

/*
 * Which sequences contain an item: list.at[start.at[x] .. start.at[x + 1]), ascending.
 */

void lode_lists_build(struct lode_lists *lists, const struct lode_merge *db,
		      const uint32_t *sequences, uint32_t n_sequences, uint32_t n_items,
		      const uint8_t *skip)
{
	uint32_t i, s, at, x, *fill, *seen;

	lode_vec_reserve(&lists->start, (size_t)n_items + 2);
	lode_vec_reserve(&lists->seen, (size_t)n_items + 1);
	memset(lists->start.at, 0, ((size_t)n_items + 2) * sizeof(*lists->start.at));
	/* While filling, fill[x] is where list x grows; once full, that is start[x + 1]. */
	fill = lists->start.at + 1;
	seen = lists->seen.at;
	for (int pass = 0; pass < 2; pass++) {
		memset(seen, 0, ((size_t)n_items + 1) * sizeof(*seen));
		for (i = 0; i < n_sequences; i++) {
			s = sequences ? sequences[i] : i;
			for (at = db->start.at[s]; at < db->start.at[s + 1]; at++) {
				x = db->items.at[at];
				if (x >= n_items || seen[x] == i + 1 || (skip && skip[x]))
					continue;
				seen[x] = i + 1;
				if (pass == 0)
					fill[x + 1]++;
				else
					lists->list.at[fill[x]++] = s;
			}
		}
		if (pass == 0) {
			for (x = 0; x < n_items; x++)
				fill[x + 1] += fill[x];
			lode_vec_reserve(&lists->list, (size_t)fill[n_items] + 1);
		}
	}
}

void lode_lists_release(struct lode_lists *lists)
{
	lode_vec_release(&lists->start);
	lode_vec_release(&lists->list);
	lode_vec_release(&lists->seen);
}

void lode_merge_begin(struct lode_merge *merge, uint32_t n_most)
{
	size_t n_slots = 16;

	while (n_slots < (size_t)n_most * 2)
		n_slots *= 2;
	merge->n = 0;
	merge->items.n = merge->start.n = merge->weight.n = 0;
	lode_vec_append(&merge->start, 0);
	lode_vec_reserve(&merge->slots, n_slots);
	memset(merge->slots.at, 0, n_slots * sizeof(*merge->slots.at));
	merge->mask = (uint32_t)(n_slots - 1);
}

static uint32_t hash_items(const uint32_t *items, uint32_t n)
{
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++)
		h = (h ^ items[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
	return (uint32_t)(h ^ h >> 32);
}

void lode_merge_close(struct lode_merge *merge, int64_t weight)
{
	uint32_t from = merge->start.at[merge->n], n = (uint32_t)merge->items.n - from, other, at;
	const uint32_t *items;

	if (n == 0)
		return;
	items = merge->items.at + from;
	for (at = hash_items(items, n);; at++) {
		other = merge->slots.at[at & merge->mask];
		if (other == 0)
			break;
		other--;
		if (merge->start.at[other + 1] - merge->start.at[other] == n &&
		    memcmp(merge->items.at + merge->start.at[other], items, n * sizeof(*items)) ==
			    0) {
			merge->weight.at[other] += weight;
			merge->items.n = from;
			return;
		}
	}
	merge->slots.at[at & merge->mask] = ++merge->n;
	lode_vec_append(&merge->weight, weight);
	lode_vec_append(&merge->start, (uint32_t)merge->items.n);
}

void lode_merge_release(struct lode_merge *merge)
{
	lode_vec_release(&merge->items);
	lode_vec_release(&merge->start);
	lode_vec_release(&merge->weight);
	lode_vec_release(&merge->slots);
}
