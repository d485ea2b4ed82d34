#include "analyses/patterns/pivot.h"

#include <stdlib.h>

#include "analyses/patterns/windows.h"

void lode_pivot_release(struct lode_pivot *pivot)
{
	lode_vec_release(&pivot->is_covered);
}

void lode_pivot_scratch_init(struct lode_pivot_scratch *scratch, uint32_t n_items)
{
	memset(scratch, 0, sizeof(*scratch));
	lode_vec_reserve(&scratch->local, (size_t)n_items + 1);
	memset(scratch->local.at, 0, n_items * sizeof(*scratch->local.at));
}

void lode_pivot_scratch_release(struct lode_pivot_scratch *scratch)
{
	lode_vec_release(&scratch->local);
	lode_vec_release(&scratch->known);
	lode_vec_release(&scratch->segment);
	lode_vec_release(&scratch->sequences);
	lode_vec_release(&scratch->pattern);
	lode_vec_release(&scratch->names);
	lode_vec_release(&scratch->insertions);
}

/* The known pattern that has most of the tail's items. Repeated ones count again: no matter. */
static const struct lode_found_pattern *choose_known(const struct lode_condition *condition,
						     const lode_found_vec *known,
						     const uint32_t *local)
{
	const struct lode_found_pattern *best = NULL;
	uint32_t best_score = 0, score, i;
	size_t k;

	for (k = 0; k < known->n; k++) {
		const struct lode_found_pattern *m = known->at[k];

		for (i = 0, score = 0; i < m->n; i++)
			score += local[m->items[i]] - 1 < condition->n_tail;
		if (!best || score > best_score) {
			best = m;
			best_score = score;
		}
	}
	return best;
}

/* M in local items, cut at the leftmost match of the pattern: segment i stands for slot i. */
static void cut_segments(const struct lode_condition *condition, const struct lode_found_pattern *m,
			 struct lode_pivot_scratch *scratch)
{
	uint32_t i, slot = 0;

	scratch->known.n = scratch->segment.n = 0;
	lode_vec_append(&scratch->segment, 0);
	for (i = 0; i < m->n; i++) {
		uint32_t item = scratch->local.at[m->items[i]];

		lode_vec_append(&scratch->known, item);
		if (slot < condition->pattern.n && item == condition->pattern.at[slot] + 1) {
			lode_vec_append(&scratch->segment, i + 1);
			slot++;
		}
	}
	lode_vec_append(&scratch->segment, m->n + 1);
}

/*
 * What can stand in the windows of one sequence must be a subsequence of M's segments; an item that
 * breaks this is struck out, which does no harm to what was found to fit before.
 */
static void strike_misfits(struct lode_pivot *out, const struct lode_condition *condition,
			   const uint32_t *items, uint32_t n_items, struct lode_scratch *counting,
			   const struct lode_pivot_scratch *scratch)
{
	uint32_t n_pattern = (uint32_t)condition->pattern.n, *first = counting->first.at,
		 *last = counting->last.at, slot, at, end, m, m_end, fit;
	uint32_t n_all = lode_condition_n_items(condition);

	lode_windows_match(items, n_items, condition->pattern.at, n_pattern, first, last);
	for (slot = 0; slot <= n_pattern; slot++) {
		const int64_t *cost = condition->cost.at + (size_t)slot * n_all;

		m = scratch->segment.at[slot];
		m_end = scratch->segment.at[slot + 1] - 1; /* the pattern's item ends it */
		end = lode_window_end(last, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++) {
			uint32_t item = items[at];

			if (!cost[item] || item >= condition->n_tail || !out->is_covered.at[item])
				continue;
			for (fit = m; fit < m_end && scratch->known.at[fit] != item + 1; fit++)
				;
			if (fit < m_end) {
				m = fit + 1;
			} else {
				out->is_covered.at[item] = 0;
				out->n_covered--;
			}
		}
	}
}

void lode_pivot_choose(struct lode_pivot *out, const struct lode_condition *condition,
		       const lode_found_vec *known, struct lode_scratch *counting,
		       struct lode_pivot_scratch *scratch)
{
	const struct lode_found_pattern *m;
	uint32_t i, n_items;

