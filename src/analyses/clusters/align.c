#include "analyses/clusters/align.h"

#include <stdlib.h>

/*
 * One number orders alignments: cost in units, then fewer matches is worse. A match takes 1 off, so
 * a unit must weigh more than all matches together: 2^20 of them, and 2^63 holds 12 million
 * operations of full cost.
 */
static const int64_t unit_weight = (int64_t)1 << 20;

static void trace_back(struct lode_aligner *aligner, size_t n_a, size_t n_b)
{
	size_t width = n_b + 1, i = n_a, k = n_b, n = 0;
	uint8_t op, swapped;

	lode_vec_reserve(&aligner->op, n_a + n_b);
	while (i || k) {
		op = aligner->choice.at[i * width + k];
		aligner->op.at[n++] = op;
		i -= op != LODE_ALIGN_INSERT;
		k -= op != LODE_ALIGN_DELETE;
	}
	aligner->op.n = n;
	for (i = 0; i < n / 2; i++) {
		swapped = aligner->op.at[i];
		aligner->op.at[i] = aligner->op.at[n - 1 - i];
		aligner->op.at[n - 1 - i] = swapped;
	}
}

int64_t lode_align(struct lode_aligner *aligner, const struct lode_words *words, const uint32_t *a,
		   size_t n_a, const uint32_t *b, size_t n_b)
{
	const int64_t gap = LODE_SUB_ONE * unit_weight;
	int64_t diagonal, above, best, pair;
	uint8_t *choice, op;
	int64_t *row;

	lode_vec_reserve(&aligner->row, n_b + 1);
	lode_vec_reserve(&aligner->choice, (n_a + 1) * (n_b + 1));
	row = aligner->row.at;
	choice = aligner->choice.at;
	for (size_t k = 0; k <= n_b; k++) {
		row[k] = (int64_t)k * gap;
		choice[k] = LODE_ALIGN_INSERT;
	}
	for (size_t i = 1; i <= n_a; i++) {
		diagonal = row[0];
		row[0] = (int64_t)i * gap;
		choice += n_b + 1;
		choice[0] = LODE_ALIGN_DELETE;
		for (size_t k = 1; k <= n_b; k++) {
			above = row[k];
			if (a[i - 1] == b[k - 1]) {
				pair = -1;
				op = LODE_ALIGN_MATCH;
			} else {
				pair = lode_words_sub_units(words, a[i - 1], b[k - 1]) *
				       unit_weight;
				op = LODE_ALIGN_SUBSTITUTE;
			}
			best = diagonal + pair;
			if (above + gap < best) {
				best = above + gap;
				op = LODE_ALIGN_DELETE;
			}
			if (row[k - 1] + gap < best) {
				best = row[k - 1] + gap;
				op = LODE_ALIGN_INSERT;
			}
			diagonal = above;
			row[k] = best;
			choice[k] = op;
		}
	}
	trace_back(aligner, n_a, n_b);
	/* Matches took less than one unit off in all: round up to get the cost alone. */
	return (row[n_b] + unit_weight - 1) / unit_weight;
}

void lode_aligner_release(struct lode_aligner *aligner)
{
	lode_vec_release(&aligner->row);
	lode_vec_release(&aligner->choice);
	lode_vec_release(&aligner->op);
}
