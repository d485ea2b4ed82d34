/* Alignment of two patterns (design §3.4; StackMine §VI.A). */
#include "engine/clusters/align.h"

/*
 * One number orders alignments: cost in units, then fewer matches is worse. A match takes 1 off, so
 * a unit must weigh more than all matches together: 2^20 of them, and 2^63 holds 12 million
 * operations of full cost.
 */
static const int64_t unit_weight = (int64_t)1 << 20, gap = LODE_SUB_ONE * ((int64_t)1 << 20);

struct sides {
	const struct lode_words *words;
	const uint32_t *a, *b;
	size_t n_b;
};

/* What it costs to take a[i - 1] and b[k - 1] for one another. */
static inline int64_t cost_of_pair(const struct sides *s, size_t i, size_t k)
{
	if (s->a[i - 1] == s->b[k - 1])
		return -1;
	return lode_words_sub_units(s->words, s->a[i - 1], s->b[k - 1]) * unit_weight;
}

/* Row i, cell k: least cost of the first i functions of `a` with the first k of `b`. */
static void make_least(const void *context, size_t i, const int64_t *above, int64_t *cells)
{
	const struct sides *s = context;
	int64_t pair, best;

	cells[0] = (int64_t)i * gap;
	for (size_t k = 1; k <= s->n_b; k++) {
		best = cells[k - 1] + gap;
		if (above) {
			best = above[k] + gap < best ? above[k] + gap : best;
			pair = above[k - 1] + cost_of_pair(s, i, k);
			best = pair < best ? pair : best;
		}
		cells[k] = best;
	}
}

static void reverse(uint8_t *op, size_t n)
{
	uint8_t swapped;

	for (size_t i = 0; i < n / 2; i++) {
		swapped = op[i];
		op[i] = op[n - 1 - i];
		op[n - 1 - i] = swapped;
	}
}

static void trace_back(struct lode_aligner *aligner, const struct sides *s, size_t n_a)
{
	size_t i = n_a, k = s->n_b, n = 0;

	lode_vec_reserve(&aligner->op, n_a + s->n_b);
	while (i && k) {
		const int64_t *row = lode_row_table_at(&aligner->table, i);
		const int64_t *above = row - aligner->table.width;
		uint8_t op;

		if (row[k] == above[k - 1] + cost_of_pair(s, i, k))
			op = s->a[i - 1] == s->b[k - 1] ? LODE_ALIGN_MATCH : LODE_ALIGN_SUBSTITUTE;
		else
			op = row[k] == above[k] + gap ? LODE_ALIGN_DELETE : LODE_ALIGN_INSERT;
		aligner->op.at[n++] = op;
		i -= op != LODE_ALIGN_INSERT;
		k -= op != LODE_ALIGN_DELETE;
	}
	for (; i; i--)
		aligner->op.at[n++] = LODE_ALIGN_DELETE;
	for (; k; k--)
		aligner->op.at[n++] = LODE_ALIGN_INSERT;
	aligner->op.n = n;
	reverse(aligner->op.at, n);
}

/*
 * What both end with alike is matched: where the last functions are equal, no alignment costs less
 * than that of the rest and their match, and the way back prefers it. So recursion of different
 * depths costs no table.
 */
static size_t common_end(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
	size_t n = 0;

	while (n < n_a && n < n_b && a[n_a - 1 - n] == b[n_b - 1 - n])
		n++;
	return n;
}

int64_t lode_align(struct lode_aligner *aligner, const struct lode_words *words, const uint32_t *a,
		   size_t n_a, const uint32_t *b, size_t n_b)
{
	struct sides sides = {words, a, b, n_b};
	size_t n_end = common_end(a, n_a, b, n_b);
	int64_t least;

	n_a -= n_end;
	sides.n_b -= n_end;
	lode_row_table_fill(&aligner->table, n_a + 1, sides.n_b + 1, make_least, &sides);
	least = lode_row_table_at(&aligner->table, n_a)[sides.n_b];
	trace_back(aligner, &sides, n_a);
	for (size_t i = 0; i < n_end; i++)
		lode_vec_append(&aligner->op, LODE_ALIGN_MATCH);
	/* Matches took less than one unit off in all: round up to get the cost alone. */
	return (least + unit_weight - 1) / unit_weight;
}

void lode_aligner_release(struct lode_aligner *aligner)
{
	lode_row_table_release(&aligner->table);
	lode_vec_release(&aligner->op);
}
