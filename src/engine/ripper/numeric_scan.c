/* Finds the best threshold of a numeric column. */
#include "engine/ripper/numeric_scan.h"

#include "base/map.h"

#define FIRST	      LODE_ENTRY_FIRST
#define ROW_OF(entry) LODE_ENTRY_ROW(entry)

/* The lowest bit of a state. */
static uint32_t is_member(uint8_t state)
{
	return state & 1;
}

size_t lode_list_filter(uint32_t *to, const uint32_t *from, size_t n, const uint8_t *state)
{
	uint32_t first = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t entry = from[i], keep = is_member(state[ROW_OF(entry)]);

		first |= entry & FIRST;
		to[kept] = ROW_OF(entry) | first;
		kept += keep;
		first &= keep - 1; /* what was dropped was larger: so is the next that is kept */
	}
	return kept;
}

/* Rows kept are few and far between: what is next is not where the CPU looks for it. */
enum { PREFETCH_ROWS = 24, PREFETCH_WORDS = 4, ENTRIES_PER_LINE = 16 };

static void prefetch_entries(const uint32_t *at, uint64_t marks)
{
	for (unsigned line = 0; line < 64 / ENTRIES_PER_LINE; line++)
		if (marks >> (line * ENTRIES_PER_LINE) & ((1u << ENTRIES_PER_LINE) - 1))
			__builtin_prefetch(at + (size_t)line * ENTRIES_PER_LINE);
}

size_t lode_list_pick(uint32_t *to, const struct lode_list *list,
		      const struct lode_list_places *places, const uint32_t *rows, size_t n_rows)
{
	size_t n_words = (list->n + 63) / 64, kept = 0;
	uint32_t first = 0;

	for (size_t i = 0; i < n_rows; i++) {
		uint32_t place = places->place[rows[i]];

		if (i + PREFETCH_ROWS < n_rows)
			__builtin_prefetch(&places->place[rows[i + PREFETCH_ROWS]]);
		if (place != LODE_NONE)
			places->marks[place / 64] |= (uint64_t)1 << place % 64;
	}
	for (size_t w = 0; w < n_words; w++) {
		uint64_t marked = places->marks[w], firsts = places->firsts[w];

		places->marks[w] = 0;
		if (w + PREFETCH_WORDS < n_words)
			prefetch_entries(list->at + (w + PREFETCH_WORDS) * 64,
					 places->marks[w + PREFETCH_WORDS]);
		for (; marked; marked &= marked - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(marked);
			uint64_t up_to = (uint64_t)2 << bit; /* 2 << 63 is 0: all of them */

			first |= (firsts & (up_to - 1)) != 0;
			to[kept++] = ROW_OF(list->at[w * 64 + bit]) | first << 31;
			first = 0;
			firsts &= ~(up_to - 1);
		}
		first |= firsts != 0;
	}
	return kept;
}

/*
 * A gain can only be highest where positives end ("at most") or begin ("at least": behind a
 * negative, or where none came yet), and never above positives x -base: most places are passed over
 * without a sum.
 */
void lode_scan_covered(const struct lode_scan *scan, const struct lode_list *list,
		       uint32_t n_positive, struct lode_candidate *best)
{
	uint32_t covered = 0, positive = 0, group_start_positive = 0, group_start = 0;
	uint32_t n = (uint32_t)list->n, previous = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t entry = list->at[i], row = ROW_OF(entry);

		if (entry & FIRST && i) {
			uint32_t above = n_positive - positive;

			if (positive > group_start_positive &&
			    positive * -scan->base > best->gain) {
				double gain = lode_foil_gain(scan, positive, covered);

				if (gain > best->gain)
					*best = (struct lode_candidate){
						gain, LODE_AT_MOST, previous, row, 0, positive};
			}
			if ((covered == positive ||
			     covered - positive > group_start - group_start_positive) &&
			    above * -scan->base > best->gain) {
				double gain = lode_foil_gain(scan, above, n - covered);

				if (gain > best->gain)
					*best = (struct lode_candidate){
						gain, LODE_AT_LEAST, previous, row, 0, above};
			}
			group_start = covered;
			group_start_positive = positive;
		}
		covered++;
		positive += scan->state[row] == LODE_ROW_POSITIVE;
		previous = row;
	}
}

/* ---- By blocks ---- */

static uint16_t sum_of(const uint32_t *at, size_t n, const uint8_t *state)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += state[ROW_OF(at[i])];
	return (uint16_t)sum;
}

/* What lies before a block, and what is in it. */
struct place {
	uint32_t covered, positive;
	uint32_t in_covered, in_positive;
};

