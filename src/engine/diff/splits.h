/*
 * Splits: the ways in which streams could have fallen into two sets, had chance alone done it.
 *
 *   stream     0 1 2 3 4 5        1: it is in the second set
 *   observed   0 0 0 1 1 1
 *   others     0 0 1 0 1 1 ...    as many ones, also within each stratum
 *
 * What a permutation test compares with: all splits there are, if they are no more than asked for,
 * else that many drawn at random. The observed one is always the first of them, so that p-values
 * are right for any number of them (Phipson and Smyth 2010: (b + 1) / (m + 1)).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LODE_SPLIT_BLOCK = 8 }; /* streams of a block */

struct lode_splits {
	size_t n_streams, n_blocks;
	/* A byte per split for each block of streams, block behind block: bit i % 8 of
	   blocks[i / 8 * n + b] says whether stream i is in the second set of split b. */
	uint8_t *blocks;
	size_t n;	   /* rows; row 0 is the observed split */
	bool is_exact;	   /* the rows are all that are possible, each once */
	bool is_mirrored;  /* with each possible split, the one with both sets exchanged is possible
			    */
	double n_possible; /* how many those are; infinite beyond what a double holds */
};

/*
 * `side[i]` is 0 or 1, `stratum[i]` any number (NULL: one stratum). `max` > 0 bounds the rows. The
 * same for the same seed on every machine. O(rows * streams).
 */
void lode_splits_build(struct lode_splits *out, const uint8_t *side, const uint32_t *stratum,
		       size_t n_streams, size_t max, uint64_t seed);
void lode_splits_release(struct lode_splits *splits);

/* n over k, as a double. */
double lode_binomial(size_t n, size_t k);

static inline bool lode_split_has(const struct lode_splits *splits, size_t row, size_t stream)
{
	return splits->blocks[stream / LODE_SPLIT_BLOCK * splits->n + row] >>
		       stream % LODE_SPLIT_BLOCK &
	       1;
}
