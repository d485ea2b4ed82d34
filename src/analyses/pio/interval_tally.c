#include "analyses/pio/interval_tally.h"

#include <stdlib.h>

struct lode_interval_counts *lode_interval_tally_at(struct lode_interval_tally *tally,
						    int64_t interval)
{
	size_t n = tally->intervals.n, missing;

	if (!n)
		tally->first = interval;
	if (interval < tally->first) {
		if (tally->first - interval + (int64_t)n > LODE_TALLY_MAX)
			return NULL;
		/* Room for as many again, so that a log in reverse is no square. */
		missing = (size_t)(tally->first - interval);
		if (missing < n && tally->first > (int64_t)n)
			missing = n;
		lode_vec_reserve(&tally->intervals, n + missing);
		memmove(tally->intervals.at + missing, tally->intervals.at,
			n * sizeof(*tally->intervals.at));
		memset(tally->intervals.at, 0, missing * sizeof(*tally->intervals.at));
		tally->intervals.n += missing;
		tally->first -= (int64_t)missing;
	} else if (interval - tally->first >= (int64_t)n) {
		if (interval - tally->first >= LODE_TALLY_MAX)
			return NULL;
		missing = (size_t)(interval - tally->first) + 1 - n;
		lode_vec_reserve(&tally->intervals, n + missing);
		memset(tally->intervals.at + n, 0, missing * sizeof(*tally->intervals.at));
		tally->intervals.n += missing;
	}
	return &tally->intervals.at[interval - tally->first];
}

const struct lode_interval_counts *lode_interval_tally_find(const struct lode_interval_tally *tally,
							    int64_t interval)
{
	if (interval < tally->first || interval - tally->first >= (int64_t)tally->intervals.n)
		return NULL;
	return &tally->intervals.at[interval - tally->first];
}

void lode_interval_tally_release(struct lode_interval_tally *tally)
{
	lode_vec_release(&tally->intervals);
}
