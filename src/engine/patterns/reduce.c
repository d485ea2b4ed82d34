/* Shrinks the miner's input without changing its answer. */
#include "engine/patterns/reduce.h"

#include <assert.h>

#include "base/map.h"
#include "base/sorted.h"

/* ---- Equal sequences, and which have an item ---- */

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

/* ---- Reducing ---- */

enum { NEVER = UINT32_MAX, MIXED = UINT32_MAX - 1, BORDER = UINT32_MAX - 2 };

/* While reducing: the caller's items as dense ids in order of first sight. */
struct draft {
	LODE_VEC(uint32_t) ids;	  /* dense -> the caller's */
	LODE_VEC(int64_t) cost;	  /* of all sequences that contain it */
	LODE_VEC(size_t) seen_in; /* last sequence that counted it, + 1 */
	struct lode_map index;
	uint32_t *dense; /* the whole input in dense ids; later only what is kept */
	size_t *start;	 /* of the kept items of sequence i, n + 1 */
	uint32_t *right; /* dense -> what always stands right behind it, or MIXED */
	uint32_t *left;
	uint32_t *rank; /* dense -> item of the result, or NEVER */
};

static void draft_release(struct draft *draft)
{
	lode_vec_release(&draft->ids);
	lode_vec_release(&draft->cost);
	lode_vec_release(&draft->seen_in);
	lode_map_release(&draft->index);
	free(draft->dense);
	free(draft->start);
	free(draft->right);
	free(draft->left);
	free(draft->rank);
}

static uint32_t draft_item(struct draft *draft, uint32_t id)
{
	uint32_t slot = lode_map_number(&draft->index, id, draft->ids.n);

	if (slot == draft->ids.n) {
		lode_vec_append(&draft->ids, id);
		lode_vec_append(&draft->cost, 0);
		lode_vec_append(&draft->seen_in, 0);
	}
	return slot;
}

static int count_items(struct draft *draft, const struct lode_sequences *sequences,
		       struct lode_error *err)
{
	size_t first = sequences->n ? sequences->start[0] : 0;
	size_t n = sequences->n ? sequences->start[sequences->n] - first : 0;
	int64_t total = 0;

	if (n >= BORDER || sequences->n >= BORDER)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
				 "%zu sequences with %zu functions exceed the limit of the miner",
				 sequences->n, n);
	draft->dense = lode_alloc(n * sizeof(*draft->dense));
	draft->start = lode_alloc((sequences->n + 1) * sizeof(*draft->start));
	for (size_t i = 0; i < sequences->n; i++) {
		lode_sequences_pass(sequences->items, sequences->start, sequences->n, i);
		if (sequences->cost[i] < 0)
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "sequence %zu has a negative cost", i);
		if (__builtin_add_overflow(total, sequences->cost[i], &total))
			return lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
					 "the sum of all costs exceeds 2^63 - 1");
		for (size_t p = sequences->start[i]; p < sequences->start[i + 1]; p++) {
			uint32_t x = draft_item(draft, sequences->items[p]);

			draft->dense[p - first] = x;
			if (draft->seen_in.at[x] != i + 1) {
				draft->seen_in.at[x] = i + 1;
				draft->cost.at[x] += sequences->cost[i];
			}
		}
	}
	return 0;
}

/* Leaves only items that reach λ in sequences that cost something. */
static void keep_costly(struct draft *draft, const struct lode_sequences *sequences,
			int64_t min_cost)
{
	size_t first = sequences->n ? sequences->start[0] : 0, n_kept = 0, i;

	assert(draft->start && (sequences->start || sequences->n == 0));
	for (i = 0; i < sequences->n; i++) {
		draft->start[i] = n_kept;
		for (size_t p = sequences->start[i];
		     sequences->cost[i] && p < sequences->start[i + 1]; p++) {
			uint32_t x = draft->dense[p - first];

			assert(draft->cost.at); /* every item was counted */
			if (draft->cost.at[x] >= min_cost)
				draft->dense[n_kept++] = x;
		}
	}
	draft->start[i] = n_kept;
}

static void note_neighbour(uint32_t *neighbour, uint32_t is)
{
	if (*neighbour == NEVER)
		*neighbour = is;
	else if (*neighbour != is)
		*neighbour = MIXED;
}

