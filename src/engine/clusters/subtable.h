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

#include "base/map.h"

/*
 * Words of function names, and what it costs to take one function for another (docs/clusters.md).
 *
 *   ext4_file_read_iter    ext, file, read, iter
 *   TextCache::loadPage2   text, cache, load, page
 *
 * A word is a run of letters; a lower-case letter followed by an upper-case one starts a new word.
 * Case is folded; bytes beyond ASCII count as letters. A name is the bag of its words: a word that
 * stands twice counts twice.
 */

/* Bags of words of names 0..n-1. `{ 0 }` is empty; const use is thread-safe. */
struct lode_words {
	struct lode_strings words;
	LODE_VEC(uint32_t) word; /* bags one behind the other, each sorted by word id */
	LODE_VEC(size_t) end;	 /* per name: where its bag ends */
};

/* Appends the bag of a name; its id is the number of names before it. */
void lode_words_append(struct lode_words *words, const char *name);
void lode_words_release(struct lode_words *words);

static inline size_t lode_words_start(const struct lode_words *words, uint32_t name)
{
	return name ? words->end.at[name - 1] : 0;
}

static inline size_t lode_words_count(const struct lode_words *words, uint32_t name)
{
	return words->end.at[name] - lode_words_start(words, name);
}

/* Words that both names have, as bags. */
size_t lode_words_common(const struct lode_words *words, uint32_t a, uint32_t b);

/*
 * Sub(a, b) = 1 - 2 * common / (words of a + words of b), in [0, 1]; 1 when neither has a word.
 * The second form counts in units of 1/720720 (the least common multiple of 1..16), so that sums
 * of it are exact for names of up to 16 words together, and the nearest unit beyond.
 */
enum { LODE_SUB_ONE = 720720 };
double lode_words_sub(const struct lode_words *words, uint32_t a, uint32_t b);
uint32_t lode_words_sub_units(const struct lode_words *words, uint32_t a, uint32_t b);

/* The same from counts: what both of the above are made of. */
static inline uint32_t lode_sub_units(size_t n_common, size_t n_both)
{
	if (!n_both)
		return LODE_SUB_ONE;
	return (uint32_t)(((n_both - 2 * n_common) * 2 * LODE_SUB_ONE + n_both) / (2 * n_both));
}

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
