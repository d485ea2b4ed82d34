/*
 * Sub of every two functions, looked up: similar pairs are sought with it (pairs.h).
 *
 * Sub takes few values: a fraction with the words of both names below. Each value has a code of 16
 * bits; codes are in the order of the values, so the smaller code is the smaller Sub, and 0 is 0.
 *
 * Each function has a row of the table. Past a number of functions the rarer ones, and always those
 * with names of very many words, share the last row, which says 0: a bound from below.
 */
#pragma once

#include "engine/clusters/words.h"

struct lode_sub_table {
	size_t n;	/* functions with a row of their own */
	uint32_t *row;	/* per function; n: it shares that one */
	uint16_t *code; /* (n + 1) * (n + 1) */
	size_t n_codes;
	double *sub; /* per code */
	uint32_t *units;
};

/*
 * LIMIT: rows at most (memory: 2 * n^2 bytes), and words of a name with a row of its own (codes).
 * Pairs of patterns with other functions are found all the same, but take longer.
 */
enum { LODE_SUB_TABLE_ROWS = 12000, LODE_SUB_TABLE_WORDS = 64 };

/* Of functions 0..n-1. `count`, how often each occurs, says which are rare past `max_rows`. */
void lode_sub_table_init(struct lode_sub_table *table, const struct lode_words *words, size_t n,
			 const uint32_t *count, size_t max_rows, unsigned n_threads);
void lode_sub_table_release(struct lode_sub_table *table);

/* Codes of the function with that row and those of all rows. */
static inline const uint16_t *lode_sub_codes(const struct lode_sub_table *table, uint32_t row)
{
	return table->code + row * (table->n + 1);
}
