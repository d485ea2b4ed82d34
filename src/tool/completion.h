/*
 * Shell completion scripts, made from the commands' option tables.
 */
#pragma once

#include <stdio.h>

/* For bash; zsh reads it too, through bashcompinit. */
void lode_completion_bash(FILE *out);
