/* Pages of counts, found by the number of their first interval. */
#include "engine/pio/interval_tally.h"

static int64_t page_of(int64_t interval)
{
	return interval / LODE_TALLY_PAGE - (interval % LODE_TALLY_PAGE < 0);
}

struct lode_interval_counts *lode_interval_tally_at(struct lode_interval_tally *tally,
						    int64_t interval)
{
	int64_t number = page_of(interval);
	uint32_t *place;

	if (tally->last >= tally->pages.n || tally->pages.at[tally->last].number != number) {
		place = lode_map_slot(&tally->index, (uint64_t)number);
		if (*place == LODE_NONE) {
			*place = (uint32_t)tally->pages.n;
			lode_vec_append(&tally->pages,
					((struct lode_tally_page){.number = number}));
		}
		tally->last = *place;
	}
	return &tally->pages.at[tally->last].at[interval - number * LODE_TALLY_PAGE];
}

const struct lode_interval_counts *lode_interval_tally_find(const struct lode_interval_tally *tally,
							    int64_t interval)
{
	int64_t number = page_of(interval);
	uint32_t place = lode_map_find(&tally->index, (uint64_t)number);

	if (place == LODE_NONE)
		return NULL;
	return &tally->pages.at[place].at[interval - number * LODE_TALLY_PAGE];
}

void lode_interval_tally_forget(struct lode_interval_tally *tally, int64_t interval)
{
	int64_t first = page_of(interval);
	size_t kept = 0;

	for (size_t i = 0; i < tally->pages.n; i++)
		kept += tally->pages.at[i].number >= first;
	if (kept == tally->pages.n)
		return;
	kept = 0;
	lode_map_release(&tally->index);
	tally->index = (struct lode_map){0};
	for (size_t i = 0; i < tally->pages.n; i++) {
		if (tally->pages.at[i].number < first)
			continue;
		tally->pages.at[kept] = tally->pages.at[i];
		*lode_map_slot(&tally->index, (uint64_t)tally->pages.at[kept].number) =
			(uint32_t)kept;
		kept++;
	}
	tally->pages.n = kept;
	tally->last = 0;
}

void lode_interval_tally_release(struct lode_interval_tally *tally)
{
	lode_vec_release(&tally->pages);
	lode_map_release(&tally->index);
}
