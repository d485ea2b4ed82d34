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
	lode_vec_release(&scratch->start);
	lode_vec_release(&scratch->mask);
	lode_vec_release(&scratch->segment);
}

void lode_pivot_prepare(const struct lode_condition *condition, const lode_found_vec *known,
			struct lode_pivot_scratch *scratch)
{
	uint32_t *local = scratch->local.at, i;
	size_t k;

	for (i = 0; i < condition->global.n; i++)
		local[condition->global.at[i]] = i + 1;
	scratch->known.n = scratch->start.n = scratch->mask.n = 0;
	for (k = 0; k < known->n; k++) {
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
	}
	lode_vec_append(&scratch->start, (uint32_t)scratch->known.n);
	for (i = 0; i < condition->global.n; i++)
		local[condition->global.at[i]] = 0;
}

/* Is a sequence contained in a known pattern? */
static bool fits(const uint32_t *items, uint32_t n_items, const uint32_t *known, uint32_t n_known)
{
	uint32_t at, fit = 0;

	if (n_items > n_known)
		return false;
	for (at = 0; at < n_items; at++, fit++) {
		while (fit < n_known && known[fit] != items[at] + 1)
			fit++;
		if (fit == n_known)
			return false;
	}
	return true;
}

uint32_t lode_pivot_unexplained(uint32_t *unexplained, int64_t *weight,
				const struct lode_condition *condition,
				const struct lode_pivot_scratch *scratch)
{
	uint32_t n = 0, n_items, i, at;
	size_t k;

	*weight = 0;
	for (i = 0; i < condition->db.n; i++) {
		const uint32_t *items = lode_condition_sequence(condition, i, &n_items);
		uint64_t mask = 0;

		for (at = 0; at < n_items; at++)
			mask |= UINT64_C(1) << items[at] % 64;
		for (k = 0; k < scratch->mask.n; k++)
			if (!(mask & ~scratch->mask.at[k]) &&
			    fits(items, n_items, scratch->known.at + scratch->start.at[k],
				 scratch->start.at[k + 1] - scratch->start.at[k]))
				break;
		if (k == scratch->mask.n) {
			unexplained[n++] = i;
			*weight += condition->db.weight.at[i];
		}
	}
	return n;
}

/* The known pattern that has most of what the database has. */
static size_t choose_known(const struct lode_pivot_scratch *scratch)
{
	size_t best = 0, k;

	for (k = 1; k < scratch->mask.n; k++)
		if (scratch->start.at[k + 1] - scratch->start.at[k] >
		    scratch->start.at[best + 1] - scratch->start.at[best])
			best = k;
	return best;
}

/* M cut at the leftmost match of the pattern: segment i stands for slot i. */
static void cut_segments(const struct lode_condition *condition, size_t chosen,
			 struct lode_pivot_scratch *scratch)
{
	uint32_t i, slot = 0;

	scratch->segment.n = 0;
	lode_vec_append(&scratch->segment, scratch->start.at[chosen]);
	for (i = scratch->start.at[chosen];
	     i < scratch->start.at[chosen + 1] && slot < condition->pattern.n; i++)
		if (scratch->known.at[i] == condition->pattern.at[slot] + 1) {
			lode_vec_append(&scratch->segment, i + 1);
			slot++;
		}
	lode_vec_append(&scratch->segment, scratch->start.at[chosen + 1] + 1);
}

/*
 * What can stand in the windows of one sequence must be a subsequence of M's segments; an insertion
 * that breaks this is struck out, which does no harm to what was found to fit before.
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
		uint8_t *is_covered = out->is_covered.at + (size_t)slot * n_all;

		m = scratch->segment.at[slot];
		m_end = scratch->segment.at[slot + 1] - 1; /* the pattern's item ends it */
		end = lode_window_end(last, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++) {
			if (!is_covered[items[at]])
				continue;
			for (fit = m; fit < m_end && scratch->known.at[fit] != items[at] + 1; fit++)
				;
			if (fit < m_end) {
				m = fit + 1;
			} else {
				is_covered[items[at]] = 0;
				out->n_uncovered++;
			}
		}
	}
}

void lode_pivot_choose(struct lode_pivot *out, const struct lode_condition *condition,
		       const uint32_t *sequences, uint32_t n_sequences,
		       struct lode_scratch *counting, struct lode_pivot_scratch *scratch)
{
	uint32_t i, n_items;

	cut_segments(condition, choose_known(scratch), scratch);
	/* All is covered until a sequence shows that it is not. */
	out->n_uncovered = 0;
	out->is_covered.n = condition->is_open.n;
	lode_vec_reserve(&out->is_covered, out->is_covered.n);
	memcpy(out->is_covered.at, condition->is_open.at, out->is_covered.n);
	lode_vec_reserve(&counting->first, condition->pattern.n + 1);
	lode_vec_reserve(&counting->last, condition->pattern.n + 1);
	for (i = 0; i < n_sequences; i++) {
		const uint32_t *items = lode_condition_sequence(condition, sequences[i], &n_items);

		strike_misfits(out, condition, items, n_items, counting, scratch);
	}
}
