/*
 * The best threshold of a numeric column: a walk over its rows in order of value, in two ways.
 *
 *   list      12 14 14 17 ...      rows by value; a mark where the value is larger than before
 *   state      +  -  .  + ...      which of them the growing rule covers: positive, negative, not
 *
 * Of a list whose rows are all covered every place is looked at. Of a longer list, most of whose
 * rows are covered, blocks of rows are summed up first; a block is looked into only if the best
 * that could come to pass in it reaches what is known to be there. Both give the same candidate.
 *
 * Inside of engine/ripper only.
 */
#pragma once

#include "engine/ripper/ruleset.h"

/* Of a row, for the rule that grows. The sum over up to 127 rows says how many of each there are.
 */
enum lode_row_state {
	LODE_ROW_OUTSIDE = 0,
	LODE_ROW_NEGATIVE = 1,
	LODE_ROW_POSITIVE = 129,
};

/* An entry of a list is a row; its highest bit says that its value is larger than that of the entry
   before. The first entry has it. */
#define LODE_ENTRY_FIRST      ((uint32_t)1 << 31)
#define LODE_ENTRY_ROW(entry) ((entry) & ~LODE_ENTRY_FIRST)

struct lode_list {
	uint32_t *at;
	size_t n;
};

/* What a pass over all columns has in common. */
struct lode_scan {
	const uint8_t *state;  /* enum lode_row_state per row */
	const double *log2_of; /* [n]: of n + 1 */
	double base;	       /* log2 of the share of positives in what the rule covers */
};

struct lode_candidate {
	double gain;
	enum lode_comparison comparison;
	uint32_t below, above; /* rows on both sides of a numeric threshold */
	double value;	       /* nominal */
	uint32_t n_positive;
};

static inline double lode_foil_gain(const struct lode_scan *scan, uint32_t positive,
				    uint32_t covered)
{
	return positive * (scan->log2_of[positive] - scan->log2_of[covered] - scan->base);
}

/* Keeps the entries whose rows are covered; `to` may be `from`. Gives their number. */
size_t lode_list_filter(uint32_t *to, const uint32_t *from, size_t n, const uint8_t *state);

/*
 * The same from a list in which places are known by row: O(rows kept + n / 64).
 *   place   per row: where it stands in the list, LODE_NONE if it does not
 *   firsts  per entry: a bit, whether it has the mark
 *   marks   a bit per entry, all 0; so they are left
 */
struct lode_list_places {
	const uint32_t *place;
	const uint64_t *firsts;
	uint64_t *marks;
};
size_t lode_list_pick(uint32_t *to, const struct lode_list *list,
		      const struct lode_list_places *places, const uint32_t *rows, size_t n_rows);

/* `best` gets what beats it, of a list whose rows are all covered, `n_positive` of them positive.
 */
void lode_scan_covered(const struct lode_scan *scan, const struct lode_list *list,
		       uint32_t n_positive, struct lode_candidate *best);

/* ---- By blocks ---- */

enum { LODE_BLOCK_ENTRIES = 64 };

struct lode_block_sums {
	uint16_t *at;		    /* per block: the sum of its rows' states */
	uint32_t covered, positive; /* in all of them */
	size_t best_block;	    /* the one with the highest bound */
	double bound;		    /* the most that a threshold in it can gain */
};

static inline size_t lode_blocks_of(size_t n_entries)
{
	return (n_entries + LODE_BLOCK_ENTRIES - 1) / LODE_BLOCK_ENTRIES;
}

/* Sums up a list; sums->at has room for its blocks. Gives a gain that some threshold has. */
double lode_scan_sum(const struct lode_scan *scan, const struct lode_list *list,
		     struct lode_block_sums *sums);
/* `best` gets what beats it, where that is at least `floor`. */
void lode_scan_blocks(const struct lode_scan *scan, const struct lode_list *list,
		      const struct lode_block_sums *sums, double floor,
		      struct lode_candidate *best);
