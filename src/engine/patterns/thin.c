/* Thins out insertions that repeat a pattern's own functions. */
#include "engine/patterns/thin.h"

#include "engine/patterns/windows.h"

void lode_thin_scratch_release(struct lode_thin_scratch *scratch)
{
	lode_vec_release(&scratch->stands_for);
	lode_vec_release(&scratch->is_inserted);
}

static void find_roles(const struct lode_thin_input *in, struct lode_thin_scratch *scratch)
{
	uint32_t at, end;

	lode_vec_reserve(&scratch->stands_for, in->n_items);
	lode_vec_reserve(&scratch->is_inserted, in->n_items);
	memset(scratch->stands_for.at, 0, in->n_items * sizeof(*scratch->stands_for.at));
	memset(scratch->is_inserted.at, 0, in->n_items);
	for (uint32_t j = 0; j <= in->n_pattern; j++) {
		const uint8_t *is_open = in->is_open + (size_t)j * in->n_all;

		end = lode_window_end(in->last, in->n_pattern, in->n_items, j);
		for (at = lode_window_begin(in->first, j); at < end; at++)
			scratch->is_inserted.at[at] |= is_open[in->items[at]] != 0;
		if (j < in->n_pattern)
			for (at = in->first[j]; at <= in->last[j]; at++)
				scratch->stands_for.at[at] += in->items[at] == in->pattern[j];
	}
}

/* Is there nothing between two places that can be inserted at `slot`, or be P's item `other`? */
static bool is_clear(const struct lode_thin_input *in, const uint8_t *keep, uint32_t from,
		     uint32_t to, uint32_t slot, uint32_t other)
{
	const uint8_t *is_open = in->is_open + (size_t)slot * in->n_all;

	for (uint32_t at = from + 1; at < to; at++) {
		if (!keep[at])
			continue;
		if (is_open[in->items[at]])
			return false;
		if (other < in->n_pattern && in->items[at] == in->pattern[other])
			return false;
	}
	return true;
}

/* May the place go as far as its own roles are concerned? */
static bool is_spare(const struct lode_thin_input *in, const struct lode_thin_scratch *scratch,
		     uint32_t at, uint32_t j, uint32_t slot, uint32_t other)
{
	return scratch->stands_for.at[at] == 1 && !scratch->is_inserted.at[at] &&
	       !in->is_open[(size_t)slot * in->n_all + in->pattern[j]] &&
	       (other >= in->n_pattern || in->pattern[other] != in->pattern[j]);
}

void lode_thin(uint8_t *keep, const struct lode_thin_input *in, struct lode_thin_scratch *scratch)
{
	uint32_t kept;

	find_roles(in, scratch);
	/* To the right: a copy is no better than the next one if only slot j + 1 would notice. */
	for (uint32_t j = in->n_pattern; j-- > 0;) {
		kept = in->last[j];
		for (uint32_t at = in->last[j]; at-- > in->first[j];) {
			if (in->items[at] != in->pattern[j] || !keep[at])
				continue;
			if (is_spare(in, scratch, at, j, j + 1, j + 1) &&
			    is_clear(in, keep, at, kept, j + 1, j + 1))
				keep[at] = 0;
			else
				kept = at;
		}
	}
	/* To the left: no better than the one before if only slot j would notice. */
	for (uint32_t j = 0; j < in->n_pattern; j++) {
		for (kept = in->first[j]; in->items[kept] != in->pattern[j] || !keep[kept];)
			kept++;
		for (uint32_t at = kept + 1; at <= in->last[j]; at++) {
			if (in->items[at] != in->pattern[j] || !keep[at])
				continue;
			if (is_spare(in, scratch, at, j, j, j - 1) &&
			    is_clear(in, keep, kept, at, j, j - 1))
				keep[at] = 0;
			else
				kept = at;
		}
	}
}
