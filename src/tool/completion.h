/*
 * Shell completion scripts, made from the commands' option tables.
 */
#ifndef LODE_COMPLETION_H
#define LODE_COMPLETION_H

#include <stdio.h>

/* For bash; zsh reads it too, through bashcompinit. */
void lode_completion_bash(FILE *out);

#endif
