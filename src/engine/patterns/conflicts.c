/* Costs of pairs of insertions that miss a pivot, and a small set that covers them. */
#include "engine/patterns/conflicts.h"

enum { FIRST_SLOTS = 256 };

void lode_conflicts_begin(struct lode_conflicts *conflicts)
{
	if (conflicts->slots.n == 0) {
		lode_vec_reserve(&conflicts->slots, FIRST_SLOTS);
		conflicts->slots.n = FIRST_SLOTS;
	} else if (conflicts->pairs.n == 0) {
		return; /* nothing to clear */
	}
	memset(conflicts->slots.at, 0, conflicts->slots.n * sizeof(*conflicts->slots.at));
	conflicts->mask = (uint32_t)conflicts->slots.n - 1;
	conflicts->pairs.n = 0;
}

static uint32_t hash_pair(uint32_t a, uint32_t b)
{
	uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h >> 32);
}

static void grow_slots(struct lode_conflicts *conflicts)
{
	size_t n = conflicts->slots.n * 2;
	uint32_t at;

	lode_vec_reserve(&conflicts->slots, n);
	memset(conflicts->slots.at, 0, n * sizeof(*conflicts->slots.at));
	conflicts->slots.n = n;
	conflicts->mask = (uint32_t)n - 1;
	for (size_t i = 0; i < conflicts->pairs.n; i++) {
		at = hash_pair(conflicts->pairs.at[i].a, conflicts->pairs.at[i].b);
		while (conflicts->slots.at[at & conflicts->mask])
			at++;
		conflicts->slots.at[at & conflicts->mask] = (uint32_t)i + 1;
	}
}

void lode_conflicts_add(struct lode_conflicts *conflicts, uint32_t a, uint32_t b, int64_t weight,
			uint32_t stamp)
{
	uint32_t at = hash_pair(a, b), found;

	for (; (found = conflicts->slots.at[at & conflicts->mask]) != 0; at++) {
		struct lode_conflict *pair = &conflicts->pairs.at[found - 1];

		if (pair->a != a || pair->b != b)
			continue;
		if (pair->stamp != stamp)
			pair->cost += weight;
		pair->stamp = stamp;
		return;
	}
	lode_vec_append(&conflicts->pairs, ((struct lode_conflict){a, b, weight, stamp}));
	conflicts->slots.at[at & conflicts->mask] = (uint32_t)conflicts->pairs.n;
	if (conflicts->pairs.n * 2 > conflicts->slots.n)
		grow_slots(conflicts);
}

uint32_t lode_conflicts_cover(struct lode_conflicts *conflicts, int64_t min_cost,
			      uint8_t *is_chosen, uint32_t n_insertions)
{
	uint32_t n_chosen = 0, best;
	size_t n = 0;

	for (size_t i = 0; i < conflicts->pairs.n; i++) {
		struct lode_conflict pair = conflicts->pairs.at[i];

		if (pair.cost < min_cost || is_chosen[pair.a] || is_chosen[pair.b])
			continue;
		if (pair.a == pair.b) {
			is_chosen[pair.a] = 1;
			n_chosen++;
		} else {
			conflicts->pairs.at[n++] = pair;
		}
	}
	lode_vec_reserve(&conflicts->degree, n_insertions);
	for (;;) {
		size_t n_left = 0;

		memset(conflicts->degree.at, 0, n_insertions * sizeof(*conflicts->degree.at));
		for (size_t i = 0; i < n; i++) {
			struct lode_conflict pair = conflicts->pairs.at[i];

			if (is_chosen[pair.a] || is_chosen[pair.b])
				continue;
			conflicts->degree.at[pair.a]++;
			conflicts->degree.at[pair.b]++;
			conflicts->pairs.at[n_left++] = pair;
		}
		n = n_left;
		if (n == 0)
			return n_chosen;
		best = conflicts->pairs.at[0].a;
		for (size_t i = 0; i < n; i++) {
			struct lode_conflict pair = conflicts->pairs.at[i];

			if (conflicts->degree.at[pair.a] > conflicts->degree.at[best])
				best = pair.a;
			if (conflicts->degree.at[pair.b] > conflicts->degree.at[best])
				best = pair.b;
		}
		is_chosen[best] = 1;
		n_chosen++;
	}
}

void lode_conflicts_release(struct lode_conflicts *conflicts)
{
	lode_vec_release(&conflicts->pairs);
	lode_vec_release(&conflicts->slots);
	lode_vec_release(&conflicts->degree);
}
