/*
 * Words of a text in memory, for small state files that lode writes for itself: numbers separated
 * by white space, and counted texts ("5:hello") that may hold any byte.
 *
 * What is missing or no number gives 0 and sets `is_bad`, which stays set: check it once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct lode_state_words {
	const char *at, *end; /* borrowed; the text must be NUL-terminated at `end` */
	bool is_bad;
};

/* The next word is `word`; false leaves it where it is. */
bool lode_state_are(struct lode_state_words *words, const char *word);
/* As lode_state_are, and bad if it is another. */
void lode_state_expect(struct lode_state_words *words, const char *word);
int64_t lode_state_int(struct lode_state_words *words);
/* A count of things that take at least a byte each: more than are left is bad, and 0. */
size_t lode_state_count(struct lode_state_words *words);
/* As lode_state_put_number wrote it, to the bit. */
double lode_state_number(struct lode_state_words *words);
/* A counted text, to be freed; "" when bad. */
char *lode_state_text(struct lode_state_words *words, size_t *len);

void lode_state_put_number(FILE *out, double x);
void lode_state_put_text(FILE *out, const char *text, size_t len);