static void find_neighbours(struct draft *draft, size_t n_sequences)
{
	size_t n = draft->ids.n;

	draft->right = lode_alloc_none(n);
	draft->left = lode_alloc_none(n);
	for (size_t i = 0; i < n_sequences; i++) {
		lode_sequences_pass(draft->dense, draft->start, n_sequences, i);
		for (size_t p = draft->start[i]; p < draft->start[i + 1]; p++) {
			uint32_t x = draft->dense[p];

			note_neighbour(&draft->left[x],
				       p > draft->start[i] ? draft->dense[p - 1] : BORDER);
			note_neighbour(&draft->right[x],
				       p + 1 < draft->start[i + 1] ? draft->dense[p + 1] : BORDER);
		}
	}
}

/* b stands right behind a wherever a or b stands. No cycle: the last item has BORDER behind it. */
static bool is_joined(const struct draft *draft, uint32_t a, uint32_t b)
{
	return a < BORDER && b < BORDER && a != b && draft->right[a] == b && draft->left[b] == a;
}

struct head {
	int64_t cost;
	uint32_t id, item;
};

LODE_COMPARE(compare_heads, struct head, LODE_ORDER(a->cost, b->cost) ?: LODE_ORDER(a->id, b->id))

/* Chains of joined items become the items of the result, cheapest first. */
static void rank_items(struct lode_reduced *out, struct draft *draft, int64_t min_cost)
{
	uint32_t n = (uint32_t)draft->ids.n, n_chained = 0, i, x;
	LODE_VEC(struct head) heads = {0};

	for (x = 0; x < n; x++)
		if (draft->cost.at[x] >= min_cost && !is_joined(draft, draft->left[x], x))
			lode_vec_append(&heads,
					((struct head){draft->cost.at[x], draft->ids.at[x], x}));
	lode_sort(heads.at, heads.n, compare_heads);
	out->n_items = (uint32_t)heads.n;
	out->item_cost = lode_alloc(heads.n * sizeof(*out->item_cost));
	out->chain_start = lode_alloc((heads.n + 1) * sizeof(*out->chain_start));
	out->chain = lode_alloc(n * sizeof(*out->chain));
	draft->rank = lode_alloc_none(n);
	for (i = 0; i < heads.n; i++) {
		x = heads.at[i].item;
		draft->rank[x] = i;
		out->item_cost[i] = heads.at[i].cost;
		out->chain_start[i] = n_chained;
		out->chain[n_chained++] = draft->ids.at[x];
		for (; is_joined(draft, x, draft->right[x]); x = draft->right[x])
			out->chain[n_chained++] = draft->ids.at[draft->right[x]];
	}
	out->chain_start[i] = n_chained;
	lode_vec_release(&heads);
}

/* The merged sequences become the caller's; the hash table goes. */
static void take_merged(struct lode_reduced *out, struct lode_merge *merge)
{
	out->n = merge->n;
	out->start = lode_realloc_n(merge->start.at, merge->start.n, sizeof(*out->start));
	out->items = lode_realloc_n(merge->items.at, merge->items.n, sizeof(*out->items));
	out->weight = lode_realloc_n(merge->weight.at, merge->weight.n, sizeof(*out->weight));
	lode_vec_release(&merge->slots);
}

int lode_reduce(struct lode_reduced *out, const struct lode_sequences *sequences, int64_t min_cost,
		struct lode_error *err)
{
	struct draft draft = {0};
	struct lode_merge merge = {0};
	int rc;

	memset(out, 0, sizeof(*out));
	rc = count_items(&draft, sequences, err);
	if (rc < 0)
		goto out;
	keep_costly(&draft, sequences, min_cost);
	find_neighbours(&draft, sequences->n);
	rank_items(out, &draft, min_cost);
	lode_merge_begin(&merge, (uint32_t)sequences->n);
	for (size_t i = 0; i < sequences->n; i++) {
		lode_sequences_pass(draft.dense, draft.start, sequences->n, i);
		for (size_t p = draft.start[i]; p < draft.start[i + 1]; p++)
			if (draft.rank[draft.dense[p]] != NEVER)
				lode_vec_append(&merge.items, draft.rank[draft.dense[p]]);
		lode_merge_close(&merge, sequences->cost[i]);
	}
	take_merged(out, &merge);
out:
	draft_release(&draft);
	return rc;
}

void lode_reduced_release(struct lode_reduced *reduced)
{
	free(reduced->item_cost);
	free(reduced->chain_start);
	free(reduced->chain);
	free(reduced->start);
	free(reduced->items);
	free(reduced->weight);
	memset(reduced, 0, sizeof(*reduced));
}
