/*
 * Command lines as a shell would need them, for people to copy.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* One word, in quotes if it needs them. */
void lode_shell_word_put(FILE *out, const char *word);
/*
 * Each word, a blank before it. Four or more files of one folder become a pattern, "slow/x-*.data",
 * where a shell would expand it to exactly these words in this order. A few lookups a folder.
 */
void lode_shell_words_put(FILE *out, const char *const *words, size_t n_words);