	for (i = 0; i < condition->global.n; i++)
		scratch->local.at[condition->global.at[i]] = i + 1;
	m = choose_known(condition, known, scratch->local.at);
	cut_segments(condition, m, scratch);
	for (i = 0; i < condition->global.n; i++)
		scratch->local.at[condition->global.at[i]] = 0;

	out->n_covered = 0;
	out->is_covered.n = condition->n_tail;
	lode_vec_reserve(&out->is_covered, condition->n_tail + 1);
	memset(out->is_covered.at, 0, condition->n_tail);
	for (i = 0; i < m->n; i++) {
		uint32_t item = scratch->known.at[i] - 1;

		if (item < condition->n_tail && !out->is_covered.at[item]) {
			out->is_covered.at[item] = 1;
			out->n_covered++;
		}
	}
	lode_vec_reserve(&counting->first, condition->pattern.n + 1);
	lode_vec_reserve(&counting->last, condition->pattern.n + 1);
	for (i = 0; i < condition->db.n && out->n_covered; i++) {
		const uint32_t *items = lode_condition_sequence(condition, i, &n_items);

		strike_misfits(out, condition, items, n_items, counting, scratch);
	}
}

/* Keeps the sequences in which `item` stands in the window of `slot`. */
static void narrow(const struct lode_condition *condition, const struct lode_insertion *insertion,
		   struct lode_scratch *counting, struct lode_pivot_scratch *scratch)
{
	uint32_t n_pattern = (uint32_t)scratch->pattern.n, n_items, at, end;
	size_t i, n_kept = 0;

	for (i = 0; i < scratch->sequences.n; i++) {
		const uint32_t *items =
			lode_condition_sequence(condition, scratch->sequences.at[i], &n_items);

		lode_windows_match(items, n_items, scratch->pattern.at, n_pattern,
				   counting->first.at, counting->last.at);
		at = lode_window_begin(counting->first.at, insertion->slot);
		end = lode_window_end(counting->last.at, n_pattern, n_items, insertion->slot);
		while (at < end && items[at] != insertion->item)
			at++;
		if (at < end)
			scratch->sequences.at[n_kept++] = scratch->sequences.at[i];
	}
	scratch->sequences.n = n_kept;
}

int64_t lode_pivot_grow(const struct lode_condition *condition, int64_t min_cost,
			struct lode_scratch *counting, struct lode_pivot_scratch *scratch)
{
	int64_t cost = condition->total;
	uint32_t last_at = condition->last_at;
	size_t i, best;

	scratch->sequences.n = scratch->pattern.n = scratch->names.n = 0;
	for (i = 0; i < condition->db.n; i++)
		lode_vec_append(&scratch->sequences, (uint32_t)i);
	for (i = 0; i < condition->pattern.n; i++)
		lode_vec_append(&scratch->pattern, condition->pattern.at[i]);
	for (;;) {
		/* The last item may come to the left of itself too, for in what is found here its
		   copies need not be the ones that the order of the search puts in first. */
		struct lode_selection selection = {.parent = condition,
						   .sequences = scratch->sequences.at,
						   .n_sequences = (uint32_t)scratch->sequences.n,
						   .pattern = scratch->pattern.at,
						   .n_pattern = (uint32_t)scratch->pattern.n,
						   .last_at = last_at,
						   .last_anywhere = true};

		lode_condition_count(&scratch->insertions, &selection, min_cost, counting);
		if (scratch->insertions.n == 0)
			break;
		for (i = 1, best = 0; i < scratch->insertions.n; i++)
			if (scratch->insertions.at[i].cost > scratch->insertions.at[best].cost)
				best = i;
		narrow(condition, &scratch->insertions.at[best], counting, scratch);
		cost = scratch->insertions.at[best].cost;
		lode_vec_append(&scratch->pattern, 0);
		memmove(scratch->pattern.at + scratch->insertions.at[best].slot + 1,
			scratch->pattern.at + scratch->insertions.at[best].slot,
			(scratch->pattern.n - 1 - scratch->insertions.at[best].slot) *
				sizeof(*scratch->pattern.at));
		scratch->pattern.at[scratch->insertions.at[best].slot] =
			scratch->insertions.at[best].item;
		if (scratch->insertions.at[best].slot <= last_at)
			last_at++;
	}
	for (i = 0; i < scratch->pattern.n; i++)
		lode_vec_append(&scratch->names, condition->global.at[scratch->pattern.at[i]]);
	return cost;
}
