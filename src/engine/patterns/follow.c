/* Inner loops of the search by enumeration: what can follow a prefix. */
#include "engine/patterns/follow.h"

enum { NONE = UINT32_MAX };

void lode_follow_db_release(struct lode_follow_db *db)
{
	lode_vec_release(&db->global);
	lode_vec_release(&db->items);
	lode_vec_release(&db->start);
	lode_vec_release(&db->weight);
}

void lode_follow_places_release(struct lode_follow_places *places)
{
	lode_vec_release(&places->is_wanted);
	lode_vec_release(&places->first);
	lode_vec_release(&places->list);
}

void lode_follow_scratch_release(struct lode_follow_scratch *scratch)
{
	lode_vec_release(&scratch->behind);
	lode_vec_release(&scratch->last);
	lode_vec_release(&scratch->number);
	lode_vec_release(&scratch->seen);
}

static void reserve_items(struct lode_follow_scratch *scratch, uint32_t n_items)
{
	size_t n_before = scratch->behind.capacity;

	lode_vec_reserve(&scratch->behind, n_items);
	for (size_t i = n_before; i < scratch->behind.capacity; i++)
		scratch->behind.at[i] = NONE;
	lode_vec_reserve(&scratch->last, n_items);
	lode_vec_reserve(&scratch->number, n_items);
}

/* Lists the lasts of a sequence and how many stand behind each first; gives their number. */
static uint32_t find_lasts(uint32_t *last, uint32_t *behind, const uint32_t *items, uint32_t n)
{
	uint32_t n_last = 0;

	for (uint32_t at = n; at-- > 0;) {
		uint32_t x = items[at], is_new = behind[x] == NONE;

		behind[x] = n_last;
		last[n_last] = x; /* overwritten if it is none */
		n_last += is_new;
	}
	return n_last;
}

void lode_follow_count(int64_t *cost, const struct lode_follow_db *db, uint32_t from, uint32_t end,
		       struct lode_follow_scratch *scratch)
{
	uint32_t m = db->n_items;
	uint32_t *last, *behind;

	reserve_items(scratch, m + 1);
	last = scratch->last.at;
	behind = scratch->behind.at;
	memset(cost, 0, (size_t)(end - from) * m * sizeof(*cost));
	for (size_t s = 0; s < db->weight.n; s++) {
		uint32_t n = db->start.at[s + 1] - db->start.at[s];
		uint32_t n_last = find_lasts(last, behind, db->items.at + db->start.at[s], n);
		int64_t weight = db->weight.at[s];

		scratch->work += n;
		for (uint32_t k = 0; k < n_last; k++) {
			uint32_t x = last[k], n_behind = behind[x];

			behind[x] = NONE;
			if (x - from < end - from) {
				int64_t *row = cost + (size_t)(x - from) * m;

				scratch->work += n_behind;
				for (uint32_t i = 0; i < n_behind; i++)
					row[last[i]] += weight;
			}
		}
	}
}

void lode_follow_places_begin(struct lode_follow_places *places, uint32_t n)
{
	lode_vec_reserve(&places->is_wanted, n);
	places->is_wanted.n = n;
	lode_vec_reserve(&places->first, (size_t)n + 2);
	memset(places->first.at, 0, ((size_t)n + 2) * sizeof(*places->first.at));
}

void lode_follow_places_find(struct lode_follow_places *places, const struct lode_follow_db *db,
			     uint32_t from, struct lode_follow_scratch *scratch)
{
	uint32_t n_rows = (uint32_t)places->is_wanted.n, *seen_in = scratch->number.at;
	uint32_t *first = places->first.at;

	memset(seen_in, 0xff, db->n_items * sizeof(*seen_in));
	scratch->seen.n = 0;
	for (uint32_t s = 0; s < db->weight.n; s++) {
		/* The last item of a sequence has nothing behind it. */
		lode_vec_reserve(&scratch->seen,
				 scratch->seen.n + db->start.at[s + 1] - db->start.at[s]);
		for (uint32_t at = db->start.at[s]; at + 1 < db->start.at[s + 1]; at++) {
			uint32_t x = db->items.at[at], row = x - from;

			if (row >= n_rows || !places->is_wanted.at[row] || seen_in[x] == s)
				continue;
			seen_in[x] = s;
			scratch->seen.at[scratch->seen.n++] = (struct lode_occurrence){row, s, at};
			first[row + 2]++;
		}
	}
	scratch->work += db->items.n;
	for (uint32_t row = 0; row < n_rows; row++)
		first[row + 2] += first[row + 1];
	lode_vec_reserve(&places->list, scratch->seen.n);
	for (size_t i = 0; i < scratch->seen.n; i++)
		places->list.at[first[scratch->seen.at[i].row + 1]++] = scratch->seen.at[i];
}

int64_t lode_follow_project(struct lode_follow_db *out, const struct lode_follow_db *db,
			    const struct lode_follow_places *places, uint32_t row,
			    const int64_t *cost, int64_t min_cost,
			    struct lode_follow_scratch *scratch)
{
	uint32_t *number = scratch->number.at;
	int64_t weight = 0;

	out->global.n = out->items.n = out->start.n = out->weight.n = 0;
	for (uint32_t y = 0; y < db->n_items; y++) {
		number[y] = cost[y] >= min_cost ? (uint32_t)out->global.n : NONE;
		if (number[y] != NONE)
			lode_vec_append(&out->global, db->global.at[y]);
	}
	out->n_items = (uint32_t)out->global.n;
	lode_vec_append(&out->start, 0);
	for (uint32_t k = places->first.at[row]; k < places->first.at[row + 1]; k++) {
		const struct lode_occurrence *place = &places->list.at[k];
		uint32_t end = db->start.at[place->sequence + 1], n = 0, *to;

		lode_vec_reserve(&out->items, out->items.n + end - place->at);
		to = out->items.at + out->items.n;
		for (uint32_t at = place->at + 1; at < end; at++) {
			to[n] = number[db->items.at[at]];
			n += to[n] != NONE;
		}
		scratch->work += end - place->at;
		if (n < 2)
			continue;
		out->items.n += n;
		lode_vec_append(&out->start, (uint32_t)out->items.n);
		lode_vec_append(&out->weight, db->weight.at[place->sequence]);
		weight += db->weight.at[place->sequence];
	}
	return weight;
}
