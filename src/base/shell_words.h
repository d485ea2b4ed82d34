/*
 * Command lines as a shell would need them, for people to copy.
 */
#pragma once

#include <stdio.h>

/* One word, in quotes if it needs them. */
void lode_shell_word_put(FILE *out, const char *word);
