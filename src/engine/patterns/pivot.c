/* Pivots: known patterns that rule out parts of the search. */
#include "engine/patterns/pivot.h"

#include "engine/patterns/windows.h"

/* ---- Conflicts ---- */

/*
 * Costs of ordered pairs of insertions that do not fit a pivot, and a small set of insertions that
 * every costly pair has one of.
 */

/* Insertions a and b (by number, a == b allowed), the sum of the weights of the sequences that have
   both in this order. */
struct lode_conflict {
	uint32_t a, b;
	int64_t cost;
	uint32_t stamp; /* sequence that was counted last */
};

struct lode_conflicts {
	LODE_VEC(struct lode_conflict) pairs;
	struct lode_pair_index index; /* of the pairs */
	LODE_VEC(uint32_t) degree;    /* per insertion */
};

static void conflicts_begin(struct lode_conflicts *conflicts)
{
	lode_pair_index_clear(&conflicts->index);
	conflicts->pairs.n = 0;
}

/* Counts a pair once per `stamp`, which must not be 0. */
static void conflicts_add(struct lode_conflicts *conflicts, uint32_t a, uint32_t b, int64_t weight,
			  uint32_t stamp)
{
	uint32_t found = lode_pair_index_find(&conflicts->index, conflicts->pairs.at,
					      sizeof(*conflicts->pairs.at), a, b);
	struct lode_conflict *pair;

	if (found == LODE_NONE) {
		lode_pair_index_add(&conflicts->index, conflicts->pairs.at,
				    sizeof(*conflicts->pairs.at), a, b);
		lode_vec_append(&conflicts->pairs, ((struct lode_conflict){a, b, weight, stamp}));
		return;
	}
	pair = &conflicts->pairs.at[found];
	if (pair->stamp != stamp)
		pair->cost += weight;
	pair->stamp = stamp;
}

/* Sets is_chosen of at least one of each pair that costs `min_cost`, and leaves the others alone;
   pairs of which one is chosen already count as settled. Gives how many it chose. */