static void enter_numeric_scan(struct place *p, uint16_t sum)
{
	p->in_covered = sum & (LODE_ROW_POSITIVE - 2);
	p->in_positive = sum / (LODE_ROW_POSITIVE - 1);
}

static void leave_numeric_scan(struct place *p)
{
	p->covered += p->in_covered;
	p->positive += p->in_positive;
}

/*
 * The most that a threshold inside a block can gain: for "at most" all of its positives come
 * before all of its negatives, for "at least" behind them. With negatives fixed, a positive gain
 * grows with every positive.
 */
static double bound_of(const struct lode_scan *scan, const struct place *p,
		       const struct lode_block_sums *all)
{
	uint32_t positive = p->positive + p->in_positive, negative = p->covered - p->positive;
	uint32_t above = all->positive - p->positive;
	uint32_t above_negative =
		all->covered - all->positive - negative - (p->in_covered - p->in_positive);
	double at_most = lode_foil_gain(scan, positive, positive + negative);
	double at_least = lode_foil_gain(scan, above, above + above_negative);

	return at_most > at_least ? at_most : at_least;
}

/* Bounds and gains are rounded apart: leave them some room. */
static bool can_reach(double bound, double gain)
{
	return bound >= gain - 1e-9 * (1 + gain);
}

static void scan_block(const struct lode_scan *scan, const struct lode_list *list, size_t block,
		       struct place p, const struct lode_block_sums *all,
		       struct lode_candidate *best)
{
	size_t start = block * LODE_BLOCK_ENTRIES, i = start;
	size_t end = start + LODE_BLOCK_ENTRIES < list->n ? start + LODE_BLOCK_ENTRIES : list->n;
	uint32_t first = 0, previous = 0;

	/* The covered row before the block, and whether the value has grown since. */
	while (p.covered && i > 0) {
		previous = ROW_OF(list->at[--i]);
		if (is_member(scan->state[previous]))
			break;
		first |= list->at[i] & FIRST;
	}
	for (i = start; i < end; i++) {
		uint32_t row = ROW_OF(list->at[i]), above = all->positive - p.positive;

		first |= list->at[i] & FIRST;
		if (!is_member(scan->state[row]))
			continue;
		if (first && p.covered) {
			double at_most = lode_foil_gain(scan, p.positive, p.covered);
			double at_least = lode_foil_gain(scan, above, all->covered - p.covered);

			if (at_most > best->gain)
				*best = (struct lode_candidate){
					at_most, LODE_AT_MOST, previous, row, 0, p.positive};
			if (at_least > best->gain)
				*best = (struct lode_candidate){
					at_least, LODE_AT_LEAST, previous, row, 0, above};
		}
		p.covered++;
		p.positive += scan->state[row] == LODE_ROW_POSITIVE;
		previous = row;
		first = 0;
	}
}

double lode_scan_sum(const struct lode_scan *scan, const struct lode_list *list,
		     struct lode_block_sums *sums)
{
	size_t n_blocks = lode_blocks_of(list->n);
	struct lode_candidate there = {0};
	struct place p = {0}, best = {0};

	sums->covered = sums->positive = 0;
	for (size_t b = 0; b < n_blocks; b++) {
		size_t start = b * LODE_BLOCK_ENTRIES, n = list->n - start;

		sums->at[b] = sum_of(list->at + start,
				     n < LODE_BLOCK_ENTRIES ? n : LODE_BLOCK_ENTRIES, scan->state);
		enter_numeric_scan(&p, sums->at[b]);
		sums->covered += p.in_covered;
		sums->positive += p.in_positive;
	}
	sums->bound = 0;
	sums->best_block = 0;
	for (size_t b = 0; b < n_blocks; b++) {
		double bound;

		enter_numeric_scan(&p, sums->at[b]);
		bound = bound_of(scan, &p, sums);
		if (bound > sums->bound) {
			sums->bound = bound;
			sums->best_block = b;
			best = p;
		}
		leave_numeric_scan(&p);
	}
	if (sums->bound > 0)
		scan_block(scan, list, sums->best_block, best, sums, &there);
	return there.gain;
}

void lode_scan_blocks(const struct lode_scan *scan, const struct lode_list *list,
		      const struct lode_block_sums *sums, double floor, struct lode_candidate *best)
{
	size_t n_blocks = lode_blocks_of(list->n);
	struct place p = {0};

	if (!can_reach(sums->bound, floor))
		return;
	for (size_t b = 0; b < n_blocks; b++) {
		enter_numeric_scan(&p, sums->at[b]);
		if (can_reach(bound_of(scan, &p, sums), floor > best->gain ? floor : best->gain))
			scan_block(scan, list, b, p, sums, best);
		leave_numeric_scan(&p);
	}
}
