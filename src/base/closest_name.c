/* Finds the known name that is closest to a mistyped one. */
#include "base/closest_name.h"

#include <stdint.h>
#include <string.h>

enum { max_word = 40 };

/*
 * Slips between two short words: letters left out, added or changed, neighbours swapped (optimal
 * string alignment). One that is too long is far from everything.
 */
static size_t distance(const char *a, const char *b)
{
	size_t row[max_word + 1], before[max_word + 1] = {0}; /* of i - 1, of i - 2 */
	size_t n = strlen(a), m = strlen(b);

	if (n > max_word || m > max_word)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0], above[max_word + 1];

		memcpy(above, row, sizeof(above));
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t up = row[j], best = diagonal + (a[i - 1] != b[j - 1]);

			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
			diagonal = up;
		}
		memcpy(before, above, sizeof(before));
	}
	return row[m];
}

const char *lode_closest_name(const char *word, const char *const *names)
{
	const char *best = NULL, *begun = NULL;
	/* One slip in each three letters: --tpo is --top, and far from --repo. */
	size_t best_distance = strlen(word) < 4 ? 2 : (strlen(word) + 1) / 3 + 1;
	size_t begun_length = SIZE_MAX;

	for (; *names; names++) {
		size_t d = distance(word, *names);

		if (d < best_distance) {
			best = *names;
			best_distance = d;
		}
		/* Where none is close, the shortest that begins so: --symp for --symptom. */
		if (strlen(word) >= 2 && strncmp(word, *names, strlen(word)) == 0 &&
		    strlen(*names) < begun_length) {
			begun = *names;
			begun_length = strlen(*names);
		}
	}
	return best ? best : begun;
}
