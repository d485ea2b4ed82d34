/* Inverted lists: which sequences contain an item. */
#include "engine/patterns/lists.h"

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
