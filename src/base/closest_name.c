#include "base/closest_name.h"

#include <stdint.h>
#include <string.h>

enum { max_word = 40 };

/* Levenshtein distance of two short words; one that is too long is far from everything. */
static size_t distance(const char *a, const char *b)
{
	size_t row[max_word + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > max_word || m > max_word)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t up = row[j], best = diagonal + (a[i - 1] != b[j - 1]);

			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			diagonal = up;
		}
	}
	return row[m];
}

const char *lode_closest_name(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t best_distance = strlen(word) / 3 + 2;

	for (; *names; names++) {
		size_t d = distance(word, *names);

		/* A beginning counts as nearly right: --thread for --threads, --sym for --symfs. */
		if (strlen(word) >= 2 && strncmp(word, *names, strlen(word)) == 0)
			d = 1;
		if (d < best_distance) {
			best = *names;
			best_distance = d;
		}
	}
	return best;
}
