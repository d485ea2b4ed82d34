/* Chooses branches by how single sequences differ from known patterns. */
#include "engine/patterns/misfits.h"

#include "engine/patterns/windows.h"

void lode_misfits_release(struct lode_misfits *misfits)
{
	lode_vec_release(&misfits->pairs);
	lode_vec_release(&misfits->sequences);
	lode_vec_release(&misfits->lengths);
	lode_vec_release(&misfits->fits);
	lode_vec_release(&misfits->is_misfit);
	lode_vec_release(&misfits->best);
	lode_vec_release(&misfits->found);
}

void lode_misfits_begin(struct lode_misfits *misfits, const struct lode_condition *condition)
{
	misfits->pairs.n = misfits->sequences.n = 0;
	lode_vec_append(&misfits->sequences, ((struct lode_misfit_sequence){0, 0}));
	lode_vec_reserve(&misfits->is_misfit, condition->is_open.n);
	memset(misfits->is_misfit.at, 0, condition->is_open.n);
}

/* Marks in fits[] the places of the sequence that a longest common subsequence takes. */
static void align(struct lode_misfits *misfits, const uint32_t *items, uint32_t n_items,
		  const struct lode_known *known)
{
	uint32_t n = known->n + 1, k;
	uint16_t *length;

	misfits->work += (uint64_t)n_items * n / 8;
	lode_vec_reserve(&misfits->lengths, (size_t)(n_items + 1) * n);
	lode_vec_reserve(&misfits->fits, n_items);
	length = misfits->lengths.at;
	memset(length + (size_t)n_items * n, 0, n * sizeof(*length));
	for (uint32_t i = n_items; i-- > 0;) {
		uint16_t *row = length + (size_t)i * n, *below = row + n;

		row[known->n] = 0;
		for (k = known->n; k-- > 0;) {
			uint16_t longest = below[k] > row[k + 1] ? below[k] : row[k + 1];

			row[k] = known->items[k] == items[i] + 1 ? (uint16_t)(below[k + 1] + 1)
								 : longest;
		}
	}
	memset(misfits->fits.at, 0, n_items);
	for (uint32_t i = k = 0; i < n_items && k < known->n;) {
		if (known->items[k] == items[i] + 1) {
			misfits->fits.at[i++] = 1;
			k++;
		} else if (length[(size_t)(i + 1) * n + k] >= length[(size_t)i * n + k + 1]) {
			i++;
		} else {
			k++;
		}
	}
}

/* Does every place that can stand for an item of P fit? If not, P itself may need a misfit. */
static bool pattern_fits(const struct lode_misfits *misfits, const struct lode_condition *condition,
			 const uint32_t *items, const uint32_t *first, const uint32_t *last)
{
	for (uint32_t j = 0; j < condition->pattern.n; j++)
		for (uint32_t at = first[j]; at <= last[j]; at++)
			if (items[at] == condition->pattern.at[j] && !misfits->fits.at[at])
				return false;
	return true;
}

/* The open insertions that the sequence allows, into `found`: only at misfits, or all. */
static void list_misfits(struct lode_misfits *misfits, const struct lode_condition *condition,
			 uint32_t s, bool lists_all)
{
	uint32_t n_pattern = (uint32_t)condition->pattern.n, n_items, at, end;
	uint32_t n_all = lode_condition_n_items(condition);
	const uint32_t *items = lode_condition_sequence(condition, s, &n_items);
	const uint32_t *first = lode_condition_windows(condition, s), *last = first + n_pattern;

	misfits->found.n = 0;
	for (uint32_t slot = 0; slot <= n_pattern; slot++) {
		end = lode_window_end(last, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++) {
			uint32_t pair = slot * n_all + items[at];

			if (condition->is_open.at[pair] != LODE_OPEN ||
			    misfits->is_misfit.at[pair] || (!lists_all && misfits->fits.at[at]))
				continue;
			misfits->is_misfit.at[pair] = 1;
			lode_vec_append(&misfits->found, pair);
		}
	}
	for (size_t i = 0; i < misfits->found.n; i++)
		misfits->is_misfit.at[misfits->found.at[i]] = 0;
}

void lode_misfits_add(struct lode_misfits *misfits, const struct lode_condition *condition,
		      uint32_t s, const struct lode_known *known, uint32_t n_known)
{
	uint32_t n_items;
	const uint32_t *items = lode_condition_sequence(condition, s, &n_items);
	const uint32_t *first = lode_condition_windows(condition, s);

	list_misfits(misfits, condition, s, true);
	for (uint32_t k = 0;; k++) {
		if (k == 0 || misfits->found.n < misfits->best.n) {
			misfits->best.n = 0;
			for (size_t i = 0; i < misfits->found.n; i++)
				lode_vec_append(&misfits->best, misfits->found.at[i]);
		}
		if (k == n_known)
			break;
		align(misfits, items, n_items, &known[k]);
		if (pattern_fits(misfits, condition, items, first, first + condition->pattern.n))
			list_misfits(misfits, condition, s, false);
	}
	for (size_t i = 0; i < misfits->best.n; i++)
		lode_vec_append(&misfits->pairs, misfits->best.at[i]);
	misfits->sequences.at[misfits->sequences.n - 1].weight = condition->db.weight.at[s];
	lode_vec_append(&misfits->sequences,
			((struct lode_misfit_sequence){(uint32_t)misfits->pairs.n, 0}));
}

/* How many of its misfits are not chosen yet. */
static uint32_t n_missing(const struct lode_misfits *misfits, size_t i, const uint8_t *is_chosen)
{
	uint32_t n = 0;

	for (uint32_t k = misfits->sequences.at[i].begin; k < misfits->sequences.at[i + 1].begin;
	     k++)
		n += !is_chosen[misfits->pairs.at[k]];
	return n;
}

/* Takes the sequence that settles most for what it asks, again and again. */
uint32_t lode_misfits_choose(struct lode_misfits *misfits, uint8_t *is_chosen, int64_t min_cost)
{
	int64_t left = 0;
	uint32_t n_chosen = 0;
	size_t best;

	for (size_t i = 0; i + 1 < misfits->sequences.n; i++)
		left += misfits->sequences.at[i].weight;
	while (left >= min_cost) {
		double best_rate = -1;

		best = 0;
		for (size_t i = 0; i + 1 < misfits->sequences.n; i++) {
			int64_t weight = misfits->sequences.at[i].weight;
			double rate;

			if (weight == 0)
				continue;
			rate = (double)weight / (n_missing(misfits, i, is_chosen) + 1e-9);
			if (rate > best_rate) {
				best_rate = rate;
				best = i;
			}
		}
		for (uint32_t k = misfits->sequences.at[best].begin;
		     k < misfits->sequences.at[best + 1].begin; k++) {
			n_chosen += !is_chosen[misfits->pairs.at[k]];
			is_chosen[misfits->pairs.at[k]] = 1;
		}
		left -= misfits->sequences.at[best].weight;
		misfits->sequences.at[best].weight = 0;
	}
	return n_chosen;
}
