/*
 * Sub of every two functions, looked up: similar pairs are sought with it (pairs.h).
 *
 * Sub takes few values: a fraction with the words of both names below. Each value has a code of 16
 * bits; codes are in the order of the values, so the smaller code is the smaller Sub, and 0 is 0.
 */
#ifndef LODE_SUBTABLE_H
#define LODE_SUBTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "analyses/clusters/words.h"

struct lode_sub_table {
	size_t n;	/* functions; 0: there is no table, ask lode_words_sub */
	uint16_t *code; /* n * n */
	size_t n_codes;
	double *sub; /* per code */
	uint32_t *units;
};

/* Past these there is no table: memory (2 * n^2 bytes), and codes. */
enum { LODE_SUB_TABLE_FUNCTIONS = 12000, LODE_SUB_TABLE_WORDS = 128 };

/* Of names 0..n-1. */
void lode_sub_table_init(struct lode_sub_table *table, const struct lode_words *words, size_t n,
			 unsigned n_threads);
void lode_sub_table_release(struct lode_sub_table *table);

static inline uint16_t lode_sub_code(const struct lode_sub_table *table, uint32_t a, uint32_t b)
{
	return table->code[a * table->n + b];
}

#endif