static uint32_t conflicts_cover(struct lode_conflicts *conflicts, int64_t min_cost,
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

static void conflicts_release(struct lode_conflicts *conflicts)
{
	lode_vec_release(&conflicts->pairs);
	lode_pair_index_release(&conflicts->index);
	lode_vec_release(&conflicts->degree);
}

/* ---- Pivots ---- */

enum {
	FEW_BRANCHES = 2,     /* no more than that: good enough */
	MOST_SEQUENCES = 256, /* to look at one by one */
	MOST_TRIED = 16,      /* known patterns to match each with */
};

void lode_pivot_release(struct lode_pivot *pivot)
{
	lode_vec_release(&pivot->is_covered);
}

void lode_pivot_scratch_init(struct lode_pivot_scratch *scratch, uint32_t n_items)
{
	memset(scratch, 0, sizeof(*scratch));
	lode_vec_reserve(&scratch->local, (size_t)n_items + 1);
	memset(scratch->local.at, 0, n_items * sizeof(*scratch->local.at));
	scratch->conflicts = lode_alloc0(1, sizeof(*scratch->conflicts));
	scratch->misfits = lode_alloc0(1, sizeof(*scratch->misfits));
}

void lode_pivot_scratch_release(struct lode_pivot_scratch *scratch)
{
	lode_vec_release(&scratch->local);
	lode_vec_release(&scratch->known);
	lode_vec_release(&scratch->start);
	lode_vec_release(&scratch->mask);
	lode_vec_release(&scratch->segment);
	lode_vec_release(&scratch->whole);
	lode_vec_release(&scratch->order);
	lode_vec_release(&scratch->window);
	if (scratch->conflicts)
		conflicts_release(scratch->conflicts);
	free(scratch->conflicts);
	if (scratch->misfits)
		lode_misfits_release(scratch->misfits);
	free(scratch->misfits);
	lode_vec_release(&scratch->tried);
	lode_vec_release(&scratch->is_chosen);
}

void lode_pivot_prepare(const struct lode_condition *condition, const lode_found_vec *known,
			struct lode_pivot_scratch *scratch)
{
	uint32_t *local = scratch->local.at, i;

	for (i = 0; i < condition->global.n; i++)
		local[condition->global.at[i]] = i + 1;
	scratch->known.n = scratch->start.n = scratch->mask.n = 0;
	scratch->longest = 0;
	for (size_t k = 0; k < known->n; k++) {
		const struct lode_found_pattern *m = known->at[k];
		uint64_t mask = 0;

		lode_vec_append(&scratch->start, (uint32_t)scratch->known.n);
		lode_vec_reserve(&scratch->known, scratch->known.n + m->n);
		for (i = 0; i < m->n; i++) {
			uint32_t item = local[m->items[i]];

			/* What the database does not have cannot make a difference. */
			if (item) {
				scratch->known.at[scratch->known.n++] = item;
				mask |= UINT64_C(1) << (item - 1) % 64;
			}
		}
		lode_vec_append(&scratch->mask, mask);
		if (scratch->known.n - scratch->start.at[k] > scratch->longest)
			scratch->longest = (uint32_t)scratch->known.n - scratch->start.at[k];
	}
	lode_vec_append(&scratch->start, (uint32_t)scratch->known.n);
	for (i = 0; i < condition->global.n; i++)
		local[condition->global.at[i]] = 0;
}

/* Is a sequence contained in a known pattern? */
static bool fits(const uint32_t *items, uint32_t n_items, const uint32_t *known, uint32_t n_known)
{
	uint32_t fit = 0;

	if (n_items > n_known)
		return false;
	for (uint32_t at = 0; at < n_items; at++, fit++) {
		while (fit < n_known && known[fit] != items[at] + 1)
			fit++;
		if (fit == n_known)
			return false;
	}
	return true;
}

static uint64_t mask_of(const uint32_t *items, uint32_t n_items)
{
	uint64_t mask = 0;

	for (uint32_t at = 0; at < n_items; at++)
		mask |= UINT64_C(1) << items[at] % 64;
	return mask;
}

static bool fits_any(const uint32_t *items, uint32_t n_items,
		     const struct lode_pivot_scratch *scratch)
{
	uint64_t mask;

	if (n_items > scratch->longest)
		return false;
	mask = mask_of(items, n_items);
	for (size_t k = 0; k < scratch->mask.n; k++)
		if (!(mask & ~scratch->mask.at[k]) &&
		    fits(items, n_items, scratch->known.at + scratch->start.at[k],
			 scratch->start.at[k + 1] - scratch->start.at[k]))
			return true;
	return false;
}

/*
 * The windows' open contents, one behind the other, with the pattern's items between them, once
 * each: whatever of P plus insertions a sequence contains, this contains too. Other copies of the
 * pattern's items, which recursion makes plenty of, are gone.
 */
static void spread_out(struct lode_pivot_scratch *scratch, const struct lode_condition *condition,
		       uint32_t s)
{
	uint32_t n_pattern = (uint32_t)condition->pattern.n, at, end;
	uint32_t n_all = lode_condition_n_items(condition), n_items;
	const uint32_t *items = lode_condition_sequence(condition, s, &n_items);
	const uint32_t *first = lode_condition_windows(condition, s), *last = first + n_pattern;

	scratch->whole.n = 0;
	for (uint32_t slot = 0; slot <= n_pattern; slot++) {
		const uint8_t *is_open = condition->is_open.at + (size_t)slot * n_all;

		end = lode_window_end(last, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++)
			if (is_open[items[at]] == LODE_OPEN)
				lode_vec_append(&scratch->whole, items[at]);
		if (slot < n_pattern)
			lode_vec_append(&scratch->whole, condition->pattern.at[slot]);
	}
}

uint32_t lode_pivot_unexplained(uint32_t *unexplained, int64_t *weight,
				const struct lode_condition *condition,
				struct lode_pivot_scratch *scratch)
{
	uint32_t n = 0, n_items;

	*weight = 0;
	for (uint32_t i = 0; i < condition->db.n; i++) {
		const uint32_t *items = lode_condition_sequence(condition, i, &n_items);

		scratch->work += n_items + scratch->mask.n / 8;
		if (fits_any(items, n_items, scratch))
			continue;
		if (!condition->is_tight.at[i] || condition->has_watched) {
			spread_out(scratch, condition, i);
			if (fits_any(scratch->whole.at, (uint32_t)scratch->whole.n, scratch))
				continue;
		}
		unexplained[n++] = i;
		*weight += condition->db.weight.at[i];
	}
	return n;
}

/* The known pattern that has most of what the database has. */
static size_t choose_known(const struct lode_pivot_scratch *scratch)
{
	size_t best = 0;

	for (size_t k = 1; k < scratch->mask.n; k++)
		if (scratch->start.at[k + 1] - scratch->start.at[k] >
		    scratch->start.at[best + 1] - scratch->start.at[best])
			best = k;
	return best;
}

/* M cut at the leftmost match of the pattern: segment i stands for slot i. */
static void cut_segments(const struct lode_condition *condition, size_t chosen,
			 struct lode_pivot_scratch *scratch)
{
	uint32_t slot = 0;

	scratch->segment.n = 0;
	lode_vec_append(&scratch->segment, scratch->start.at[chosen]);
	for (uint32_t i = scratch->start.at[chosen];
	     i < scratch->start.at[chosen + 1] && slot < condition->pattern.n; i++)
		if (scratch->known.at[i] == condition->pattern.at[slot] + 1) {
			lode_vec_append(&scratch->segment, i + 1);
			slot++;
		}
	lode_vec_append(&scratch->segment, scratch->start.at[chosen + 1] + 1);
}

/* Where in its segment M has what is open there; of several, the first counts. */
static void number_segments(const struct lode_condition *condition,
			    struct lode_pivot_scratch *scratch)
{
	uint32_t n_all = lode_condition_n_items(condition);

	scratch->order.n = condition->is_open.n;
	lode_vec_reserve(&scratch->order, scratch->order.n);
	memset(scratch->order.at, 0, scratch->order.n * sizeof(*scratch->order.at));
	for (uint32_t slot = 0; slot <= condition->pattern.n; slot++)
		/* The pattern's own item ends the segment, and is no part of it. */
		for (uint32_t at = scratch->segment.at[slot];
		     at + 1 < scratch->segment.at[slot + 1]; at++) {
			uint32_t *order =
				&scratch->order
					 .at[(size_t)slot * n_all + scratch->known.at[at] - 1];

			if (*order == 0)
				*order = at + 1;
		}
}

/* Counts the pairs of one sequence that M has the other way round, or has once only. */
static void add_conflicts(const struct lode_pivot *out, const struct lode_condition *condition,
			  uint32_t s, struct lode_pivot_scratch *scratch)
{
	uint32_t n_pattern = (uint32_t)condition->pattern.n, n_items, at, end;
	uint32_t n_all = lode_condition_n_items(condition);
	const uint32_t *items = lode_condition_sequence(condition, s, &n_items);
	const uint32_t *first = lode_condition_windows(condition, s), *last = first + n_pattern;
	size_t j;

	scratch->work += n_items;
	for (uint32_t slot = 0; slot <= n_pattern; slot++) {
		uint32_t row = slot * n_all, highest = 0;

		scratch->window.n = 0;
		end = lode_window_end(last, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++) {
			uint32_t pair = row + items[at], order;

			if (!out->is_covered.at[pair])
				continue;
			order = scratch->order.at[pair];
			if (order == 0) { /* M does not have it at all */
				conflicts_add(scratch->conflicts, pair, pair,
					      condition->db.weight.at[s], s + 1);
				continue;
			}
			j = order > highest ? 0 : scratch->window.n; /* mostly in order */
			scratch->work += j;
			for (size_t i = 0; i < j; i++)
				if (scratch->order.at[scratch->window.at[i]] >= order)
					conflicts_add(scratch->conflicts, scratch->window.at[i],
						      pair, condition->db.weight.at[s], s + 1);
			if (order > highest)
				highest = order;
			lode_vec_append(&scratch->window, pair);
		}
	}
}

/* Branches by the misfits of sequences, if these are fewer than `n_chosen`. */
static void try_misfits(struct lode_pivot *out, const struct lode_condition *condition,
			const uint32_t *sequences, uint32_t n_sequences, int64_t min_cost,
			struct lode_pivot_scratch *scratch)
{
	uint32_t n = (uint32_t)condition->is_open.n, n_chosen;

	scratch->tried.n = 0;
	for (size_t k = scratch->mask.n; k-- > 0 && scratch->tried.n < MOST_TRIED;)
		lode_vec_append(
			&scratch->tried,
			((struct lode_known){scratch->known.at + scratch->start.at[k],
					     scratch->start.at[k + 1] - scratch->start.at[k]}));
	lode_misfits_begin(scratch->misfits, condition);
	for (uint32_t i = 0; i < n_sequences; i++)
		lode_misfits_add(scratch->misfits, condition, sequences[i], scratch->tried.at,
				 (uint32_t)scratch->tried.n);
	scratch->work += scratch->misfits->work;
	scratch->misfits->work = 0;
	lode_vec_reserve(&scratch->is_chosen, n);
	memset(scratch->is_chosen.at, 0, n);
	n_chosen = lode_misfits_choose(scratch->misfits, scratch->is_chosen.at, min_cost);
	scratch->n_misfit_tries++;
	if (n_chosen >= out->n_uncovered)
		return;
	scratch->n_misfit_wins++;
	out->n_uncovered = n_chosen;
	for (uint32_t i = 0; i < n; i++)
		out->is_covered.at[i] =
			condition->is_open.at[i] == LODE_OPEN && !scratch->is_chosen.at[i];
}

/*
 * Aligning costs more than counting, and pays where functions repeat. After some tries that did not
 * pay, only one in sixteen is made. What is branched on has no influence on the result.
 */
static bool is_worth_misfits(const struct lode_pivot *out, const struct lode_condition *condition,
			     const uint32_t *sequences, uint32_t n_sequences,
			     struct lode_pivot_scratch *scratch)
{
	uint32_t i;

	if (out->n_uncovered <= FEW_BRANCHES || n_sequences > MOST_SEQUENCES)
		return false;
	for (i = 0; i < n_sequences && condition->is_tight.at[sequences[i]]; i++)
		;
	if (i == n_sequences)
		return false;
	if (scratch->n_misfit_tries < 64 || scratch->n_misfit_wins * 4 > scratch->n_misfit_tries)
		return true;
	return ++scratch->n_misfit_skips % 16 == 0;
}

void lode_pivot_choose(struct lode_pivot *out, const struct lode_condition *condition,
		       const uint32_t *sequences, uint32_t n_sequences, int64_t min_cost,
		       struct lode_pivot_scratch *scratch)
{
	uint32_t n = (uint32_t)condition->is_open.n;

	cut_segments(condition, choose_known(scratch), scratch);
	number_segments(condition, scratch);
	out->is_covered.n = n;
	lode_vec_reserve(&out->is_covered, n);
	for (uint32_t i = 0; i < n; i++)
		out->is_covered.at[i] = condition->is_open.at[i] == LODE_OPEN;
	conflicts_begin(scratch->conflicts);
	for (uint32_t i = 0; i < n_sequences; i++)
		add_conflicts(out, condition, sequences[i], scratch);
	for (uint32_t i = 0; i < n; i++)
		out->is_covered.at[i] = condition->is_open.at[i] != LODE_OPEN;
	out->n_uncovered = conflicts_cover(scratch->conflicts, min_cost, out->is_covered.at, n);
	for (uint32_t i = 0; i < n; i++)
		out->is_covered.at[i] =
			condition->is_open.at[i] == LODE_OPEN && !out->is_covered.at[i];
	if (is_worth_misfits(out, condition, sequences, n_sequences, scratch))
		try_misfits(out, condition, sequences, n_sequences, min_cost, scratch);
}
